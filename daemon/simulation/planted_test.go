package simulation

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A plant is a safeguard taken out: pieces of the program's text that are replaced when the
// simulation is built once more.
type plant struct {
	name    string
	cuts    []cut
	promise string // how the judge must say what is broken, a regular expression
	story   string // of the crash sweep in which it breaks; empty: the lives of the simulation are searched
	sure    string // a fault that each of these lives has
	fleet   bool   // the days of a fleet are searched
}

// A cut replaces a piece of one function.
type cut struct {
	room      string // the package, below the module
	function  string // as it is declared
	safeguard string // stands in it exactly once
	instead   string
}

var plants = []plant{
	{
		name:    "the intent of a create is not recorded",
		cuts:    []cut{{"daemon/hosting", "(c CreateOnce) request", "c.Intend(&intent)", "error(nil)"}},
		promise: "was created twice",
		story:   "create",
	}, {
		name: "a create without an answer is sent again",
		cuts: []cut{{"daemon/hosting", "(c CreateOnce) request", "err := c.Send(sending)", `err := c.Send(sending)
	if err != nil {
		err = c.Send(sending)
	}`}},
		promise: "was created twice",
	}, {
		name: "a product of the same title is taken for the one that was asked for",
		cuts: []cut{
			{"daemon/hosting", "(h *Service) productsUnless", "p.SKU", "name.SKU"},
			{"daemon/publish", "isNamed", "hosting.SameLetters(p.SKU, asked.SKU) && ", ""},
		},
		promise: "never came to rest",
		story:   "create beside a namesake",
	}, {
		name:    "a frame is not checked once it is sent",
		cuts:    []cut{{"daemon/sending", "(w Sender) Send", "w.Folder.StillSame(source, f.File)", "nil"}},
		promise: "is recorded with a digest that is not its own",
		story:   "reupload that is overtaken",
	}, {
		name:    "a frame is sent before it is still",
		cuts:    []cut{{"daemon/plan", "(j *judge) add", "case !f.Still:", "case false:"}},
		promise: "is recorded with a digest that is not its own",
		story:   "create from a stream that is written on",
	}, {
		name: "the folder is not looked at again before the finish",
		cuts: []cut{
			{"daemon/publish", "(sf *sentFrames) lookOnceMore", "!isAsSent(s, now, planned)", "false"},
			{"daemon/publish", "(sf *sentFrames) lookOnceMore", "sf.compareTouched(ctx, s.Record.Run, now.Frames)", "nil"},
		},
		promise: "is no state that its folder was in",
	}, {
		name: "the revision and the images from before pass for the run's own",
		cuts: []cut{
			{"daemon/publish", "(po poller) pollStatus", "answer.SourceRevision != *run.Before.Revision", "true"},
			{"daemon/publish", "(co collector) collectImages", "view.IsFromBefore(run, images)", "false"},
		},
		promise: "is recorded with revision|is recorded as image|never came to rest",
		story:   "reupload",
	}, {
		name:    "an empty root is believed",
		cuts:    []cut{{"watcher", "(a *absence) emptied", "all > 0", "all >= 0"}},
		promise: "the view .* was removed",
		story:   "root emptied",
	}, {
		name: "alt texts are replaced without reading them again",
		cuts: []cut{
			{"daemon/publish", "(d *describer) describeImages", "> freshList", "< 0"},
			{"daemon/publish", "(d *describer) setAltTexts", "> freshList", "< 0"},
		},
		promise: "has the alt texts",
		story:   "alt texts",
	}, {
		name:    "a folder with a new name is taken for a new folder",
		cuts:    []cut{{"daemon/renamed", "(f Search) Predecessor", "recogniseAs(s, found", "recogniseAs(s, found[:0]"}},
		promise: "products were made",
		story:   "rename during an upload",
	}, {
		name:    "the texts of others go by the names of photos",
		cuts:    []cut{{"daemon/view", "formerFrames", "f.ImageID != 0", "false"}},
		promise: "has the alt texts",
	}, {
		name:    "a host that asks for rest gets none",
		cuts:    []cut{{"daemon/hosting", "(b *Breaker) fail", "b.block(now, asked", "b.block(now, 0"}},
		promise: "asked for .* of rest",
	}, {
		name:    "a directory whose name begins with a dot is a product folder",
		cuts:    []cut{{"watcher/names", "(r *Rules) Hidden", "isHidden(folded) || ", ""}},
		promise: "is no product folder",
	}, {
		name:    "an error of a server that does not answer says that folders are gone",
		cuts:    []cut{{"watcher/nofollow", "IsGone", "isOne(err, gone)", "isOne(err, gone) || errors.Is(err, os.ErrNotExist)"}},
		promise: "the view .* was removed",
	}, {
		name:    "a placeholder of a photo is a temporary file like any other",
		cuts:    []cut{{"daemon/plan", "(j *judge) busy", "busy.Lasting || ", ""}},
		promise: "is no state that its folder was in",
	}, {
		name:    "a folder counts as there under a name that its drive takes for the same",
		cuts:    []cut{{"watcher", "(d *disk) mayExist", "d.spelled(folder)", "nil"}},
		promise: "went live a second time as",
		sure:    ignoredCase,
	}, {
		name:    "a renamed folder is not known by half of its files",
		cuts:    []cut{{"daemon/renamed", "(f Search) predecessor", "FilesOf(record).AreMostlyIn(s.Facts.Snapshot.Frames)", "false"}},
		promise: "went live a second time as",
		sure:    "a folder is renamed, and a photo saved",
	}, {
		name:    "the last look believes what a network drive's cache tells of a photo",
		cuts:    []cut{{"watcher", "(d *disk) readAfresh", "!slices.Contains(open, name)", "true"}},
		promise: "is no state that its folder was in",
		sure:    oldCache,
	}, {
		name:    "a products file is believed while it is being written",
		cuts:    []cut{{"daemon/products", "(p *File) Check", "now.Sub(p.since) < p.settle || ", ""}},
		promise: "of a list that was being saved",
		sure:    "products.csv is saved slowly",
	}, {
		name:    "a reload forgets what a host asked for",
		cuts:    []cut{{"daemon", "(d *Daemon) follow", "was.BaseURL != is.BaseURL", "true"}},
		promise: "asked for .* of rest",
	}, {
		name:    "a folder's project is not asked for again when sync.toml names another",
		cuts:    []cut{{"daemon/plan", "(s Scene) planForm", "s.Record.Project.Title != s.Facts.Wanted.Project", "false"}},
		promise: "to which its folder does not belong",
		sure:    otherLayout,
	}, {
		name: "a link in a folder is followed",
		cuts: []cut{
			{"watcher/nofollow", "(d Dir) Stat", "unix.AT_SYMLINK_NOFOLLOW", "0"},
			{"watcher/nofollow", "(d Dir) openRegular", "unix.O_NOFOLLOW|", ""},
		},
		promise: "to which a guest's link leads",
		sure:    guestWrites,
	}, {
		name:    "a text for all photos may become too long",
		cuts:    []cut{{"daemon/alttext", "(r *reader) templates", "n > maxText", "n < 0"}},
		promise: "an image got a text",
		sure:    guestWrites,
	}, {
		name:    "a packet may have any number of texts",
		cuts:    []cut{{"daemon/alttext", "ParsePacket", "size > maxPacket", "size < 0"}},
		promise: "an image got a text",
		sure:    guestWrites,
	}, {
		name:    "a list does not age while the machine sleeps",
		cuts:    []cut{{"daemon/publish", "(q *requests) clock", "q.service.Boot()", "time.Now()"}},
		promise: "has the alt texts",
		sure:    sleeping,
	}, {
		name:    "quiet passes while the machine sleeps",
		cuts:    []cut{{"watcher/clock", "Overslept", "machine.Counts", "false"}},
		promise: "came too soon",
		sure:    sleeping,
	}, {
		name:    "a transaction of a fleet does not compare the counter",
		cuts:    []cut{{"syncstate/cluster", "(e *Epoch) do", "{Key: counterKey, Changed: e.changed}", `{Key: "none"}`}},
		promise: "decided at .*, in an epoch of",
		fleet:   true,
	}, {
		name:    "a station believes what it sees as soon as it takes over",
		cuts:    []cut{{"daemon/plan", "(s Scene) planView", "view == nil || ", "true || "}},
		promise: "is older than the one before",
		fleet:   true,
	}, {
		name:    "a station does not know of a create without an answer at another one",
		cuts:    []cut{{"syncstate", "(i *Intent) shared", "s.Looks = Tries{}", "s.Looks, s.Sent = Tries{}, false"}},
		promise: "was created twice|belongs to no folder",
		fleet:   true,
		sure:    lateLists + "|" + "drop after",
	},
}

