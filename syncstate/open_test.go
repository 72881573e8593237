package syncstate

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	bolt "go.etcd.io/bbolt"
)

func TestOpenMakesAFileForItsOwnerOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "dir", "state.db")
	s := opened(t, path)
	info, err := os.Stat(path)
	must(t, err)
	if mode := info.Mode().Perm(); mode != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("mode %o, want 600", mode)
	}
	must(t, s.Close())
	entries, err := os.ReadDir(filepath.Dir(path))
	must(t, err)
	if len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

// A file that two processes make at the same moment is one file, and one of them has it.
func TestOpenTwiceAtOnce(t *testing.T) {
	path := checkedPath(t)
	type result struct {
		store *Store
		err   error
	}
	results := make(chan result)
	for range 4 {
		go func() {
			s, err := Open(path, studio())
			results <- result{s, err}
		}()
	}
	var store *Store
	for range 4 {
		switch r := <-results; {
		case r.err == nil && store == nil:
			store = r.store
		case !errors.Is(r.err, ErrLocked):
			t.Errorf("a second store: %v, %v", r.store, r.err)
		}
	}
	if store == nil {
		t.Fatal("nobody got the file")
	}
	set(t, store, shoe(), running(1))
	must(t, store.Close())
	wantRecord(t, opened(t, path), shoe(), running(1))
}

func TestOpenWaitsASecondForTheLock(t *testing.T) {
	path := checkedPath(t)
	synctest.Test(t, func(t *testing.T) {
		s := opened(t, path)
		_, err := Open(path, studio())
		if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), fmt.Sprintf("process %d", os.Getpid())) {
			t.Errorf("open again: %v", err)
		}
		if _, err := OpenReadOnly(path, studio()); !errors.Is(err, ErrLocked) {
			t.Errorf("open for reading: %v", err)
		}
		must(t, s.Close())
		opened(t, path)
	})
}

func TestReadersShareTheFile(t *testing.T) {
	path := checkedPath(t)
	synctest.Test(t, func(t *testing.T) {
		s := opened(t, path)
		set(t, s, shoe(), finished(3))
		must(t, s.Close())
		for range 2 {
			r, err := OpenReadOnly(path, studio())
			must(t, err)
			defer r.Close()
			wantRecord(t, r, shoe(), finished(3))
			if err := r.Delete(shoe()); err == nil || errors.Is(err, os.ErrClosed) {
				t.Errorf("delete: %v", err)
			}
		}
		if _, err := Open(path, studio()); !errors.Is(err, ErrLocked) {
			t.Errorf("open for writing: %v", err)
		}
	})
}

func TestReadOnlyMakesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	if _, err := OpenReadOnly(path, studio()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after it: %v", err)
	}
}

// Ids of one address or user are never seen by another.
func TestAccountsAreApart(t *testing.T) {
	path := checkedPath(t)
	s := opened(t, path)
	set(t, s, shoe(), running(2))
	must(t, s.UpdateProject("Summer", func(p *ProjectRecord) error { p.UUID = "project"; return nil }))
	must(t, AllPaused.Set(s, noon))
	must(t, s.Close())

	test, err := Open(path, Account{BaseURL: "https://test.example.com", Username: "studio"})
	must(t, err)
	wantRecord(t, test, shoe(), Record{})
	for folder := range test.Heads() {
		t.Errorf("%s is known to the other address", folder)
	}
	if p, err := test.Project("Summer"); err != nil || p.UUID != "" {
		t.Errorf("project: %v, %v", p, err)
	}
	must(t, test.Close())

	other, err := OpenReadOnly(path, Account{BaseURL: studio().BaseURL, Username: "guest"})
	must(t, err)
	wantRecord(t, other, shoe(), Record{})
	if paused, err := AllPaused.Read(other); !paused.IsZero() || err != nil {
		t.Errorf("paused: %v, %v", paused, err)
	}
	must(t, other.Close())
	again := running(2)
	again.Doubted = true
	again.Run.DropForm() // as TestAnotherAccountLeavesDoubt says
	wantRecord(t, opened(t, path), shoe(), again)
}

