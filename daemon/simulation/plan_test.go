package simulation

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"time"

	"spinsync/apiclient/servicetest"
)

// A plan is what a seed decides before anything happens.
type plan struct {
	service    string        // sandbox or strict
	chaos      time.Duration // how long things go wrong
	roots      []rootPlan
	parallel   int
	limit      string // of uploads, as sync.toml has it
	lineSpeed  int    // bytes per second of each connection, 0 = no bound
	odd        oddity
	processing time.Duration
	giveUp     string // as sync.toml has it
	perImage   time.Duration
	lifetime   time.Duration // of upload forms
	faults     swarm
	weather    weather
	studio     pace

	misfortunes []misfortune

	username string // of the account in sync.toml
}

// An oddity is how the strict service does what the interface leaves open. The sandbox has none.
type oddity struct {
	habits     *servicetest.Habits // nil: the seed's
	listLag    time.Duration       // new things come into the lists so late
	removedLag time.Duration       // removed ones leave them so late
}

// A rootPlan is one [[watch]] table and what lies below it.
type rootPlan struct {
	name     string
	settle   time.Duration
	quiet    time.Duration
	frames   int
	marker   string
	order    string
	numbered bool // the names of photos have numbers whose order is not that of their bytes
	onRemove string
	folders  []string // below the root
	list     bool     // a products file names their manufacturers
	layout   string   // as sync.toml has it; empty: {project}/{sku}
	project  string   // of all folders, where layout has none

	shared bool // stations of a fleet watch it

	unwatched bool   // it is not in sync.toml
	ignore    string // as sync.toml has it, but for the last sync always empty
}

// markerName is the marker of a root that has one.
const markerName = "done.txt"

// A pace is how often what is done by people.
type pace struct {
	gap   time.Duration // between two deeds on average
	kills float64       // of those, the part that ends the daemon
	roots float64       // the part that takes a whole root away
}

// random is a generator of its own for one purpose, so that a change in one part of the simulation
// leaves the others as they were.
func random(seed uint64, purpose string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(purpose))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

func newPlan(seed uint64) plan {
	r, faults := random(seed, "plan"), newSwarm(seed)
	p := plan{
		service:    serviceOf(seed),
		faults:     faults,
		username:   username,
		chaos:      newChaos(seed),
		parallel:   pick(r, 0, 1, 2, 4),
		limit:      pick(r, "", "", "", "60KiB/s"),
		lineSpeed:  pick(r, 0, 0, 200_000, 40_000),
		processing: pick(r, -1, 2*time.Second, 15*time.Second, 90*time.Second),
		perImage:   pick(r, 0, time.Second),
		lifetime:   cmp.Or(when(faults.has(shortForms), pick(r, 3*time.Minute, 90*time.Second)), time.Hour),
		studio: pace{
			kills: when(faults.has(killing), pick(r, 0.05, 0.2)),
			roots: when(faults.has(awayRoots), pick(r, 0.04, 0.1)),
		},
	}
	p.studio.gap = between(r, p.chaos/100, p.chaos/20)
	p.weather = newWeather(seed, faults)
	p.giveUp = pick(random(seed, "give up"), "6h", "6h", "20s")
	p.odd.listLag = when(faults.has(lateLists), pick(r, 3*time.Second, 60*time.Second))
	p.odd.removedLag = when(faults.has(staleLists), pick(r, 3*time.Second, 60*time.Second))
	p.misfortunes = faults.misfortunes()
	folders, lists := foldersOf(seed), random(seed, "lists")
	for i := range 1 + r.IntN(min(3, folders)) {
		p.roots = append(p.roots, newRootPlan(r, i))
		p.roots[i].list = chance(lists, 0.3)
	}
	for i := range folders {
		root := &p.roots[i%len(p.roots)]
		letter := when(faults.has(ignoredForm), "ü")
		root.folders = append(root.folders, fmt.Sprintf("%s/SKU-%s%d", pick(r, "Summer", "Winter"), letter, i+1))
	}
	return p
}

