package simulation

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A plant is a safeguard taken out: pieces of the program's text that are replaced when the
// simulation is built once more.
type plant struct {
	name    string
	rooms   string            // the packages that hold it, below the module; several are parted by spaces
	cuts    map[string]string // each stands there exactly once, by what stands there instead
	promise string            // how the judge must say what is broken, a regular expression
	story   string            // of the crash sweep in which it breaks; empty: the lives of the simulation are searched
}

var plants = []plant{
	{
		name:  "the intent of a create is not recorded",
		rooms: "daemon/hosting daemon/publish",
		cuts: map[string]string{`	if err := c.Intend(&intent); err != nil {
		return err
	}
	// The answer`: `	// The answer`},
		promise: "was created twice",
		story:   "create",
	}, {
		name:  "a create without an answer is sent again",
		rooms: "daemon/hosting daemon/publish",
		cuts: map[string]string{`	err := c.Send(sending)`: `	err := c.Send(sending)
	if err != nil {
		err = c.Send(sending)
	}`},
		promise: "was created twice",
	}, {
		name:  "a product of the same title is taken for the one that was asked for",
		rooms: "daemon/hosting daemon/publish",
		cuts: map[string]string{
			`NewProductName(name.Project, p.SKU,`:       `NewProductName(name.Project, name.SKU,`,
			`hosting.SameLetters(p.SKU, asked.SKU) && `: ``,
		},
		promise: "never came to rest",
		story:   "create beside a namesake",
	}, {
		name:    "a frame is not checked once it is sent",
		rooms:   "daemon/sending",
		cuts:    map[string]string{`sent.Err = w.Folder.StillSame(source, f.File)`: ``},
		promise: "is recorded with a digest that is not its own",
		story:   "reupload that is overtaken",
	}, {
		name:    "a frame is sent before it is still",
		rooms:   "daemon/plan",
		cuts:    map[string]string{"case !f.Still:\n\t\tj.moving": "case false:\n\t\tj.moving"},
		promise: "is recorded with a digest that is not its own",
		story:   "create from a stream that is written on",
	}, {
		name:  "the folder is not looked at again before the finish",
		rooms: "daemon/publish",
		cuts: map[string]string{`	marker = markerOf(now)
`: `	marker = markerOf(now)
	if true {
		return marker, nil
	}
`},
		promise: "is no state that its folder was in",
	}, {
		name:  "the revision and the images from before pass for the run's own",
		rooms: "daemon/publish",
		cuts: map[string]string{
			`answer.Finished() && (run.Before.Revision == nil || answer.SourceRevision != *run.Before.Revision)`: `answer.Finished()`,
			`view.Doubt(images, run), view.IsFromBefore(run, images)`:                                            `view.Doubt(images, run), false`,
		},
		promise: "is recorded with revision|is recorded as image|never came to rest",
		story:   "reupload",
	}, {
		name:    "an empty root is believed",
		rooms:   "watcher",
		cuts:    map[string]string{`had == 0 || all > 0 || a.trust.accepts(r.walk.on) {`: `had == 0 || all >= 0 {`},
		promise: "the view .* was removed",
		story:   "root emptied",
	}, {
		name:  "alt texts are replaced without reading them again",
		rooms: "daemon/publish",
		cuts: map[string]string{
			`if d.service.Boot().Sub(d.listed) > freshList {`:        `if false {`,
			`if i > 0 && d.service.Boot().Sub(listed) > freshList {`: `if i < 0 {`,
		},
		promise: "has the alt texts",
		story:   "alt texts",
	}, {
		name:    "a folder with a new name is taken for a new folder",
		rooms:   "daemon/renamed",
		cuts:    map[string]string{`recogniseAs(s, found, f.Folder.Key)`: `recogniseAs(s, found[:0], f.Folder.Key)`},
		promise: "products were made",
		story:   "rename during an upload",
	}, {
		name:    "the texts of others go by the names of photos",
		rooms:   "daemon/view",
		cuts:    map[string]string{`if f.ImageID != 0 && now[name] != string(f.Digest) {`: `if false {`},
		promise: "has the alt texts",
	}, {
		name:    "a host that asks for rest gets none",
		rooms:   "daemon/hosting",
		cuts:    map[string]string{`b.block(now, asked, trouble)`: `b.block(now, 0, trouble)`},
		promise: "asked for .* of rest",
	}, {
		name:    "a directory whose name begins with a dot is a product folder",
		rooms:   "watcher/names",
		cuts:    map[string]string{`isHidden(folded) || k == Unseen`: `k == Unseen`},
		promise: "is no product folder",
	}, {
		name:  "an error of a server that does not answer says that folders are gone",
		rooms: "watcher/nofollow",
		cuts: map[string]string{`unix.ENOENT, unix.ENOTDIR`: `unix.ENOENT, unix.ENOTDIR, os.ErrNotExist`,
			`import "golang.org/x/sys/unix"

var (`: `import (
	"os"

	"golang.org/x/sys/unix"
)

var (`},
		promise: "the view .* was removed",
	}, {
		name:    "a placeholder of a photo is a temporary file like any other",
		rooms:   "daemon/plan",
		cuts:    map[string]string{`busy.Lasting || j.now.Before`: `j.now.Before`},
		promise: "is no state that its folder was in",
	}, {
		name:    "a reload forgets what a host asked for",
		rooms:   "daemon",
		cuts:    map[string]string{`if was.BaseURL == is.BaseURL {`: `if false {`},
		promise: "asked for .* of rest",
	},
}

// hunt is how the built simulation looks for the broken promise, up to the first time.
func (p plant) hunt() []string {
	args := []string{"-test.run=^TestCrashSweep$", "-story=^" + p.story + "$"}
	if p.story == "" {
		args = []string{"-test.run=^TestSimulation$", "-seeds=2000"}
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
	changed, times := map[string]string{}, map[string]int{}
	for n, file := range p.files(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		before := text
		for safeguard, instead := range p.cuts {
			times[safeguard] += bytes.Count(text, []byte(safeguard))
			text = bytes.Replace(text, []byte(safeguard), []byte(instead), 1)
		}
		if !bytes.Equal(text, before) {
			changed[file] = write(t, dir, strconv.Itoa(n)+".go", text)
		}
	}
	for safeguard := range p.cuts {
		if times[safeguard] != 1 {
			t.Fatalf("%s holds the safeguard %d times, not once; bring the plant up to date:\n%s", p.rooms, times[safeguard], safeguard)
		}
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": changed})
	if err != nil {
		t.Fatal(err)
	}
	return write(t, dir, "overlay.json", list)
}

// files are those of the plant's rooms.
func (p plant) files(t *testing.T) (all []string) {
	t.Helper()
	for _, room := range strings.Fields(p.rooms) {
		files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(room), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if whole, err := filepath.Abs(file); err == nil && !strings.HasSuffix(file, "_test.go") {
				all = append(all, whole)
			}
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