// sample is a state file that has seen changes, as bytes.
func sample(t *testing.T) []byte {
	path := checkedPath(t)
	s := opened(t, path)
	for i := range 20 {
		folder := Folder{Root: "/srv/shoots", Path: fmt.Sprint("p/", i)}
		set(t, s, folder, running(20))
		if i%3 > 0 {
			set(t, s, folder, finished(36))
		}
		if i%9 == 0 {
			must(t, s.Delete(folder))
		}
	}
	must(t, s.Close())
	data, err := os.ReadFile(path)
	must(t, err)
	return data
}

// refused makes sure that a file is not opened in any way, that the remedy is named, and that the file
// is left alone.
func refused(t *testing.T, data []byte, want error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.db")
	must(t, os.WriteFile(path, data, 0o600))
	_, forWriting := Open(path, studio())
	_, forReading := OpenReadOnly(path, studio())
	for _, err := range []error{forWriting, forReading, Check(path)} {
		if err == nil || want != nil && !errors.Is(err, want) || !strings.Contains(err.Error(), path) ||
			!strings.Contains(err.Error(), "spinsync rebuild") {
			t.Errorf("error %v, want %v", err, want)
		}
	}
	kept, err := os.ReadFile(path)
	must(t, err)
	if !bytes.Equal(kept, data) {
		t.Error("the file was changed")
	}
}

// overwritten is a state file with text over its first pages.
func overwritten(t *testing.T) []byte {
	path := filepath.Join(t.TempDir(), "state.db")
	s, err := Open(path, studio())
	must(t, err)
	recordAll(t, s, 100)
	must(t, s.Close())
	data, err := os.ReadFile(path)
	must(t, err)
	copy(data, bytes.Repeat([]byte("not a database\n"), 4*pageSize/15))
	return data
}

// TestPlaceThatMayComeYet: a directory without rights, or on a drive that is mounted later, is no mistake in
// sync.toml: a service that took it for one would stay ended. A file in the place of the directory is one.
func TestPlaceThatMayComeYet(t *testing.T) {
	dir := t.TempDir()
	drive, file := filepath.Join(dir, "drive"), filepath.Join(dir, "file")
	if err := os.Symlink(filepath.Join(dir, "away"), drive); err != nil {
		t.Skip(err)
	}
	must(t, os.WriteFile(file, nil, 0o600))
	_, unmounted := Open(filepath.Join(drive, "state.db"), studio())
	_, below := Open(filepath.Join(file, "state.db"), studio())
	for err, want := range map[error]bool{
		unmounted: false,
		below:     true,
		NoPlace(&fs.PathError{Op: "open", Path: dir, Err: syscall.EACCES}): false,
	} {
		if errors.Is(err, ErrPath) != want || !strings.HasSuffix(err.Error(), "name another path in [state]") {
			t.Errorf("error %v, as a mistake in sync.toml: %t", err, !want)
		}
	}
}

func TestOpenRefusesWhatIsNoStateFile(t *testing.T) {
	for name, data := range map[string][]byte{
		"text":            []byte("not a database"),
		"long text":       bytes.Repeat([]byte("not a database\n"), 4<<10),
		"another program": foreign(t),
		"one with meta":   foreign(t, "meta"), "one with accounts": foreign(t, "accounts"), "one with others": foreign(t, "other"),
	} {
		t.Run(name, func(t *testing.T) {
			refused(t, data, nil)
			path := filepath.Join(t.TempDir(), "state.db")
			must(t, os.WriteFile(path, data, 0o600))
			if err := Check(path); errors.Is(err, ErrDamaged) || !errors.Is(err, ErrPath) || !strings.Contains(err.Error(), "not a state file") {
				t.Errorf("error %v", err)
			}
		})
	}
	for name, data := range map[string][]byte{
		"empty": {}, "zeros": make([]byte, 64<<10), "overwritten at its start": overwritten(t),
	} {
		t.Run(name, func(t *testing.T) { refused(t, data, ErrDamaged) })
	}
	for version, want := range map[string]error{
		"": ErrDamaged, "one": ErrDamaged, strconv.Itoa(schema - 1): ErrSchema, strconv.Itoa(schema + 1): ErrSchema,
	} {
		t.Run("version "+version, func(t *testing.T) { refused(t, ofVersion(t, version), want) })
	}
}

