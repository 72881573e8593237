package syncstate

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"spinsync/syncstate/cluster"
	"spinsync/syncstate/cluster/clustertest"
)

func trees() map[string]string { return map[string]string{"/srv/shoots": "shoots"} }

// TestTakenRecordIsShared: what a station takes from the cluster it would write there again, whatever
// it knew itself. So it finds out which parts others have changed.
func TestTakenRecordIsShared(t *testing.T) {
	h := &share{trees: trees()}
	rapid.Check(t, func(t *rapid.T) {
		theirs, own := records().Draw(t, "theirs"), records().Draw(t, "own")
		theirs.Unread = nil // a station sends nothing in the place of what it cannot read
		sent, err := h.partOf(shoe(), theirs)
		must(t, err)
		shared, known, err := recordOf(sent)
		must(t, err)
		if known != (len(sent) > 0) {
			t.Fatalf("known: %t, with %d parts", known, len(sent))
		}
		taken := own.take(shared)
		if _, err := encode(taken); err != nil {
			t.Fatal(err)
		}
		again, err := h.partOf(shoe(), taken)
		must(t, err)
		if diff := cmp.Diff(sent, again, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("-sent +again\n%s", diff)
		}
	})
}

// TestRunAtAnotherStation: it tells from what the product showed before the finish whether that arrived.
func TestRunAtAnotherStation(t *testing.T) {
	before := &Progress{Revision: 3, Status: "finished"}
	for phase, want := range map[Phase]Run{
		FormWanted: {Phase: FormWanted},
		Finishing:  {Phase: Finishing, Seen: before},
		Processing: {Phase: Processing},
		Collecting: {Phase: Processing},
	} {
		if diff := cmp.Diff(&want, (&Run{Phase: phase, Seen: before}).shared()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", phase, diff)
		}
	}
}

// TestCreateAtAnotherStation: what may have made a product under another name is asked of a person there
// too, while its searches begin anew.
func TestCreateAtAnotherStation(t *testing.T) {
	want := &Intent{Title: "t", Sent: true, Refusals: 4, Answer: &Cause{Kind: "other answer"}, Detail: "POST"}
	has := *want
	has.Looks.N = 2
	if diff := cmp.Diff(want, has.shared()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A station of a test has a state file, a way to the cluster, and its part in the fleet.
type station struct {
	t      *testing.T
	name   string
	line   *clustertest.Line
	store  *Store
	copy   *Copy
	active *Store // nil at a standby
	epoch  *cluster.Epoch
	lease  *cluster.Lease
	failed bool // the next commit to the file
}

func newStation(t *testing.T, m *clustertest.Model, name string, seed uint64, loss float64) *station {
	s := &station{t: t, name: name, line: clustertest.NewLine(m, seed, loss, 5*time.Minute)}
	var err error
	s.store, err = OpenObserved(checkedPath(t), studio(), func(do func() error) error {
		if s.failed {
			s.failed = false
			return errors.New("the disk fails")
		}
		return do()
	})
	must(t, err)
	t.Cleanup(func() { must(t, s.store.Close()) })
	s.copy = s.store.Copy("id", trees(), func([]Folder) {})
	return s
}

// begin has the station be the active one. It reports whether it could.
func (s *station) begin() bool {
	ctx, cancel := context.WithTimeout(s.t.Context(), 5*time.Second)
	defer cancel()
	var err error
	if s.lease, err = cluster.NewLease(ctx, s.line, time.Minute); err != nil {
		return false
	}
	if s.epoch, err = cluster.Begin(ctx, s.line, s.lease, s.name); err != nil {
		return false
	}
	if s.catchUp(ctx) != nil {
		_ = s.epoch.End(ctx)
		return false
	}
	s.active = s.store.Sharing(trees(), s.epoch)
	return true
}

func (s *station) catchUp(ctx context.Context) error {
	if s.store.Err() != nil {
		must(s.t, s.store.Reopen())
	}
	_, err := cluster.CatchUp(ctx, s.line, s.copy)
	return err
}

// stop ends the epoch, or leaves it to its lease.
func (s *station) stop(released bool) {
	s.active.End()
	if released {
		ctx, cancel := context.WithTimeout(s.t.Context(), 5*time.Second)
		defer cancel()
		_ = s.epoch.End(ctx)
	}
	s.active = nil
}

// decided is all that the station would have the cluster know.
func (s *station) decided() parts {
	h, all := &share{trees: trees()}, parts{}
	for folder := range s.store.Heads() {
		r, err := s.store.Record(folder)
		must(s.t, err)
		part, err := h.partOf(folder, r)
		must(s.t, err)
		for key, value := range part {
			all[key] = value
		}
	}
	paused, err := AllPaused.Read(s.store)
	must(s.t, err)
	part, err := h.noteOf("notes", AllPaused.name, paused)
	must(s.t, err)
	for key, value := range part {
		all[key] = value
	}
	for _, title := range []string{"p0", "p1"} {
		p, err := s.store.Project(title)
		must(s.t, err)
		part, err := h.noteOf("projects", title, p)
		must(s.t, err)
		for key, value := range part {
			all[key] = value
		}
	}
	return all
}

// inCluster is what the cluster has of the lists of the state file.
func inCluster(t *testing.T, m *clustertest.Model) parts {
	all := parts{}
	entries, _, err := m.List(t.Context(), "")
	must(t, err)
	for _, e := range entries {
		if strings.Contains(e.Key, "/") || e.Key == keyPaused {
			all[e.Key] = e.Value
		}
	}
	return all
}

// TestStationsHaveTheSameRecords has three stations take turns over lines that lose answers and bring
// transactions late, while files fail and the cluster compacts. At the end each has what the cluster
// has, and each change that was reported as saved was made once.
func TestStationsHaveTheSameRecords(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { shareRecords(t, seed) })
		})
	}
}

