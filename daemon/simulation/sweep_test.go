package simulation

import (
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/apiclient/servicetest"
)

var (
	oneTrial  = flag.String("trial", "", "the one trial of the crash sweep to make, as a failure prints it")
	storyName = flag.String("story", "", "the stories of the crash sweep, a regular expression")
	oneOf     = flag.Int("one-of", 0, "make one of so many trials of the crash sweep; 0 is as many as a test run is for")
	share     = flag.Int("share", 0, "which of the shares that -one-of or -stride makes of the crash sweep")
)

// doubleTrials is how many trials have two faults.
const doubleTrials = 300

// TestCrashSweep has one thing go wrong at each boundary between two steps, in each way there is,
// while the studio does each of a few things. Which boundaries there are is found out by doing the
// same without a fault first.
func TestCrashSweep(t *testing.T) {
	switch {
	case *oneTrial != "":
		var s trial
		if err := json.Unmarshal([]byte(*oneTrial), &s); err != nil {
			t.Fatal(err)
		}
		s.run(t)
	case *stride == 0:
		processes, shares := runtime.NumCPU(), sharesOfThisRun()
		inProcesses(t, processes, func(i int) []string {
			return []string{fmt.Sprint("-stride=", processes*shares), fmt.Sprint("-share=", i*shares+*share%shares), "-story=" + *storyName}
		})
	default:
		sweepShare(t)
	}
}

// sharesOfThisRun is how many times as many trials there are as this test run makes.
func sharesOfThisRun() int {
	switch {
	case *oneOf > 0:
		return *oneOf
	case *full, *storyName != "":
		return 1
	case raceDetected:
		return 115
	default:
		return 23
	}
}

// sweepShare makes the trials of one share. A trial belongs to the share that its text says,
// because a busy machine may find a boundary more or less. So one trial of a share may miss its own.
func sweepShare(t *testing.T) {
	made := 0
	for _, s := range allTrials(t) {
		if s.hash()%uint64(*stride) == uint64(*share) && !isLate(t) {
			made++
			s.run(t)
		}
	}
	fmt.Printf("%d trials\n", made)
	if missed > 1+made/100 {
		t.Errorf("%d of %d trials did not meet the boundary where something was to go wrong", missed, made)
	}
}

// A story is one thing that the studio does, from a world at rest to a world at rest.
type story struct {
	name   string
	root   rootPlan
	other  *rootPlan // nil: there is one root
	speed  int       // of the line, bytes per second; 0 = no bound
	before func(*world)
	deed   func(w *world, f *folder)
	only   string // of oddServices; empty: each
	spares bool   // no form and no project is asked for, whatever is broken off
}

var (
	plainRoot = rootPlan{onRemove: "keep"}
	// twoFolders leave one standing when the other goes.
	twoFolders = rootPlan{onRemove: "delete", folders: []string{"Summer/SKU-2"}}
	twoKept    = rootPlan{onRemove: "keep", folders: []string{"Summer/SKU-2"}}
)

var stories = slices.Concat(plainStories, changeStories, renameStories, lostStories, othersStories)