// foreign is a database of another program with these buckets, as bytes.
func foreign(t *testing.T, buckets ...string) []byte {
	path := filepath.Join(t.TempDir(), "foreign.db")
	db, err := bolt.Open(path, 0o600, &bolt.Options{PageSize: pageSize})
	must(t, err)
	must(t, db.Update(func(tx *bolt.Tx) error {
		for _, name := range buckets {
			if _, err := tx.CreateBucket([]byte(name)); err != nil {
				return err
			}
		}
		return nil
	}))
	must(t, db.Close())
	data, err := os.ReadFile(path)
	must(t, err)
	return data
}

// ofVersion is a state file with this version in it.
func ofVersion(t *testing.T, version string) []byte {
	path := filepath.Join(t.TempDir(), "state.db")
	s := opened(t, path)
	set(t, s, shoe(), finished(3))
	must(t, s.current.Load().db.Update(func(tx *bolt.Tx) error {
		return tx.Bucket([]byte("meta")).Put([]byte("version"), []byte(version))
	}))
	must(t, s.Close())
	data, err := os.ReadFile(path)
	must(t, err)
	return data
}

func TestOpenRefusesADirectory(t *testing.T) {
	if _, err := Open(t.TempDir(), studio()); err == nil || errors.Is(err, ErrDamaged) {
		t.Errorf("error %v", err)
	}
}

func TestOpenRefusesACutFile(t *testing.T) {
	data := sample(t)
	const page = pageSize
	cuts := []int{1, 20, 80, page - 1, page, page + 80, 2*page - 1, 2 * page, 3 * page, 4*page - 1}
	for cut := 5 * page; cut < used(t, data); cut += 3*page/2 + 7 {
		cuts = append(cuts, cut)
	}
	for _, cut := range append(cuts, used(t, data)-1) {
		t.Run(fmt.Sprint(cut), func(t *testing.T) { refused(t, data[:cut], ErrDamaged) })
	}
}

// A new name is made durable, which Windows does by itself.
func TestSyncDirectory(t *testing.T) {
	dir := t.TempDir()
	must(t, syncDirectory(dir))
	if err := syncDirectory(filepath.Join(dir, "missing")); (err == nil) != (runtime.GOOS == "windows") {
		t.Error(err)
	}
}

// used is how much of a file is in use; bbolt makes files longer than that.
func used(t *testing.T, data []byte) int {
	path := filepath.Join(t.TempDir(), "state.db")
	must(t, os.WriteFile(path, data, 0o600))
	db, err := openSound(path, complete)
	must(t, err)
	defer db.Close()
	var size int64
	must(t, db.View(func(tx *bolt.Tx) error { size = tx.Size(); return nil }))
	return int(size)
}