func shareRecords(t *testing.T, seed uint64) {
	m, r := clustertest.NewModel(), rand.New(rand.NewPCG(seed, 1))
	var all []*station
	for i := range 3 {
		all = append(all, newStation(t, m, fmt.Sprint("station", i), seed*10+uint64(i), 0.1))
	}
	saved := map[Folder]int{} // how often a count of the folder was raised
	for range 12 {
		s := all[r.IntN(len(all))]
		if !s.begin() {
			time.Sleep(10 * time.Minute)
			continue
		}
		for range r.IntN(20) {
			s.failed = r.IntN(30) == 0
			if f, counted := s.change(r); counted {
				saved[f]++
			}
			if r.IntN(10) == 0 {
				m.Compact()
			}
			time.Sleep(time.Duration(r.Int64N(int64(5 * time.Second))))
			_ = s.lease.Renew(t.Context())
			select {
			case <-s.active.Over():
			default:
				continue
			}
			break
		}
		s.stop(r.IntN(2) == 0)
		time.Sleep(10 * time.Minute)
	}
	want := inCluster(t, m)
	for _, s := range all {
		s.failed = false
		must(t, s.catchUp(t.Context()))
		if diff := cmp.Diff(want, s.decided(), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-cluster +file):\n%s", s.name, diff)
		}
	}
	for f, n := range saved {
		head, err := all[0].store.Head(f)
		must(t, err)
		if head.Updates.Fields < n {
			t.Errorf("%s: %d changes were saved, and %d are there", f, n, head.Updates.Fields)
		}
	}
}

