package watcher

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/watcher/events"
	"spinsync/watcher/nofollow"
	"spinsync/watcher/volume"
)

// world is a root in a temporary directory with a watcher on it, inside a synctest bubble. Its
// events are sent by the test, so that a script decides which of them are lost.
type world struct {
	t    *testing.T
	root string
	w    *Watcher
	tree *tree
	seen *seen
	stop context.CancelFunc
	done chan struct{}

	gate   atomic.Pointer[func(dir string) error] // called before a directory is read
	stat   atomic.Pointer[func(name string, a *nofollow.Attrs)]
	survey atomic.Pointer[func(root string) (volume.Volume, error)]
}

// onRead makes a function decide what happens before a directory is read.
func (x *world) onRead(gate func(dir string) error) { x.gate.Store(&gate) }

// onStat makes a function change the attributes of an entry.
func (x *world) onStat(change func(name string, a *nofollow.Attrs)) { x.stat.Store(&change) }

// standOn makes a function survey the root.
func (x *world) standOn(survey func(root string) (volume.Volume, error)) { x.survey.Store(&survey) }

// standOnNetwork makes the root a network drive as NFS and SMB are: it has times of changes, and no
// lasting ids.
func (x *world) standOnNetwork() {
	x.standOn(func(root string) (volume.Volume, error) {
		v, err := volume.Survey(root)
		v.Network, v.Lasting, v.Changes = true, false, true
		return v, err
	})
}

// seen collects what the watcher reports.
type seen struct {
	mu     sync.Mutex
	newest map[string]Snapshot
	count  map[string]int
	at     map[string]time.Time
}

func (s *seen) collect(ctx context.Context, w *Watcher) {
	for {
		select {
		case got := <-w.Snapshots():
			s.mu.Lock()
			s.newest[got.Folder], s.at[got.Folder] = got, time.Now()
			s.count[got.Folder]++
			s.mu.Unlock()
			w.Took()
		case <-ctx.Done():
			return
		}
	}
}

func (s *seen) of(folder string) Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.newest[folder]
}

func (s *seen) times(folder string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count[folder]
}

// attentive claims to watch everything.
type attentive struct{ rest func(dir string) }

func (*attentive) Add(string, events.Rank) {}
func (a *attentive) Rest(dir string) {
	if a.rest != nil {
		a.rest(dir)
	}
}
func (*attentive) Has(string) bool { return true }
func (*attentive) Count() int      { return 1 }
func (*attentive) Complete() bool  { return true }
func (*attentive) Close()          {}

func testRoot(dir string) Root {
	return Root{Path: dir, Depth: 2, Include: []string{"*.jpg", "*.png"}, Marker: "done.txt", Settle: 5 * time.Second}
}

// newWorld starts a watcher in the current bubble. The options change the root before.
func newWorld(t *testing.T, dir string, options ...func(*Root)) *world {
	cfg := testRoot(dir)
	for _, change := range options {
		change(&cfg)
	}
	w, err := New([]Root{cfg}, nil)
	if err != nil {
		t.Fatal(err)
	}
	x := &world{
		t: t, root: dir, w: w, tree: w.roots[dir], done: make(chan struct{}),
		seen: &seen{newest: map[string]Snapshot{}, count: map[string]int{}, at: map[string]time.Time{}},
	}
	x.onRead(func(string) error { return nil })
	x.standOn(volume.Survey)
	x.tree.disk.gate = func(dir string) error { return (*x.gate.Load())(dir) }
	x.onStat(func(string, *nofollow.Attrs) {})
	x.tree.disk.stat = func(at nofollow.Dir, name string) (nofollow.Attrs, error) {
		a, err := at.Stat(name)
		(*x.stat.Load())(name, &a)
		return a, err
	}
	x.tree.survey = func(root string) (volume.Volume, error) { return (*x.survey.Load())(root) }
	x.tree.watches.open = func(context.Context) (watchSet, error) { return &attentive{}, nil }
	t.Cleanup(x.end)
	return x
}

// start runs the watcher and waits until it has read the root.
func (x *world) start() {
	ctx, stop := context.WithCancel(context.Background())
	x.stop = stop
	var running sync.WaitGroup
	running.Go(func() { x.seen.collect(ctx, x.w) })
	running.Go(func() { x.w.Run(ctx) })
	go func() {
		running.Wait()
		close(x.done)
	}()
	<-x.w.FirstRead()
	synctest.Wait()
}

func (x *world) end() {
	if x.stop != nil {
		x.stop()
		<-x.done
	}
}

func (x *world) path(below string) string { return filepath.Join(x.root, filepath.FromSlash(below)) }

// write makes a file with this content, and all directories above it. No event is sent.
func (x *world) write(below, content string) {
	x.t.Helper()
	writeFile(x.t, x.path(below), content)
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (x *world) do(err error) {
	x.t.Helper()
	if err != nil {
		x.t.Fatal(err)
	}
}

// hint sends an event for each path.
func (x *world) hint(c events.Change, paths ...string) {
	h := events.Hints{Paths: map[string]events.Change{}}
	for _, p := range paths {
		h.Paths[p] = c
	}
	x.tree.hints <- h
}

// save is write with its event.
func (x *world) save(below, content string) {
	x.t.Helper()
	x.write(below, content)
	x.hint(events.Altered, below)
}

// lengthen adds a byte to a file, and sends the event.
func (x *world) lengthen(below string) {
	x.t.Helper()
	x.do(os.MkdirAll(filepath.Dir(x.path(below)), 0o755))
	f, err := os.OpenFile(x.path(below), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	x.do(err)
	_, err = f.WriteString("x")
	x.do(err)
	x.do(f.Close())
	x.hint(events.Altered, below)
}

// pass lets time go by.
func (x *world) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// frames gives the frames of a folder in one line: "a.jpg=3 b.jpg=5!"; the size, and "!" behind
// those that are still.
func (x *world) frames(folder string) string { return line(x.seen.of(folder).Frames) }

func line(files []File) string {
	var words []string
	for _, f := range files {
		mark := ""
		if f.Still {
			mark = "!"
		}
		words = append(words, f.Name+mark)
	}
	return strings.Join(words, " ")
}

// expect fails unless the newest snapshot of the folder has these frames.
func (x *world) expect(folder, want string) {
	x.t.Helper()
	if got := x.frames(folder); got != want {
		x.t.Errorf("%s: frames %q, want %q", folder, got, want)
	}
}

// countReads counts the directories that are listed from now on.
func countReads(x *world) func() int64 {
	var n atomic.Int64
	x.onRead(func(string) error {
		n.Add(1)
		return nil
	})
	return n.Load
}