var plainStories = []story{
	{
		name: "create", root: plainRoot,
		deed: func(w *world, f *folder) { w.expose(f) },
	}, {
		name: "create from a stream", root: rootPlan{onRemove: "keep", frames: 2},
		deed: func(w *world, f *folder) {
			w.studio.put(f, f.frameName(0), w.studio.photoOf(900))
			w.after(20*time.Second, func() { w.studio.put(f, f.frameName(1), w.studio.photoOf(900)) })
		},
	}, {
		name: "create with a slow writer", root: plainRoot,
		deed: func(w *world, f *folder) {
			photo := w.studio.photoOf(900)
			w.studio.put(f, f.frameName(0), w.studio.photoOf(900))
			w.studio.put(f, f.frameName(1), &content{data: photo.data[:500]})
			w.after(8*time.Second, func() { w.studio.put(f, f.frameName(1), photo) })
		},
	}, {
		name: "create beside a namesake", root: twoFolders,
		before: func(w *world) {
			w.studio.removeFolder(w.studio.folders[0])
			w.exposeAs(w.studio.folders[1], "Teapot")
		},
		deed: func(w *world, f *folder) {
			w.studio.makeFolder(f)
			w.exposeAs(f, "Teapot")
		},
	}, {
		name: "reupload", root: plainRoot, before: (*world).exposeAndDescribe,
		deed: func(w *world, f *folder) { w.expose(f) },
	}, {
		// The first frame changes while it is sent, and again some time later, when all are.
		name: "reupload that is overtaken", root: plainRoot, speed: 100_000, before: (*world).exposeAndDescribe,
		deed: func(w *world, f *folder) {
			again := func() { w.studio.put(f, f.frameName(0), w.studio.photoOf(180_000)) }
			again()
			w.after(5500*time.Millisecond, again)
			w.after(11500*time.Millisecond, again)
		},
	}, {
		name: "fields", root: plainRoot, spares: true, before: (*world).exposeAndDescribe,
		deed: func(w *world, f *folder) { w.say(f, "Teapot") },
	}, {
		// A person puts them back before the answer.
		name: "fields that are put back", root: plainRoot, only: "late", spares: true, before: (*world).exposeAndDescribe,
		deed: func(w *world, f *folder) {
			w.say(f, "Teapot")
			w.upon(sandbox.UpdateProduct, func() { w.studio.remove(f, "product.toml") })
		},
	}, {
		name: "alt texts", root: plainRoot, spares: true, before: (*world).exposeAndDescribe,
		deed: func(w *world, f *folder) {
			w.studio.remove(f, "frame_01.txt")
			w.studio.put(f, "frame_01.de.txt", &content{data: []byte("Kanne")})
			w.studio.put(f, "frame_02.txt", &content{data: []byte("teapot from the side")})
		},
	}, {
		name: "delete", root: twoFolders, before: (*world).exposeAndDescribe,
		deed: func(w *world, f *folder) { w.studio.removeFolder(f) },
	}, {
		name: "root emptied", root: rootPlan{onRemove: "delete"}, before: (*world).exposeAndDescribe,
		deed: func(w *world, f *folder) {
			undo := w.studio.hide(f.root, "emptied", filepath.Join(w.dir, "aside"))
			w.after(time.Minute, undo)
		},
	},
}

type oddService struct {
	name string
	odd  oddity
}

// oddServices are strict services: one that speaks late of what is finished, one that leaves the
// program in the dark wherever else the interface lets it, and one whose habits are drawn.
var oddServices = []oddService{
	{"late", oddity{habits: plainBut(func(h *servicetest.Habits) { h.StatusDelay = 4 * time.Second })}},
	{"awkward", oddity{listLag: time.Minute, habits: plainBut(func(h *servicetest.Habits) {
		h.HostAs, h.Stored, h.Finish, h.WrongCount = "http://%s", 201, "nothing", true
		h.Filters, h.Page, h.Raise, h.Idle, h.Announced = "nothing", 1, "once", "waiting", "waiting"
		h.Sources, h.KeepIDs = "number", true
	})}},
	{strictService, oddity{}},
}

func plainBut(change func(*servicetest.Habits)) *servicetest.Habits {
	habits := servicetest.Plain()
	change(&habits)
	return &habits
}

// expose takes all frames of a folder at once.
func (w *world) expose(f *folder) {
	for i := range f.wanted {
		w.studio.put(f, f.frameName(i), w.studio.photoOf(900))
	}
}

// exposeAs does so for a product with a title of its own.
func (w *world) exposeAs(f *folder, title string) {
	w.expose(f)
	w.say(f, title)
}

// say writes the title of a product.
func (w *world) say(f *folder, title string) {
	w.studio.put(f, "product.toml", &content{data: fmt.Appendf(nil, "title = %q\n", title)})
}

// exposeAndDescribe has every folder published, with one text of its own on the first frame and one
// of somebody else on one of its frames.
func (w *world) exposeAndDescribe() {
	for _, f := range w.studio.folders {
		w.expose(f)
		w.studio.put(f, "frame_01.txt", &content{data: []byte("teapot from the front")})
	}
	w.settle()
	w.describeRemotely(nil)
}

// A boundary is a place between two steps, by what happens there and how often that has happened
// since the story began.
type boundary struct {
	Label string
	Nth   int
}

func (b boundary) String() string { return fmt.Sprintf("%s (%d)", b.Label, b.Nth) }

// The kinds of boundaries, as their labels begin.
const (
	atKill   = "kill "  // beside a request or a commit
	atCall   = "call "  // a request
	atCommit = "commit" // of the state file
)

// withoutTime makes a label of a point. Commits are counted, whatever the time of each.
func withoutTime(point string) string {
	label, _, _ := strings.Cut(point, " at ")
	return label
}

// modes are the ways in which things can go wrong at a boundary.
func (b boundary) modes() []string {
	switch {
	case strings.HasPrefix(b.Label, atKill):
		return []string{"killed"}
	case strings.HasPrefix(b.Label, atCommit):
		return []string{failedUndone, failedDone}
	}
	op, _, _ := strings.Cut(strings.TrimPrefix(b.Label, atCall), " ")
	var names []string
	for _, m := range callMishaps {
		if m.on == nil || m.on(op) {
			names = append(names, m.name)
		}
	}
	return names
}