// change makes one change. It reports the folder whose count it surely raised.
func (s *station) change(r *rand.Rand) (f Folder, counted bool) {
	f = folder(r.IntN(4))
	switch r.IntN(6) {
	case 0:
		_ = AllPaused.Set(s.active, time.Unix(r.Int64N(3)*100, 0).UTC())
	case 1:
		_ = s.active.UpdateProject(fmt.Sprint("p", r.IntN(2)), func(p *ProjectRecord) error {
			p.UUID = strconv.Itoa(r.IntN(3))
			p.Intent = &Intent{Title: "t", Looks: Tries{N: r.IntN(3)}}
			return nil
		})
	case 2:
		_ = s.active.Update(f, func(rec *Record) error { rec.Counts.Settled++; return nil })
	default:
		err := s.active.Update(f, func(rec *Record) error {
			run := running(r.IntN(3))
			if rec.Updates.Fields++; r.IntN(3) > 0 {
				rec.Run, rec.Product = run.Run, run.Product
			} else {
				rec.Run = nil
			}
			return nil
		})
		return f, err == nil
	}
	return f, false
}

// epochOf begins an epoch of a station alone.
func activeStation(t *testing.T) (*clustertest.Model, *station) {
	m := clustertest.NewModel()
	s := newStation(t, m, "anna", 1, 0)
	if !s.begin() {
		t.Fatal("no epoch")
	}
	return m, s
}

// TestOnlyDecisionsGoThroughTheCluster: what concerns this computer alone costs no transaction.
func TestOnlyDecisionsGoThroughTheCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s := activeStation(t)
		transactions := func(change func(*Record)) uint64 {
			before, _ := s.epoch.Counter()
			must(t, s.active.Update(shoe(), func(r *Record) error { change(r); return nil }))
			after, _ := s.epoch.Counter()
			return after.N - before.N
		}
		for _, step := range []struct {
			what   string
			change func(*Record)
			want   uint64
		}{
			{"a folder is seen", func(r *Record) { r.Counts.Settled, r.Shown.State = 3, "collecting" }, 0},
			{"a run with a form", func(r *Record) { *r = running(3) }, 1},
			{"a frame that arrived", func(r *Record) { r.Run.Frames[0].Uploaded = true }, 0},
			{"another form", func(r *Record) { r.Run.Form.Policy = "another" }, 0},
			{"a finish", func(r *Record) { r.Run.Phase = Finishing }, 1},
			{"its answer", func(r *Record) { r.Run.Phase = Processing }, 1},
			{"a poll", func(r *Record) { r.Run.Seen = &Progress{Revision: 3, Status: "processing"} }, 0},
			{"a revision", func(r *Record) { r.Run.Phase = Collecting }, 0},
			{"a failure", func(r *Record) { r.Trouble = &Trouble{Kind: Retried, At: noon} }, 0},
		} {
			if n := transactions(step.change); n != step.want {
				t.Errorf("%s took %d transactions, want %d", step.what, n, step.want)
			}
		}
		must(t, s.active.UpdateRoot("/srv/shoots", func(r *RootRecord) error { r.Volume = "v"; return nil }))
		before, _ := s.epoch.Counter()
		must(t, s.active.UpdateRoot("/srv/shoots", func(r *RootRecord) error { r.Known = true; return nil }))
		if after, _ := s.epoch.Counter(); after.N != before.N+1 {
			t.Errorf("a root that is known took %d transactions", after.N-before.N)
		}
	})
}

// TestLostEpochRefusesWrites, and no read. So does a standby, but for what is its computer's own.
func TestLostEpochRefusesWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s := activeStation(t)
		set(t, s.active, shoe(), running(1))
		time.Sleep(2 * time.Minute)
		err := s.active.Update(shoe(), func(r *Record) error { r.Run = nil; return nil })
		if !errors.Is(err, ErrNotActive) {
			t.Errorf("a decision after the epoch: %v", err)
		}
		if err := s.active.MarkUploaded(shoe(), 0, RunFrame{}); !errors.Is(err, ErrNotActive) {
			t.Errorf("a frame after the epoch: %v", err)
		}
		wantRecord(t, s.active, shoe(), running(1))
		standby := s.store.Sharing(trees(), nil)
		if err := standby.Update(shoe(), func(r *Record) error { r.Run = nil; return nil }); !errors.Is(err, ErrNotActive) {
			t.Errorf("a decision of a standby: %v", err)
		}
		must(t, standby.UpdateRoot("/srv/shoots", func(r *RootRecord) error { r.Volume = "v"; return nil }))
		if s.active.Err() != nil {
			t.Error(s.active.Err())
		}
	})
}

