package daemon

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/publish"
	"spinsync/daemon/reading"
	"spinsync/syncstate"
)

// TestStateFileThatFailsAgainAndAgain ends the daemon, unless the disk is full: somebody
// may make room at any time.
func TestStateFileThatFailsAgainAndAgain(t *testing.T) {
	for _, test := range []struct {
		cause error
		ends  bool
	}{
		{syscall.ENOSPC, false},
		{syscall.EIO, true},
		{fmt.Errorf("%w", syncstate.ErrDamaged), true},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := DaemonOf(publish.Publisher{Records: publish.NewRecords(plantest.Store(t))})
			var err error
			for range 3 * reopenTries {
				if err = d.reopener.reopen(t.Context(), publish.StateFailure{Err: test.cause}); err != nil {
					break
				}
			}
			if ends := errors.Is(err, test.cause); ends != test.ends {
				t.Errorf("after %v again and again: %v", test.cause, err)
			}
			if told := d.unsaved(); told != "" {
				t.Errorf("after %v the status tells %q", test.cause, told)
			}
		})
	}
}

// TestReplacedStateFileEndsTheDaemon at the next change: what it would record then is in no file that
// the next start finds. The file in its place stays as it is.
func TestReplacedStateFileEndsTheDaemon(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file keeps its name")
	}
	synctest.Test(t, func(t *testing.T) {
		store := plantest.Store(t)
		d := DaemonOf(publish.Publisher{Records: publish.NewRecords(store)})
		if err := os.Rename(store.Path(), store.Path()+".away"); err != nil {
			t.Fatal(err)
		}
		err := d.Do(Pause, syncstate.Folder{})
		if _, made := os.Stat(store.Path()); !errors.Is(err, syncstate.ErrReplaced) || !errors.Is(made, fs.ErrNotExist) {
			t.Errorf("without the file a verb ends with %v, and then it is there: %v", err, made == nil)
		}
		other, err := syncstate.Open(store.Path(), syncstate.Account{Username: "other"})
		if err == nil {
			err = other.Close()
		}
		before, failed := os.ReadFile(store.Path())
		if err := errors.Join(err, failed); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		if err := d.reopener.reopen(t.Context(), <-d.records.Fatal); !errors.Is(err, syncstate.ErrReplaced) || time.Since(begun) > 0 {
			t.Errorf("with another file in its place the daemon goes on after %s, %v", time.Since(begun), err)
		}
		if now, err := os.ReadFile(store.Path()); err != nil || !bytes.Equal(now, before) {
			t.Errorf("the other file was written to, %v", err)
		}
	})
}

// TestFullDiskInWords: the status names the full disk and the remedy.
func TestFullDiskInWords(t *testing.T) {
	records := publish.NewRecords(plantest.Store(t))
	failure := publish.StateFailure{Err: fmt.Errorf("a commit: %w", syscall.ENOSPC)}
	want := "the disk with the state file " + records.Store.Path() + " is full; make room on it, and spinsync goes on by itself"
	if said := records.InWords(failure); said != want {
		t.Errorf("said %q", said)
	}
}

// TestPauseAfterALostAnswer: a pause, or the end of one, that was saved although that failed for
// all anybody knew, holds once the state file was opened again.
func TestPauseAfterALostAnswer(t *testing.T) {
	key := syncstate.Folder{Root: "/shoots", Path: "SKU-1"}
	for _, test := range []struct {
		named       syncstate.Folder
		before, now bool
	}{
		{key, false, true},
		{key, true, false},
		{syncstate.Folder{}, false, true},
		{syncstate.Folder{}, true, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			var lost, err error
			store := plantest.ObservedStore(t, func(commit func() error) error { return errors.Join(commit(), lost) })
			f := &folder{key: key, root: &reading.Root{}}
			d := DaemonOf(publish.Publisher{Records: publish.NewRecords(store)})
			d.board.folders.all[key] = f
			if test.before {
				if test.named == key {
					f.paused = plantest.Noon
				} else {
					d.board.folders.paused = plantest.Noon
				}
				err = errors.Join(
					store.Update(key, func(r *syncstate.Record) error { r.Wishes.Paused = f.paused; return nil }),
					syncstate.AllPaused.Set(store, d.board.folders.paused),
				)
			}
			if err != nil {
				t.Fatal(err)
			}
			lost = syscall.EIO
			verb := Resume
			if test.now {
				verb = Pause
			}
			if err := d.Do(verb, test.named); !errors.Is(err, syncstate.ErrUnknown) {
				t.Fatalf("the verb ended with %v", err)
			}
			lost = nil
			shown := d.Changed()
			if err := d.reopener.reopen(t.Context(), publish.StateFailure{Err: syncstate.ErrUnknown}); err != nil {
				t.Fatal(err)
			}
			if got := d.board.IsPaused(key); got != test.now {
				t.Errorf("%v paused %t: %t", test.named, test.now, got)
			}
			select {
			case <-shown:
			default:
				t.Error("those who watch the status hear nothing of it")
			}
		})
	}
}