const (
	failedUndone = "failed, not done"
	failedDone   = "failed, done all the same"
)

// callMishaps are those of the weather and those that are too rare for it.
var callMishaps = append([]mishap{
	{name: "cut to nothing", make: func(*rand.Rand) sandbox.Fault { return sandbox.Fault{CutBody: -1} }},
	{name: "empty after the work", make: func(*rand.Rand) sandbox.Fault {
		return sandbox.Fault{Status: 200, Body: " ", Process: true}
	}},
	{name: "errors that are OK", on: changes, make: func(*rand.Rand) sandbox.Fault {
		return sandbox.Fault{Status: 200, Body: `{"errors":["not today"]}`}
	}},
	{name: "answer to another request", on: changes, make: func(*rand.Rand) sandbox.Fault {
		return sandbox.Fault{Status: 200, Body: anotherForm, Process: true}
	}},
	{name: "403", on: func(op string) bool { return op != sandbox.ReadStatus }, make: func(*rand.Rand) sandbox.Fault {
		return sandbox.Fault{Status: 403, Body: `{"errors":["not yours"]}`}
	}},
	{name: unknownProduct, on: func(op string) bool { return op == sandbox.ReadStatus }, make: func(*rand.Rand) sandbox.Fault { return unknown }},
	{name: "page of 404", make: func(*rand.Rand) sandbox.Fault { return sandbox.Fault{Status: 404, Body: portal, Header: html()} }},
}, mishaps...)

// anotherForm is what the service said to somebody else.
const anotherForm = `{"uuid":"6b6f7c0e-0000-4000-8000-000000000000","title":"Of somebody else",
	"path":"6b6f7c0e-0000-4000-8000-000000000000/rotation/0/1","policy":"p","signature":"s","hostname":"127.0.0.1:1",
	"access_key_id":"k","acl":"private"}`

// A trial is one story in which something goes wrong at one boundary, and perhaps at a second.
type trial struct {
	Story, Service string
	At             boundary // the zero value where nothing goes wrong
	Mode           string
	Later          int // so many boundaries later something goes wrong again; 0 = never
}

func (s trial) String() string {
	text := fmt.Sprintf("%s with a %s service", s.Story, s.Service)
	if s.Mode != "" {
		text += fmt.Sprintf(", %s at %s", s.Mode, s.At)
	}
	if s.Later > 0 {
		text += fmt.Sprintf(", and again %d boundaries later", s.Later)
	}
	return text
}

func (s trial) hash() uint64 {
	h := fnv.New64a()
	h.Write([]byte(s.String()))
	return h.Sum64()
}

// allTrials makes each story once without a fault, and lists those with one at each boundary and
// some with two.
func allTrials(t *testing.T) []trial {
	var all []trial
	for _, s := range stories {
		if !regexp.MustCompile(*storyName).MatchString(s.name) {
			continue
		}
		for _, odd := range oddServices {
			if s.only != "" && s.only != odd.name {
				continue
			}
			for _, b := range (trial{Story: s.name, Service: odd.name}).run(t) {
				for _, mode := range b.modes() {
					all = append(all, trial{Story: s.name, Service: odd.name, At: b, Mode: mode})
				}
			}
		}
	}
	single := len(all)
	if single == 0 {
		return nil
	}
	for n := range uint64(doubleTrials) {
		r := random(n, "double")
		again := all[r.IntN(single)]
		again.Later = 1 + r.IntN(25)
		all = append(all, again)
	}
	return all
}

// run makes a trial and returns the boundaries that were met in it.
func (s trial) run(t *testing.T) []boundary {
	t.Helper()
	const tries = 5
	var f *fate
	for range tries {
		if f = s.attempt(t); f.came() {
			return f.met
		}
	}
	missed++
	t.Logf("%s: the boundary was not met", s)
	return f.met
}

// missed counts trials that came to nothing. A machine that is busy with other things may stop the
// program between two steps of one instant, and then it may go on otherwise than it did when the
// boundaries were found.
var missed int

