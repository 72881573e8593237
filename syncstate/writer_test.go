package syncstate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// commits counts what was committed since the file was made.
func commits(t *testing.T, s *Store) (n int) {
	must(t, s.current.Load().db.View(func(tx *bolt.Tx) error { n = tx.ID(); return nil }))
	return n
}

func folder(i int) Folder { return Folder{Root: "/srv/shoots", Path: fmt.Sprintf("p/%05d", i)} }

func TestAChangeAloneIsSavedAtOnce(t *testing.T) {
	path := checkedPath(t)
	synctest.Test(t, func(t *testing.T) {
		s := opened(t, path)
		start, before := time.Now(), commits(t, s)
		set(t, s, shoe(), running(3))
		if waited := time.Since(start); waited > 0 {
			t.Errorf("it waited %v for company", waited)
		}
		if n := commits(t, s) - before; n != 1 {
			t.Errorf("%d commits, want 1", n)
		}
	})
}

func TestChangesThatWaitAreSavedTogether(t *testing.T) {
	path := checkedPath(t)
	synctest.Test(t, func(t *testing.T) {
		s := opened(t, path)
		before := commits(t, s)
		release := make(chan struct{})
		var all sync.WaitGroup
		for i := range 50 {
			all.Go(func() {
				err := s.Update(folder(i), func(r *Record) error {
					<-release
					r.Counts.Expected = i
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		close(release)
		all.Wait()
		if n := commits(t, s) - before; n != 1 {
			t.Errorf("%d commits, want 1", n)
		}
		for i := range 50 {
			wantRecord(t, s, folder(i), Record{Counts: FrameCounts{Expected: i}})
		}
	})
}

// Frames are acknowledged one after the other: what nothing waits for is saved at once after a
// rest, and else with what follows, at the end of the rest at the latest.
func TestPatientChangesWaitForCompany(t *testing.T) {
	path := checkedPath(t)
	synctest.Test(t, func(t *testing.T) {
		s := opened(t, path)
		set(t, s, shoe(), running(8))
		time.Sleep(companyTime)
		start, before := time.Now(), commits(t, s)
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				time.Sleep(time.Duration(i) * companyTime / 10)
				if err := s.MarkUploaded(shoe(), i, running(8).Run.Frames[i]); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if n, took := commits(t, s)-before, time.Since(start); n != 2 || took != companyTime {
			t.Errorf("%d commits after %v, want 2, the second after %v", n, took, companyTime)
		}

		start, before = time.Now(), commits(t, s)
		all.Go(func() {
			if err := s.UpdatePatiently(folder(1), func(r *Record) error { r.Shown.State = "y"; return nil }); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		set(t, s, folder(2), Record{Shown: Shown{State: "z"}})
		all.Wait()
		if n, took := commits(t, s)-before, time.Since(start); n != 1 || took > 0 {
			t.Errorf("beside a change that cannot wait: %d commits after %v, want 1 at once", n, took)
		}
		wantRecord(t, s, folder(1), Record{Shown: Shown{State: "y"}})
	})
}

// What cannot be stored is its caller's matter alone, whoever shares the transaction.
func TestANameThatIsTooLongHoldsUpNoOther(t *testing.T) {
	path := checkedPath(t)
	synctest.Test(t, func(t *testing.T) {
		s := opened(t, path)
		set(t, s, shoe(), running(1))
		long := Folder{Root: "/srv/shoots", Path: strings.Repeat("p", bolt.MaxKeySize)}
		var heard error
		var all sync.WaitGroup
		all.Go(func() { heard = s.UpdatePatiently(long, func(r *Record) error { r.Shown.State = "x"; return nil }) })
		synctest.Wait()
		set(t, s, folder(1), Record{Shown: Shown{State: "y"}})
		all.Wait()
		if heard == nil || !strings.Contains(heard.Error(), "too long") {
			t.Errorf("it ended with %v", heard)
		}
		wantRecord(t, s, folder(1), Record{Shown: Shown{State: "y"}})
	})
}

// A change that waited behind one that could not be stored fails too.
func TestAFailedStoreEndsAllChangesThatWaited(t *testing.T) {
	path := checkedPath(t)
	synctest.Test(t, func(t *testing.T) {
		s := opened(t, path)
		set(t, s, shoe(), running(1))
		unstorable := []mutation{{list: "notes", key: make([]byte, bolt.MaxKeySize+1), value: []byte("x")}}
		var heard [2]error
		var all sync.WaitGroup
		all.Go(func() {
			heard[0] = s.writePatiently(func(ledger) (edit, error) { return edit{store: unstorable}, nil })
		})
		synctest.Wait()
		all.Go(func() {
			heard[1] = s.UpdatePatiently(folder(1), func(r *Record) error { r.Shown.State = "y"; return nil })
		})
		all.Wait()
		for i, err := range heard {
			if !errors.Is(err, bolterrors.ErrKeyTooLarge) {
				t.Errorf("change %d ended with %v, want %v", i, err, bolterrors.ErrKeyTooLarge)
			}
		}
		wantRecord(t, s, folder(1), Record{})
	})
}

func TestNothingChangedIsNoCommit(t *testing.T) {
	s := opened(t, checkedPath(t))
	set(t, s, shoe(), finished(36))
	before := commits(t, s)
	must(t, s.Update(shoe(), func(*Record) error { return nil }))
	if n := commits(t, s) - before; n != 0 {
		t.Errorf("%d commits, want none", n)
	}
}

// An error or panic undoes one change and leaves alone those that are saved with it.
func TestAFailedChangeIsUndone(t *testing.T) {
	path := checkedPath(t)
	synctest.Test(t, func(t *testing.T) {
		s := opened(t, path)
		set(t, s, shoe(), running(2))
		release := make(chan struct{})
		wrong := errors.New("wrong")
		var all sync.WaitGroup
		all.Go(func() {
			err := s.Update(shoe(), func(r *Record) error { <-release; r.Shown.State = "x"; return wrong })
			if err != wrong {
				t.Errorf("error %v, want the closure's own", err)
			}
		})
		all.Go(func() {
			defer func() {
				if p := recover(); p != "a panic" {
					t.Errorf("recovered %v", p)
				}
			}()
			_ = s.Update(shoe(), func(r *Record) error { <-release; r.Shown.State = "y"; panic("a panic") })
		})
		all.Go(func() {
			if err := s.Update(folder(1), func(r *Record) error { <-release; r.Shown.State = "z"; return nil }); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		close(release)
		all.Wait()
		wantRecord(t, s, shoe(), running(2))
		wantRecord(t, s, folder(1), Record{Shown: Shown{State: "z"}})
	})
}

func TestMarkUploadedWritesOneSmallValue(t *testing.T) {
	s := opened(t, checkedPath(t))
	r := running(500)
	set(t, s, shoe(), r)
	db := s.current.Load().db
	before := db.Stats()
	frame := r.Run.Frames[250]
	frame.Digest = []byte("digest")
	must(t, s.MarkUploaded(shoe(), 250, frame))
	after := db.Stats()
	if written := after.TxStats.GetPageAlloc() - before.TxStats.GetPageAlloc(); written > 12*pageSize {
		t.Errorf("%d bytes of pages were written", written)
	}
	frame.Uploaded = true
	r.Run.Frames[250] = frame
	wantRecord(t, s, shoe(), r)
}

func TestMarkUploadedNeedsTheFrame(t *testing.T) {
	s := opened(t, checkedPath(t))
	set(t, s, shoe(), running(2))
	for folder, index := range map[Folder]int{shoe(): 2, folder(1): 0} {
		if err := s.MarkUploaded(folder, index, RunFrame{}); err == nil {
			t.Errorf("frame %d of %s was marked", index, folder)
		}
	}
	wantRecord(t, s, shoe(), running(2))
	wantRecord(t, s, folder(1), Record{})
}

func TestNamesThatNoKeyCanHold(t *testing.T) {
	s := opened(t, checkedPath(t))
	must(t, s.Update(shoe(), func(r *Record) error { r.Shown.State = "queued"; return nil }))
	long := Folder{Root: "/srv/shoots", Path: strings.Repeat("a/", bolt.MaxKeySize/2)}
	if err := s.Update(long, func(*Record) error { return nil }); err == nil {
		t.Error("a path of 32 KiB was recorded")
	}
	if err := s.Move(shoe(), long, nil); err == nil {
		t.Error("a record was moved to a path of 32 KiB")
	}
	if err := s.UpdateProject("", func(*ProjectRecord) error { return nil }); err == nil {
		t.Error("a project without title was recorded")
	}
	wantRecord(t, s, shoe(), Record{Shown: Shown{State: "queued"}})
}

// After a failed commit nothing is read or done until the file was opened again, and then what was
// saved is there.
func TestAFailedCommitStopsTheStore(t *testing.T) {
	s := opened(t, checkedPath(t))
	set(t, s, shoe(), running(2))
	s.current.Load().db.MaxSize = 1
	err := s.Update(folder(1), func(r *Record) error { *r = running(5000); return nil })
	if !errors.Is(err, ErrUnknown) {
		t.Fatalf("update: %v, want ErrUnknown", err)
	}
	for range s.Heads() {
		t.Error("heads were listed")
	}
	_, reading := s.Record(shoe())
	for _, err := range []error{reading, s.Err(), s.Delete(shoe()), s.MarkUploaded(shoe(), 0, RunFrame{})} {
		if !errors.Is(err, ErrUnknown) {
			t.Errorf("afterwards: %v, want ErrUnknown", err)
		}
	}
	must(t, s.Reopen())
	must(t, s.Err())
	wantRecord(t, s, shoe(), running(2))
	wantRecord(t, s, folder(1), Record{})
	set(t, s, folder(1), running(5000))
}

// OpenObserved lets a commit happen and its answer be lost, and lets it not happen.
func TestObservedCommits(t *testing.T) {
	lost := errors.New("lost")
	outcome := func(commit func() error) error { return commit() }
	s, err := OpenObserved(checkedPath(t), studio(), func(commit func() error) error { return outcome(commit) })
	must(t, err)
	defer s.Close()
	set(t, s, shoe(), Record{Shown: Shown{State: "queued"}})
	for _, test := range []struct {
		around func(func() error) error
		want   Record
	}{
		{func(func() error) error { return lost }, Record{Shown: Shown{State: "queued"}}},
		{func(commit func() error) error { return errors.Join(commit(), lost) }, Record{Shown: Shown{State: "uploading"}}},
	} {
		outcome = test.around
		err := s.Update(shoe(), func(r *Record) error { r.Shown.State = "uploading"; return nil })
		if !errors.Is(err, ErrUnknown) || !errors.Is(err, lost) {
			t.Errorf("error %v, want ErrUnknown", err)
		}
		must(t, s.Reopen())
		wantRecord(t, s, shoe(), test.want)
	}
}

func TestReopenMayFailAndBeTriedAgain(t *testing.T) {
	path := checkedPath(t)
	s := opened(t, path)
	set(t, s, shoe(), running(2))
	must(t, s.release(unknown(path, errors.New("no commit"))))
	must(t, os.Rename(path, path+".away"))
	if err := s.Reopen(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("reopen without the file: %v", err)
	}
	if _, err := s.Record(shoe()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("record without the file: %v", err)
	}
	must(t, os.Rename(path+".away", path))
	must(t, s.Reopen())
	wantRecord(t, s, shoe(), running(2))
}

// A file that was moved, or replaced by another one or by a copy, takes nothing any more: the next
// start would not find that. Put back, it goes on once it was opened again.
func TestAFileThatWasReplacedTakesNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file keeps its name")
	}
	path := checkedPath(t)
	s := opened(t, path)
	set(t, s, shoe(), running(2))
	for _, copied := range []bool{false, true} {
		text, err := os.ReadFile(path)
		must(t, err)
		must(t, os.Rename(path, path+".away"))
		if copied {
			must(t, os.WriteFile(path, text, 0o600))
		}
		if err := s.Delete(shoe()); !errors.Is(err, ErrReplaced) {
			t.Errorf("delete: %v, want ErrReplaced", err)
		}
		must(t, os.Rename(path+".away", path))
		must(t, s.Reopen())
		wantRecord(t, s, shoe(), running(2))
	}
}

// A reader that found the old file closed reads the one that was opened since.
func TestReadOfReopenedFile(t *testing.T) {
	s := opened(t, checkedPath(t))
	set(t, s, shoe(), running(2))
	old := s.current.Load()
	must(t, s.Reopen())
	read := false
	must(t, s.viewOf(old, func(ledger) error { read = true; return nil }))
	if !read {
		t.Error("nothing was read, and there was no error")
	}
}

// What is saved while Close is called is in the file, the rest gets an error.
func TestCloseUnderLoad(t *testing.T) {
	path := checkedPath(t)
	s := opened(t, path)
	errs := make([]error, 64)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() {
			errs[i] = s.Update(folder(i), func(r *Record) error { r.Shown.State = "queued"; return nil })
			for range s.Heads() {
				break
			}
		})
	}
	must(t, s.Close())
	all.Wait()
	s = opened(t, path)
	for i, err := range errs {
		switch {
		case err == nil:
			wantRecord(t, s, folder(i), Record{Shown: Shown{State: "queued"}})
		case errors.Is(err, os.ErrClosed):
			wantRecord(t, s, folder(i), Record{})
		default:
			t.Error(err)
		}
	}
}

func TestClosedStore(t *testing.T) {
	s := opened(t, checkedPath(t))
	must(t, s.Close())
	must(t, s.Close())
	_, err := s.Record(shoe())
	for _, err := range []error{err, s.Err(), s.Delete(shoe()), s.Reopen()} {
		if !errors.Is(err, os.ErrClosed) {
			t.Errorf("error %v, want os.ErrClosed", err)
		}
	}
}

// A list is longer than one transaction, and the folders on it may be changed in between. After a list
// was left in the middle the file can be closed at once.
func TestUpdateWhileListing(t *testing.T) {
	s := opened(t, checkedPath(t))
	s.current.Load().db.NoSync = true
	const n = 2*headsAtOnce + 1
	for i := range n {
		set(t, s, folder(i), Record{Counts: FrameCounts{Expected: i}})
	}
	i := 0
	for f, r := range s.Heads() {
		if f != folder(i) || r.Counts.Expected != i {
			t.Fatalf("head %d is %s with %d", i, f, r.Counts.Expected)
		}
		set(t, s, f, finished(3))
		i++
	}
	must(t, s.Err())
	if i != n {
		t.Errorf("%d heads, want %d", i, n)
	}
	for range s.Heads() {
		if i--; i < headsAtOnce {
			break // in the middle of its second part
		}
	}
	must(t, s.Close())
}

func TestReadersAndWritersAtOnce(t *testing.T) {
	s := opened(t, checkedPath(t))
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 20 {
				err := s.Update(folder(i), func(r *Record) error {
					if r.Counts.Expected != n {
						return fmt.Errorf("%d changes seen, want %d", r.Counts.Expected, n)
					}
					r.Counts.Expected++
					return nil
				})
				if err != nil {
					t.Error(err)
				}
				for f, head := range s.Heads() {
					if f == folder(i) && head.Counts.Expected != n+1 {
						t.Errorf("%d changes listed, want %d", head.Counts.Expected, n+1)
					}
				}
			}
		})
	}
	all.Wait()
}

func TestOtherRecords(t *testing.T) {
	path := checkedPath(t)
	s := opened(t, path)
	at := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
	root := RootRecord{Volume: "disk", Mounts: []Mount{{Dir: []byte("Summer/\xff"), Volume: "card"}}, Aside: [][]byte{[]byte("Summer/\xff")}, Known: true}
	must(t, s.UpdateProject("Summer", func(p *ProjectRecord) error {
		p.Intent = &Intent{Title: "Summer", At: at, Sent: true}
		return nil
	}))
	must(t, s.UpdateRoot("/srv/shoots", func(r *RootRecord) error { *r = root; return nil }))
	must(t, AllPaused.Set(s, noon))
	wrong := errors.New("wrong")
	err := s.UpdateRoot("/srv/shoots", func(r *RootRecord) error { r.Volume = "other"; return wrong })
	if err != wrong {
		t.Errorf("error %v, want the closure's own", err)
	}
	must(t, s.Close())

	s = opened(t, path)
	p, err := s.Project("Summer")
	if err != nil || p.Intent == nil || !p.Intent.At.Equal(at) {
		t.Errorf("project: %+v, %v", p, err)
	}
	if r, err := s.Root("/srv/shoots"); err != nil || !reflect.DeepEqual(r, root) {
		t.Errorf("root: %+v, %v", r, err)
	}
	if paused, err := AllPaused.Read(s); !paused.Equal(noon) || err != nil {
		t.Errorf("paused: %v, %v", paused, err)
	}
	must(t, AllPaused.Set(s, time.Time{}))
	if paused, err := AllPaused.Read(s); !paused.IsZero() || err != nil {
		t.Errorf("resumed: %v, %v", paused, err)
	}
}

// A value that is whole and makes no sense stops the store, for a list would be too short without it.
func TestAValueWithoutSenseStopsTheStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s := opened(t, path)
	set(t, s, shoe(), finished(2))
	must(t, s.write(func(ledger) (edit, error) {
		return edit{store: []mutation{{list: "folders", key: shoe().key(), value: []byte(`{"state":`)}}}, nil
	}))
	for f := range s.Heads() {
		t.Errorf("%s was listed", f)
	}
	if s.Err() == nil || AllPaused.Set(s, noon) == nil {
		t.Error("work goes on")
	}
}

// TestMemoryIsGivenBackUnderLoad: readers and writers do not notice, and a closed file has none.
func TestMemoryIsGivenBackUnderLoad(t *testing.T) {
	s := opened(t, checkedPath(t))
	for i := range 50 {
		set(t, s, folder(i), finished(36))
	}
	var users sync.WaitGroup
	for i := range 50 {
		users.Go(func() {
			before, reading := s.Record(folder(i))
			s.GiveMemoryBack()
			writing := s.Update(folder(i), func(r *Record) error { r.Counts.Settled = 7; return nil })
			before.Counts.Settled = 7
			after, err := s.Record(folder(i))
			if err := errors.Join(reading, writing, err); err != nil || !reflect.DeepEqual(before, after) {
				t.Errorf("%v became %v, %v", before, after, err)
			}
		})
	}
	users.Wait()
	must(t, s.Close())
	s.GiveMemoryBack()
}