// TestLargeRecordIsRefusedAlone: its neighbours of the same transaction are saved. Many of them take
// several transactions.
func TestLargeRecordIsRefusedAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s := activeStation(t)
		var errs [200]error
		done := make(chan struct{})
		for i := range errs {
			go func() {
				errs[i] = s.active.UpdatePatiently(folder(i), func(r *Record) error {
					r.Product.UUID, r.Product.Title = strconv.Itoa(i), strings.Repeat("x", 100_000)
					if i == 7 {
						r.Product.Title = strings.Repeat("x", 1_100_000)
					}
					return nil
				})
				done <- struct{}{}
			}()
		}
		for range errs {
			<-done
		}
		for i, err := range errs {
			if errors.Is(err, ErrTooLarge) != (i == 7) || err != nil && i != 7 {
				t.Errorf("%d: %v", i, err)
			}
		}
		if counter, _ := s.epoch.Counter(); counter.N < 5 {
			t.Errorf("%d transactions for 199 folders", counter.N)
		}
	})
}

// TestChangesOfOneFolderAtOnce: a transaction names a key once, or the cluster refuses it.
func TestChangesOfOneFolderAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, s := activeStation(t)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				must(t, s.active.UpdatePatiently(shoe(), func(r *Record) error { r.Updates.Fields++; return nil }))
			})
		}
		all.Wait()
		if diff := cmp.Diff(inCluster(t, m), s.decided()); diff != "" {
			t.Errorf("-cluster +file\n%s", diff)
		}
		if counter, _ := s.epoch.Counter(); counter.N > 10 {
			t.Errorf("20 changes took %d transactions", counter.N)
		}
	})
}

// TestDropForms: the form of an epoch serves in no other one, and counts as given up. That costs no
// transaction.
func TestDropForms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s := activeStation(t)
		set(t, s.active, shoe(), running(1))
		before, _ := s.epoch.Counter()
		must(t, s.active.DropForms())
		r, err := s.active.Head(shoe())
		must(t, err)
		if after, _ := s.epoch.Counter(); r.Run.Phase != FormWanted || r.Run.Form != nil || !r.Run.GivenUp || after.N != before.N {
			t.Errorf("%+v, %d transactions", r.Run, after.N-before.N)
		}
	})
}

// TestCopyOfAnotherCluster is refused, and a file with decisions of its own is known.
func TestCopyOfAnotherCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, s := activeStation(t)
		set(t, s.active, shoe(), running(1))
		other := s.store.Copy("another", trees(), func([]Folder) {})
		if _, err := cluster.CatchUp(t.Context(), m, other); !errors.Is(err, ErrOtherCluster) {
			t.Errorf("it is taken with %v", err)
		}
		has, err := s.store.HasDecisions(trees())
		id, errID := s.store.CopyOf()
		if !has || id != "id" || err != nil || errID != nil {
			t.Errorf("decisions: %t, of %q, %v, %v", has, id, err, errID)
		}
		must(t, s.store.Detach())
		if id, _ := s.store.CopyOf(); id != "" {
			t.Errorf("after it left it is of %q", id)
		}
	})
}

// TestRestoredClusterThatWentAsFar: a cluster with as many changes under the same revisions is another one.
func TestRestoredClusterThatWentAsFar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, anna := activeStation(t)
		bert := newStation(t, m, "bert", 2, 0)
		anna.stop(true)
		must(t, bert.catchUp(t.Context()))
		backup := m.Backup()
		for _, s := range []*station{anna, bert} {
			m.Restore(backup, 0)
			if !s.begin() {
				t.Fatal("no epoch")
			}
			set(t, s.active, shoe(), Record{Product: Product{UUID: s.name}})
			s.stop(true)
			must(t, s.catchUp(t.Context()))
		}
		must(t, anna.catchUp(t.Context()))
		if head, err := anna.store.Head(shoe()); err != nil || head.Product.UUID != "bert" {
			t.Errorf("anna has %+v, %v", head.Product, err)
		}
	})
}