func (s trial) attempt(t *testing.T) *fate {
	t.Helper()
	tale := stories[slices.IndexFunc(stories, func(tale story) bool { return tale.name == s.Story })]
	service := oddServices[slices.IndexFunc(oddServices, func(o oddService) bool { return o.name == s.Service })]
	w := newWorld(t, 1) // the same each time, so that a trial comes to its boundary
	w.plan = plan{
		username: username, service: strictService, odd: service.odd, processing: 2 * time.Second, lifetime: time.Hour,
		parallel: 1, lineSpeed: tale.speed, giveUp: "6h", roots: []rootPlan{tale.root},
	}
	w.plan.roots[0].folders = append([]string{"Summer/SKU-1"}, tale.root.folders...)
	if tale.other != nil {
		w.plan.roots = append(w.plan.roots, *tale.other)
	}
	for i := range w.plan.roots {
		root := &w.plan.roots[i]
		root.name, root.settle, root.quiet, root.order = fmt.Sprint("shoots", i+1), time.Second, 3*time.Second, "name"
	}
	f := &fate{w: w, rng: random(s.hash(), "fate"), trial: s, seen: map[string]int{}}
	f.rule()
	again, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	w.run(t, func(t *testing.T) { w.liveThrough(t, tale, f) }, fmt.Sprintf("-run TestCrashSweep -trial '%s'", again))
	return f
}

// liveThrough is the whole life of a world in which one story happens.
func (w *world) liveThrough(t *testing.T, tale story, f *fate) {
	w.t = t
	w.trace.began, w.down, w.due = time.Now(), make(chan downfall, 64), make(chan func(), 1)
	w.trace.add("%s", f.trial)
	w.open()
	defer w.close()
	for _, f := range w.studio.folders {
		f.wanted = 2
	}
	w.start(filepath.Join(w.dir, "state", "first.db"))
	if tale.before != nil {
		tale.before(w)
		w.settle()
	}
	w.trace.add("the story begins")
	w.most = len(w.studio.folders)
	began := time.Now()
	f.reign(true)
	tale.deed(w, w.studio.folders[0])
	for w.settle(); w.current.Load().isDead() || len(w.agenda) > 0; w.settle() {
		w.pass(time.Now().Add(time.Second))
	}
	f.reign(false)
	w.pass(time.Now().Add(latest))
	w.settle()
	w.restWithoutWork()
	if tale.spares && f.trial.spares() {
		w.checkSpared(began)
	}
}

// spares reports whether the service answers in a trial as it should. After another answer photos may
// be sent that are there.
func (s trial) spares() bool {
	return s.Later == 0 && (s.Mode == "" || !strings.HasPrefix(s.At.Label, atCall))
}

// checkSpared: since a time nothing was asked for that is there already.
func (w *world) checkSpared(since time.Time) {
	w.readJournal()
	for _, e := range w.journal {
		if e.Time.After(since) && (e.Effect == sandbox.FormIssued || e.Effect == sandbox.ProjectCreated) {
			w.breaks("%s of %s%s, which is there already", e.Effect, e.SKU, e.Title)
		}
	}
}

// latest is how long after its sender gave up a request may still take effect.
const latest = time.Minute

// A fate sees to it that the faults of a trial come, each once.
type fate struct {
	w       *world
	rng     *rand.Rand
	trial   trial
	begun   bool
	seen    map[string]int
	met     []boundary
	struck  bool // by the first fault
	farther int  // boundaries met since then
}

// rule takes over what goes wrong in the world.
func (f *fate) rule() {
	latency := weather{seed: 1}
	f.w.stopAt = func(point string) bool { return f.meet(atKill+withoutTime(point)) != "" }
	f.w.failAt = func(point string) (fails, done bool) {
		mode := f.meet(withoutTime(point))
		return mode != "", mode == failedDone
	}
	f.w.spoil = func(c *call) (kind string, fault sandbox.Fault) {
		_, fault = latency.spoil(c)
		kind = f.meet(atCall + c.String())
		for _, m := range callMishaps {
			if m.name == kind {
				wait := fault.Delay
				fault = f.draw(m)
				fault.Delay += wait
			}
		}
		return kind, fault
	}
}

// draw makes the fault of a mishap. Calls are served side by side, and draw from one source.
func (f *fate) draw(m mishap) sandbox.Fault {
	f.w.mu.Lock()
	defer f.w.mu.Unlock()
	return m.make(f.rng)
}

// reign begins and ends the time in which faults come.
func (f *fate) reign(begun bool) {
	f.w.mu.Lock()
	defer f.w.mu.Unlock()
	f.begun = begun
}

// came reports whether the first fault came.
func (f *fate) came() bool { return f.struck || f.trial.Mode == "" }

// meet is called at each boundary and returns the mode of the fault that comes there, or "".
func (f *fate) meet(label string) (mode string) {
	f.w.mu.Lock()
	defer f.w.mu.Unlock()
	if !f.begun {
		return ""
	}
	f.seen[label]++
	here := boundary{label, f.seen[label]}
	f.met = append(f.met, here)
	if !f.struck {
		if f.struck = here == f.trial.At; f.struck {
			return f.trial.Mode
		}
		return ""
	}
	if f.farther++; f.farther == f.trial.Later {
		return pick(f.rng, here.modes()...)
	}
	return ""
}