// hunt is how the built simulation looks for the broken promise, up to the first time.
func (p plant) hunt() []string {
	args := []string{"-test.run=^TestCrashSweep$", "-story=^" + p.story + "$"}
	if p.fleet {
		args = []string{"-test.run=^TestFleet$", "-seeds=2000", "-sure=" + p.sure}
	} else if p.story == "" {
		args = []string{"-test.run=^TestSimulation$", "-seeds=2000", "-sure=" + p.sure}
	}
	return append(args, "-stride=1", "-until="+p.promise)
}

// Each change of the code that a plant cuts out shows at once, not only where the plants are tried.
func TestPlantsFindTheirSafeguards(t *testing.T) {
	for _, p := range plants {
		t.Run(p.name, func(t *testing.T) { p.overlay(t, t.TempDir()) })
	}
}

// TestPlantedBugs proves that the simulation would notice: each build with a safeguard taken out
// must break its promise.
func TestPlantedBugs(t *testing.T) {
	if !*full {
		t.Skip("each plant builds the simulation once more; -full tries them")
	}
	for _, p := range plants {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			t.Log(p.find(t))
		})
	}
}

// find builds the simulation with the plant and tells how it was caught.
func (p plant) find(t *testing.T) string {
	dir := t.TempDir()
	program := filepath.Join(dir, "planted.test")
	out, err := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", p.overlay(t, dir), "-o", program, ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err = exec.CommandContext(t.Context(), program, p.hunt()...).CombinedOutput()
	caught := regexp.MustCompile(`caught: .*`).Find(out)
	if caught == nil {
		t.Fatalf("no broken promise is called %q (%v)\n%s", p.promise, err, out)
	}
	return string(caught)
}