// TestRestoredClusterThatGoesOnUnderACopy: one that follows does not take the change after as many others for
// the next of those that it knows.
func TestRestoredClusterThatGoesOnUnderACopy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, anna := activeStation(t)
		bert, carl := newStation(t, m, "bert", 2, 0), newStation(t, m, "carl", 3, 0)
		must(t, carl.catchUp(t.Context()))
		backup := m.Backup()
		set(t, anna.active, shoe(), Record{Product: Product{UUID: "lost"}})
		anna.stop(true)
		_, err := m.Commit(t.Context(), cluster.Transaction{Then: []cluster.Write{{Key: "seen/anna", Value: []byte("{}")}}})
		must(t, err)
		must(t, bert.catchUp(t.Context()))
		at, _ := bert.copy.At()
		followed := make(chan error, 1)
		go func() { followed <- cluster.Follow(t.Context(), m, bert.copy, at, func(cluster.Changes) {}) }()
		m.Restore(backup, 0)
		time.Sleep(2 * time.Minute) // anna's epoch in it
		if !carl.begin() {
			t.Fatal("no epoch")
		}
		set(t, carl.active, folder(1), Record{Product: Product{UUID: "as far"}})
		set(t, carl.active, folder(1), Record{Product: Product{UUID: "after"}})
		select {
		case err := <-followed:
			if !errors.Is(err, cluster.ErrRestored) {
				t.Errorf("it follows until %v", err)
			}
		case <-time.After(time.Minute):
			t.Error("it follows another cluster")
		}
	})
}

// TestExamine: a copy that is whole, or behind, is of the cluster that is there. One that is beyond what a
// restored cluster has is not.
func TestExamine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, anna := activeStation(t)
		bert := newStation(t, m, "bert", 2, 0)
		examine := func(what string, want error) {
			t.Helper()
			if err := cluster.Examine(t.Context(), m, bert.copy); !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", what, err, want)
			}
		}
		must(t, bert.catchUp(t.Context()))
		examine("whole", nil)
		backup := m.Backup()
		set(t, anna.active, shoe(), Record{Product: Product{UUID: "lost"}})
		examine("behind", nil)
		must(t, bert.catchUp(t.Context()))
		examine("whole again", nil)
		m.Restore(backup, 0)
		examine("beyond", cluster.ErrRestored)
	})
}

// TestRestoredClusterThatIsNotAsFar: a copy that is beyond all revisions of a cluster takes what it has, also
// where more was decided there.
func TestRestoredClusterThatIsNotAsFar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, anna := activeStation(t)
		for i := range 1100 {
			must(t, anna.active.UpdateRoot("/srv/shoots", func(r *RootRecord) error { r.Known = i%2 == 0; return nil }))
		}
		backup := m.Backup()
		set(t, anna.active, shoe(), Record{Product: Product{UUID: "lost"}})
		for range 100 { // revisions without a decision
			_, err := m.Commit(t.Context(), cluster.Transaction{Then: []cluster.Write{{Key: "seen/anna", Value: []byte("{}")}}})
			must(t, err)
		}
		bert, carl := newStation(t, m, "bert", 2, 0), newStation(t, m, "carl", 3, 0)
		must(t, bert.catchUp(t.Context()))
		m.Restore(backup, 0)
		time.Sleep(2 * time.Minute) // anna's epoch in it
		if !carl.begin() {
			t.Fatal("no epoch")
		}
		set(t, carl.active, folder(1), Record{Product: Product{UUID: "after"}})
		must(t, bert.catchUp(t.Context()))
		if diff := cmp.Diff(inCluster(t, m), bert.decided(), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("bert (-cluster +file):\n%s", diff)
		}
	})
}

