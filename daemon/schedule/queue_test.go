package schedule

import (
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"spinsync/syncstate"
)

var noon = time.Date(2027, 1, 2, 12, 0, 0, 0, time.UTC)

func folderOf(root, path string) syncstate.Folder { return syncstate.Folder{Root: root, Path: path} }

// TestWaitsIgnoreTheClockOnTheWall: a wait until a recorded time goes on as it began when the clock
// is set during the wait.
func TestWaitsIgnoreTheClockOnTheWall(t *testing.T) {
	q := NewQueue(nil)
	key := folderOf("studio", "a")
	q.AddAt(key, time.Now().Add(time.Hour).Round(0), New)
	if due := q.places[key].due.String(); !strings.Contains(due, "m=+") {
		t.Errorf("the folder waits until %s on the wall", due)
	}
}

// TestWhoIsTakenFirst: a worker takes first the folder that a person wants first, then what a
// camera writes, then begun uploads, then new folders, then those that failed before. A root whose
// workers are all busy hides no other.
func TestWhoIsTakenFirst(t *testing.T) {
	q := NewQueue(new(Priorities))
	shot := map[string][]string{}
	add := func(root, name string) {
		key := folderOf(root, name)
		q.priorities.Set(key, strings.HasSuffix(name, "first"))
		if strings.HasSuffix(name, "shot") {
			shot[root] = append(shot[root], name)
		}
		kind, _, _ := strings.Cut(name, " ")
		class, known := map[string]Class{"again": Retry, "sent": Begun}[kind]
		if !known {
			class = New
		}
		q.Add(key, class)
	}
	for _, name := range []string{"new", "again", "first", "sent", "shot", "again shot", "late first", "sent as well"} {
		add("studio", name)
	}
	add("elsewhere", "shot")
	q.SetShooting(shot)
	take := func(free ...string) string {
		key, _ := q.Take(time.Now(), func(root string, _ Class) bool { return slices.Contains(free, root) })
		return path.Join(key.Root, key.Path)
	}
	if got := take(); got != "" {
		t.Errorf("without a free worker %s is taken", got)
	}
	if got := take("elsewhere"); got != "elsewhere/shot" {
		t.Errorf("while the workers of studio are busy %q is taken", got)
	}
	for _, want := range []string{"first", "late first", "shot", "again shot", "sent", "sent as well", "new", "again"} {
		if got := take("studio", "elsewhere"); got != "studio/"+want {
			t.Errorf("%q is taken, want %q", got, want)
		}
	}
	if got := take("studio", "elsewhere"); got != "" {
		t.Errorf("%q is taken twice", got)
	}
}

// TestFoldersKeepTheirNumber: a folder that a camera stops writing stands again where it stood
// before.
func TestFoldersKeepTheirNumber(t *testing.T) {
	q := NewQueue(new(Priorities))
	for _, name := range []string{"a", "b", "c"} {
		q.Add(folderOf("studio", name), New)
	}
	q.SetShooting(map[string][]string{"studio": {"c"}})
	q.SetShooting(nil)
	q.priorities.Set(folderOf("studio", "b"), true)
	q.Reconsider(folderOf("studio", "b"))
	if got := takeAll(q); got != "b a c " {
		t.Errorf("taken: %s", got)
	}
}

// takeAll takes what stands in line, with workers for all of it.
func takeAll(q *Queue) (taken string) {
	for {
		key, ok := q.Take(noon, func(string, Class) bool { return true })
		if !ok {
			return taken
		}
		taken += key.Path + " "
	}
}

// TestNewWorkGoesOn: while thousands wait for the service, each fourth free worker takes a new
// folder.
func TestNewWorkGoesOn(t *testing.T) {
	q := NewQueue(nil)
	for i := range 12 {
		q.Add(folderOf("studio", "sent"+strings.Repeat("+", i)), Begun)
	}
	q.Add(folderOf("studio", "new"), New)
	q.Add(folderOf("studio", "new too"), New)
	taken := ""
	for range 10 {
		key, _ := q.Take(noon, func(string, Class) bool { return true })
		taken += key.Path[:1]
	}
	if want := "sssnsssnss"; taken != want {
		t.Errorf("taken: %s, want %s", taken, want)
	}
}

// TestWaitsEndAtOnce: what waits for a time stands in line at once.
func TestWaitsEndAtOnce(t *testing.T) {
	q := NewQueue(nil)
	q.AddAt(folderOf("studio", "waits"), noon.Add(time.Hour), Retry)
	q.Add(folderOf("studio", "stands"), New)
	q.EndWaits()
	if got := takeAll(q); got != "stands waits " {
		t.Errorf("taken: %s", got)
	}
}

// TestWaitsEndInTheLine: a folder is taken when its time has come, and not before. Drop ends a
// wait, and leaves a folder that stands in line.
func TestWaitsEndInTheLine(t *testing.T) {
	q, now := NewQueue(nil), time.Now()
	many := func(string, Class) bool { return true }
	if until := q.UntilDue(now); until != time.Hour {
		t.Errorf("nothing waits, and the next is due after %s", until)
	}
	waits, dropped, stands := folderOf("studio", "waits"), folderOf("studio", "dropped"), folderOf("studio", "stands")
	q.AddAt(waits, now.Add(time.Minute), New)
	q.AddAt(dropped, now.Add(time.Second), New)
	q.Add(stands, New)
	q.Drop(dropped)
	q.Drop(stands)
	if until := q.UntilDue(now).Round(time.Second); until != time.Minute {
		t.Errorf("the next is due after %s", until)
	}
	for _, step := range []struct {
		after time.Duration
		takes string
	}{{0, "stands"}, {time.Minute - time.Second, ""}, {time.Minute + time.Second, "waits"}, {time.Hour, ""}} {
		if key, _ := q.Take(now.Add(step.after), many); key.Path != step.takes {
			t.Errorf("after %s %q is taken, want %q", step.after, key.Path, step.takes)
		}
	}
}

// TestQueueLosesNothing: whatever happens to folders, each that was added and not taken out is
// taken once, in the order of classes.
func TestQueueLosesNothing(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	q := NewQueue(new(Priorities))
	in := map[string]bool{}
	for range 2000 {
		name := string(rune('a' + random.IntN(20)))
		key := folderOf("studio", name)
		switch random.IntN(6) {
		case 0, 1:
			q.Add(key, Class(int(Begun)+random.IntN(3)))
			in[name] = true
		case 2:
			q.AddAt(key, noon.Add(time.Hour), New)
			in[name] = true
		case 3:
			q.Remove(key)
			delete(in, name)
		case 4:
			q.priorities.Set(key, random.IntN(2) == 0)
			q.Reconsider(key)
		case 5:
			q.SetShooting(map[string][]string{"studio": {name}})
		}
	}
	q.EndWaits()
	last := Priority
	for {
		key, ok := q.Take(noon, func(string, Class) bool { return true })
		if !ok {
			break
		}
		if !in[key.Path] {
			t.Errorf("%s is taken twice, or was taken out before", key.Path)
		}
		delete(in, key.Path)
		class := q.classOf(key, Begun) // the others come by turns
		if class < last {
			t.Errorf("%s of class %d comes after class %d", key.Path, class, last)
		}
		last = class
	}
	if len(in) > 0 {
		t.Errorf("lost: %v", in)
	}
}