// overlay writes the changed files, and what tells the compiler to take them in place of the true
// ones.
func (p plant) overlay(t *testing.T, dir string) string {
	t.Helper()
	changed := map[string]string{}
	for n, c := range p.cuts {
		file, text := c.apply(t, changed)
		changed[file] = write(t, dir, strconv.Itoa(n)+".go", text)
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": changed})
	if err != nil {
		t.Fatal(err)
	}
	return write(t, dir, "overlay.json", list)
}

// apply returns the file that holds the safeguard, and its text without it. Files that are changed
// already have their text elsewhere.
func (c cut) apply(t *testing.T, changed map[string]string) (file string, text []byte) {
	t.Helper()
	declared := regexp.MustCompile(`(?s)\nfunc ` + regexp.QuoteMeta(c.function) + `\(.*?(\nfunc |$)`)
	for _, file := range c.files(t) {
		text, err := os.ReadFile(cmp.Or(changed[file], file))
		if err != nil {
			t.Fatal(err)
		}
		if place := declared.FindIndex(text); place != nil {
			before, function, after := text[:place[0]], text[place[0]:place[1]], text[place[1]:]
			if bytes.Count(function, []byte(c.safeguard)) == 1 {
				function = bytes.Replace(function, []byte(c.safeguard), []byte(c.instead), 1)
				return file, slices.Concat(before, function, after)
			}
		}
	}
	t.Fatalf("%s %s does not hold the safeguard once; bring the plant up to date:\n%s", c.room, c.function, c.safeguard)
	return "", nil
}

// files are those of the cut's room.
func (c cut) files(t *testing.T) (all []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(c.room), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if whole, err := filepath.Abs(file); err == nil && !strings.HasSuffix(file, "_test.go") {
			all = append(all, whole)
		}
	}
	return all
}

func write(t *testing.T, dir, name string, text []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