// TestWhatIsGoneAfterALongAbsence: a station that takes all keeps no pause, project or folder that the others
// have removed since, and compares a root again that they do not know any more.
func TestWhatIsGoneAfterALongAbsence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, anna := activeStation(t)
		bert := newStation(t, m, "bert", 2, 0)
		decide := func(paused time.Time, project string, known bool) {
			t.Helper()
			must(t, AllPaused.Set(anna.active, paused))
			must(t, anna.active.UpdateProject("p", func(p *ProjectRecord) error { p.UUID = project; return nil }))
			must(t, anna.active.UpdateRoot(shoe().Root, func(r *RootRecord) error { r.Known = known; return nil }))
		}
		has := func() (paused, project, known, folder bool) {
			t.Helper()
			since, err := AllPaused.Read(bert.store)
			must(t, err)
			p, err := bert.store.Project("p")
			must(t, err)
			r, err := bert.store.Root(shoe().Root)
			must(t, err)
			head, err := bert.store.Head(shoe())
			must(t, err)
			return !since.IsZero(), p.UUID != "", r.Known, head.Updating
		}
		decide(noon, "p", true)
		set(t, anna.active, shoe(), Record{Updating: true})
		must(t, bert.catchUp(t.Context()))
		if paused, project, known, folder := has(); !paused || !project || !known || !folder {
			t.Fatalf("it has not taken all: %t, %t, %t, %t", paused, project, known, folder)
		}
		decide(time.Time{}, "", false)
		must(t, anna.active.Delete(shoe()))
		m.Compact()
		must(t, bert.catchUp(t.Context()))
		if paused, project, known, folder := has(); paused || project || known || folder {
			t.Errorf("paused %t, a project %t, known %t, a folder %t", paused, project, known, folder)
		}
	})
}

// TestTreesOfAStation: a station that watches a tree from now on, or at another path, has all of its
// records there, and none where it was.
func TestTreesOfAStation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, anna := activeStation(t)
		set(t, anna.active, shoe(), Record{Updating: true})
		bert := newStation(t, m, "bert", 2, 0)
		moved := Folder{Root: "/mnt/\xff", Path: shoe().Path}
		for _, step := range []struct {
			trees map[string]string
			want  []Folder
		}{
			{map[string]string{"/srv/other": "other"}, nil},
			{map[string]string{"/srv/other": "other", shoe().Root: "shoots"}, []Folder{shoe()}},
			{map[string]string{"/srv/other": "other", moved.Root: "shoots"}, []Folder{moved}},
			{map[string]string{"/srv/other": "other"}, nil},
		} {
			bert.copy = bert.store.Copy("id", step.trees, func([]Folder) {})
			must(t, bert.catchUp(t.Context()))
			if got := slices.Collect(allFolders(bert.store)); !slices.Equal(got, step.want) {
				t.Errorf("with %q it has %q", step.trees, got)
			}
			if revision, _ := bert.copy.At(); revision == 0 {
				t.Errorf("with %q it has taken nothing", step.trees)
			}
		}
	})
}

func allFolders(s *Store) iter.Seq[Folder] {
	return func(yield func(Folder) bool) {
		for folder := range s.Heads() {
			if !yield(folder) {
				return
			}
		}
	}
}