// Whatever became of a page: Check finds it or it does no harm, nothing panics, and bbolt's own
// check finds nothing more.
func TestCheckSurvivesGarbledPages(t *testing.T) {
	data := sample(t)
	const size = pageSize
	end := used(t, data)
	path := filepath.Join(t.TempDir(), "state.db")
	const seed = 1
	random := rand.New(rand.NewPCG(seed, 0))
	found := 0
	for at := 0; at < end; at += size {
		for _, change := range []func(page []byte){
			func(page []byte) { clear(page) },
			func(page []byte) { clear(page[512:]) },
			func(page []byte) { copy(page, data[random.IntN(end/size)*size:]) },
			func(page []byte) { fill(page, random) },
			func(page []byte) { fill(page[:16], random) },
			func(page []byte) { page[10] ^= 1 },
			func(page []byte) { page[12+random.IntN(4)] ^= byte(1 + random.IntN(255)) },
			func(page []byte) { page[16+random.IntN(64)] ^= byte(1 + random.IntN(255)) },
			func(page []byte) { page[random.IntN(size)] ^= byte(1 + random.IntN(255)) },
		} {
			garbled := bytes.Clone(data)
			change(garbled[at : at+size])
			must(t, os.WriteFile(path, garbled, 0o600))
			switch err := Check(path); {
			case errors.Is(err, ErrDamaged):
				found++
			case err != nil && !errors.Is(err, ErrSchema):
				t.Errorf("seed %d, page %d: %v", seed, at/size, err)
			case err == nil:
				bboltAgrees(t, path)
			}
		}
	}
	if found == 0 {
		t.Error("no damage was found")
	}
}

// bboltAgrees fails when bbolt finds fault with a file.
func bboltAgrees(t *testing.T, path string) {
	t.Helper()
	db, err := bolt.Open(path, 0, &bolt.Options{ReadOnly: true, PageSize: pageSize})
	must(t, err)
	defer db.Close()
	must(t, db.View(func(tx *bolt.Tx) error {
		for fault := range tx.Check() {
			t.Errorf("bbolt finds: %v", fault)
		}
		return nil
	}))
}

func fill(b []byte, random *rand.Rand) {
	for i := range b {
		b[i] = byte(random.Uint32())
	}
}

// FuzzCheck writes bytes into a sound file: it is found, or does no harm. What is still read of a
// folder is all that was recorded of it at one time, or nothing.
func FuzzCheck(f *testing.F) {
	path := checkedPath(f)
	s := opened(f, path)
	other := Folder{Root: "/srv/shoots", Path: "other"}
	recordAll(f, s, 3)
	set(f, s, other, finished(40))
	must(f, s.Close())
	data, err := os.ReadFile(path)
	must(f, err)
	f.Add(uint16(0), []byte("not a database"))
	f.Add(uint16(3*pageSize+12), []byte{255, 255, 255, 255})
	f.Add(uint16(4*pageSize+16), bytes.Repeat([]byte{1, 0, 0, 0}, 16))
	f.Add(uint16(bytes.LastIndex(data, []byte(`"uuid":"product"`))+8), []byte("x"))
	fuzzed := filepath.Join(f.TempDir(), "fuzzed.db")
	f.Fuzz(func(t *testing.T, at uint16, patch []byte) {
		garbled := bytes.Clone(data)
		copy(garbled[min(int(at), len(garbled)):], patch)
		must(t, os.WriteFile(fuzzed, garbled, 0o600))
		switch err := Check(fuzzed); {
		case err == nil:
			bboltAgrees(t, fuzzed)
		case !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrSchema) && !strings.Contains(err.Error(), "not a state file"):
			t.Error(err)
		}
		readsWhatWasRecorded(t, fuzzed, map[Folder]Record{shoe(): all(3), other: finished(40)})
	})
}

func readsWhatWasRecorded(t *testing.T, path string, recorded map[Folder]Record) {
	t.Helper()
	s, err := OpenReadOnly(path, studio())
	if err != nil {
		return
	}
	defer s.Close()
	for folder, want := range recorded {
		got, err := s.Record(folder)
		if err == nil && !cmp.Equal(got, Record{}) && !cmp.Equal(got, want, cmpopts.EquateEmpty()) {
			t.Errorf("of %s it has (-want +got):\n%s", folder, cmp.Diff(want, got))
		}
	}
}

// TestRemedies: a person reads what helps against an error of the disk.
func TestRemedies(t *testing.T) {
	for cause, want := range map[error]string{
		syscall.ENOSPC: "make room", syscall.EROFS: "mount its disk for writing", syscall.EIO: "failing or gone", os.ErrNotExist: "",
	} {
		if got := remedy(fmt.Errorf("write: %w", cause)); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%v: %q, want %q", cause, got, want)
		}
	}
}