// newChaos is minutes long in four days of five, and hours in the fifth. Hours with hundreds of
// folders would take minutes of the machine.
func newChaos(seed uint64) time.Duration {
	r := random(seed, "chaos")
	if chance(r, 0.2) && foldersOf(seed) < hundreds {
		return between(r, time.Hour, 6*time.Hour)
	}
	return between(r, time.Minute, 6*time.Minute)
}

const hundreds = 100

// foldersOf is how many product folders a seed has: a few, and rarely hundreds.
func foldersOf(seed uint64) int {
	r := random(seed, "folders")
	if chance(r, 0.006) {
		return pick(r, hundreds, hundreds, 3*hundreds) + r.IntN(hundreds)
	}
	return 1 + r.IntN(4)
}

func newRootPlan(r *rand.Rand, i int) rootPlan {
	p := rootPlan{
		name:     fmt.Sprintf("shoots%d", i+1),
		settle:   pick(r, time.Second, 2*time.Second, 5*time.Second),
		quiet:    pick(r, 5*time.Second, 12*time.Second, 30*time.Second),
		frames:   pick(r, 0, 0, 3, 5),
		marker:   pick(r, "", "", "", markerName),
		order:    pick(r, "name", "name", "natural"),
		onRemove: pick(r, "keep", "delete"),
	}
	p.numbered = p.order == "natural"
	return p
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

func chance(r *rand.Rand, p float64) bool { return r.Float64() < p }

// instant is the time by which chance is decided. It is rounded, so that a nanosecond more or less,
// which who runs first may cost, decides nothing.
func instant() time.Time { return time.Now().Truncate(time.Millisecond) }

// between is a time whose nanoseconds nobody else will hit upon, so that no two things happen at
// one instant.
func between(r *rand.Rand, least, most time.Duration) time.Duration {
	return least + time.Duration(r.Int64N(int64(most-least)))
}

// config is the sync.toml of a life.
func (p plan) config(dir, state string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[service]\nbase_url = %q\nusername = %q\npassword = %q\n", baseURL, p.username, password)
	fmt.Fprintf(&b, "[state]\npath = '%s'\n", state)
	fmt.Fprintf(&b, "[upload]\nparallel = %d\nlimit = %q\n", p.parallel, p.limit)
	fmt.Fprintf(&b, "[poll]\nfirst = \"1s\"\nmax = \"20s\"\ngive_up = %q\n[dashboard]\nlisten = \"\"\n", p.giveUp)
	for _, root := range p.roots {
		if root.unwatched {
			continue
		}
		fmt.Fprintf(&b, "[[watch]]\npath = '%s/%s'\nlayout = %q\npoll = true\n", dir, root.name, cmp.Or(root.layout, "{project}/{sku}"))
		if root.shared {
			fmt.Fprintf(&b, "name = %q\n", root.name)
		}
		if root.project != "" {
			fmt.Fprintf(&b, "project = %q\n", root.project)
		}
		fmt.Fprintf(&b, "settle = %q\nquiet = %q\nframes = %d\n", root.settle, root.quiet, root.frames)
		if root.ignore != "" {
			fmt.Fprintf(&b, "ignore = [%q]\n", root.ignore)
		}
		if root.list {
			fmt.Fprintf(&b, "products = %q\n", listName)
		}
		fmt.Fprintf(&b, "marker = %q\norder = %q\non_remove = %q\n", root.marker, root.order, root.onRemove)
	}
	return b.String()
}

func (p plan) String() string {
	return fmt.Sprintf("%+v", struct {
		chaos                       time.Duration
		roots                       []rootPlan
		parallel, speed             int
		limit                       string
		processing, perImage, forms time.Duration
		listLag, removedLag         time.Duration
		mishaps, kill, commits      float64
	}{p.chaos, p.roots, p.parallel, p.lineSpeed, p.limit, p.processing, p.perImage, p.lifetime, p.odd.listLag, p.odd.removedLag, p.weather.each, p.weather.kill, p.weather.commits})
}