// TestUnreadableRecord sets its own folder aside. All others follow; what the cluster has stays until it
// is replaced.
func TestUnreadableRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, anna := activeStation(t)
		set(t, anna.active, shoe(), running(1))
		set(t, anna.active, folder(1), running(2))
		must(t, anna.active.UpdateProject("p", func(p *ProjectRecord) error { p.UUID = "p"; return nil }))
		bert := newStation(t, m, "bert", 2, 0)
		must(t, bert.catchUp(t.Context()))
		tree := trees()[shoe().Root]
		broken := []cluster.Write{
			{Key: keyRuns + tree + "/" + shoe().Path, Value: []byte("not packed")},
			{Key: keyProjects + "p", Value: []byte("{")}, {Key: keyPaused, Value: []byte("later")},
		}
		_, err := m.Commit(t.Context(), cluster.Transaction{Then: broken})
		must(t, err)
		set(t, anna.active, folder(1), running(3))
		for _, s := range []*station{bert, newStation(t, m, "carl", 3, 0)} {
			must(t, s.catchUp(t.Context()))
			aside, err := s.store.Record(shoe())
			must(t, err)
			other, err := s.store.Record(folder(1))
			must(t, err)
			if aside.Unread == nil || other.Unread != nil || other.Run == nil || len(other.Run.Frames) != len(running(3).shared().Run.Frames) {
				t.Errorf("%s has %+v and %+v", s.name, aside, other)
			}
			if p, err := s.store.Project("p"); err != nil || p.UUID != "" {
				t.Errorf("%s has the project %+v, %v", s.name, p, err)
			}
			if paused, err := AllPaused.Read(s.store); err != nil || paused.IsZero() {
				t.Errorf("%s is paused since %v, %v", s.name, paused, err)
			}
		}
		anna.stop(true)
		if !bert.begin() {
			t.Fatal("no epoch")
		}
		before := inCluster(t, m)
		must(t, bert.active.Update(shoe(), func(r *Record) error { r.Run = nil; r.Wishes.Priority = true; return nil }))
		if diff := cmp.Diff(before, inCluster(t, m)); diff != "" {
			t.Errorf("a folder that is set aside was changed in the cluster:\n%s", diff)
		}
		bert.stop(true)
		_, err = m.Commit(t.Context(), cluster.Transaction{Then: []cluster.Write{{Key: broken[0].Key}, {Key: keyFolders + tree + "/" + shoe().Path}}})
		must(t, err)
		if !anna.begin() {
			t.Fatal("no epoch")
		}
		set(t, anna.active, folder(1), running(2))
		must(t, bert.catchUp(t.Context()))
		if r, err := bert.store.Record(shoe()); err != nil || r.Unread != nil || r.Run != nil {
			t.Errorf("after its removal bert has %+v, %v", r, err)
		}
	})
}

// TestRecordThatCanBeReadAgain: a version that can read what the one before could not has the folder again.
func TestRecordThatCanBeReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, want := newStation(t, nil, "anna", 1, 0), finished(2)
		sent, err := (&share{trees: trees()}).partOf(shoe(), want)
		must(t, err)
		broken := map[string][]byte{keyFolders: []byte("{")}
		set(t, s.store, shoe(), Record{Unread: sent.byLists()})
		set(t, s.store, folder(1), Record{Unread: broken})
		must(t, s.copy.ReadAgain())
		wantRecord(t, s.store, shoe(), want.shared())
		wantRecord(t, s.store, folder(1), Record{Unread: broken})
	})
}

// TestOwnChangesStayAsTheyAre: a station that follows takes none of its own changes again, which were
// of records that it knows more of.
func TestOwnChangesStayAsTheyAre(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s := activeStation(t)
		set(t, s.active, shoe(), Record{Updating: true})
		set(t, s.active, shoe(), running(1))
		has, changed := s.epoch.Counter()
		for range 2 {
			if revision, counter := s.copy.At(); revision != changed || counter != has {
				t.Errorf("the file is at revision %d with %+v, want %d with %+v", revision, counter, changed, has)
			}
			_, err := cluster.CatchUp(t.Context(), s.line, s.copy)
			must(t, err)
			wantRecord(t, s.store, shoe(), running(1))
		}
	})
}

// A busyLine has its station decide while each read is on its way.
type busyLine struct {
	cluster.Cluster
	decide func()
}

func (b busyLine) Read(ctx context.Context, key string) (cluster.Entry, error) {
	e, err := b.Cluster.Read(ctx, key)
	b.decide()
	return e, err
}

// TestFollowingWhileItDecides: a station that decides while it catches up knows no more than the cluster.
func TestFollowingWhileItDecides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s := activeStation(t)
		set(t, s.active, shoe(), Record{Updating: true})
		busy := busyLine{s.line, func() { set(t, s.active, shoe(), running(1)) }}
		if _, err := cluster.CatchUp(t.Context(), busy, s.copy); err != nil {
			t.Error(err)
		}
	})
}

func (b busyLine) List(ctx context.Context, prefix string) ([]cluster.Entry, int64, error) {
	all, revision, err := b.Cluster.List(ctx, prefix)
	b.decide()
	return all, revision, err
}

// TestTakingAllWhileItDecides: a station that decides while it takes all that the cluster has goes back to no
// earlier record.
func TestTakingAllWhileItDecides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, s := activeStation(t)
		set(t, s.active, shoe(), Record{Updating: true})
		_, err := m.Commit(t.Context(), cluster.Transaction{Then: []cluster.Write{{Key: "seen/bert", Value: []byte("{}")}}})
		must(t, err)
		m.Compact()
		decided := 0
		busy := busyLine{s.line, func() {
			decided++
			set(t, s.active, shoe(), running(decided))
		}}
		_, err = cluster.CatchUp(t.Context(), busy, s.copy)
		must(t, err)
		wantRecord(t, s.store, shoe(), running(decided))
	})
}

// TestFailedFileEndsTheEpoch: the cluster may have a change that the file has not.
func TestFailedFileEndsTheEpoch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s := activeStation(t)
		s.failed = true
		if err := s.active.Update(shoe(), func(r *Record) error { *r = running(1); return nil }); !errors.Is(err, ErrUnknown) {
			t.Errorf("the change ends with %v", err)
		}
		select {
		case <-s.active.Over():
		default:
			t.Error("the epoch goes on")
		}
		must(t, s.catchUp(t.Context()))
		if head, err := s.store.Head(shoe()); err != nil || head.Product.UUID == "" {
			t.Errorf("the file lacks what the cluster took: %+v, %v", head, err)
		}
	})
}

// TestRestoredCluster: a station that knows changes which a restored cluster lacks ends the epoch there, and
// takes what the cluster has. One that comes later takes it too, also where revisions and numbers have
// come back.
func TestRestoredCluster(t *testing.T) {
	for _, raise := range []int64{0, 1000} {
		synctest.Test(t, func(t *testing.T) {
			m := clustertest.NewModel()
			anna, bert, carl := newStation(t, m, "anna", 1, 0), newStation(t, m, "bert", 2, 0), newStation(t, m, "carl", 3, 0)
			ctx := t.Context()
			work := func(s *station, changes int, uuid string) {
				t.Helper()
				if !s.begin() {
					t.Fatal("no epoch")
				}
				for i := range changes {
					must(t, s.active.Update(folder(i%3), func(r *Record) error {
						r.Product.UUID, r.Updates.Fields = uuid, r.Updates.Fields+1
						return nil
					}))
				}
				s.stop(true)
			}
			work(anna, 5, "first")
			must(t, carl.catchUp(ctx))
			backup := m.Backup()
			work(anna, 5, "lost")
			must(t, bert.catchUp(ctx))
			m.Restore(backup, raise)
			if !carl.begin() {
				t.Fatal("no epoch after the restore")
			}
			must(t, bert.catchUp(ctx))
			if diff := cmp.Diff(inCluster(t, m), bert.decided(), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("raised by %d: bert keeps what the cluster has not (-cluster +file):\n%s", raise, diff)
			}
			if err := carl.active.Update(folder(0), func(r *Record) error { r.Updates.Fields++; return nil }); !errors.Is(err, ErrNotActive) {
				t.Errorf("raised by %d: an epoch goes on beside a station that knew more: %v", raise, err)
			}
			carl.stop(false)
			time.Sleep(10 * time.Minute)
			work(carl, 9, "after")
			for _, s := range []*station{anna, bert} {
				must(t, s.catchUp(ctx))
				if diff := cmp.Diff(inCluster(t, m), s.decided(), cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("raised by %d, %s (-cluster +file):\n%s", raise, s.name, diff)
				}
			}
		})
	}
}
