package processtest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"
)

// publishedStudio has two published folders and no program that runs.
func publishedStudio(t *testing.T, options ...func(*installation)) *studio {
	t.Helper()
	w := oneRoot(t, newRandom(t), "A", "B")
	w.installation = install(t, w.service.url, root{w.roots[0], `quiet = "200ms"`})
	for _, option := range options {
		option(w.installation)
	}
	w.shootEverywhere()
	w.publish()
	return w
}

// A state file that cannot be read is left as it is. The program names the mistake and the remedy,
// and asks nothing of the service.
func TestDamagedStateFile(t *testing.T) {
	t.Parallel()
	w := publishedStudio(t)
	sound, err := os.ReadFile(w.state)
	must(t, err)
	w.refuses("another file", bytes.Repeat([]byte("not a state file\n"), 1000), 2, "name another path in [state]")
	w.refuses("another version", otherVersion(t, sound), 1, "install that version")
	used := usedSize(t, sound)
	for _, size := range []int{0, 1, 100, 4095, 4096, 8192, 12288, used / 4, used / 2} {
		w.refuses(fmt.Sprintf("cut to %d bytes", size), sound[:size], 3, "spinsync rebuild")
	}
	for range repeats(20, 2000) {
		w.survivesGarbling(sound)
	}
	must(t, os.WriteFile(w.state, sound, 0o600))
	w.publish()
}

// refuses checks that no command works with this state file.
func (w *studio) refuses(name string, data []byte, exit int, remedy string) {
	w.t.Helper()
	must(w.t, os.WriteFile(w.state, data, 0o600))
	before := w.service.calls.Load()
	for _, command := range []string{"sync", "run", "export", "status", "retry"} {
		_, said, code := w.runFor(time.Minute, command)
		if code != exit || !strings.Contains(said, w.state) || !strings.Contains(said, remedy) {
			w.t.Errorf("%s: %s exits with %d and says %q", name, command, code, said)
		}
	}
	if after, err := os.ReadFile(w.state); err != nil || !bytes.Equal(after, data) {
		w.t.Errorf("%s: the file was changed (%v)", name, err)
	}
	if w.service.calls.Load() != before {
		w.t.Errorf("%s: the service was asked", name)
	}
}

// survivesGarbling overwrites a piece of the state file at random. It may lie where nothing is;
// else the file is refused, and rebuild makes a new one that knows what is published. Never is
// anything done twice, and never does the program crash.
func (w *studio) survivesGarbling(sound []byte) {
	w.t.Helper()
	garbled := slices.Clone(sound)
	at, size := w.random.IntN(len(garbled)-64), 1+w.random.IntN(64)
	for i := range size {
		garbled[at+i] = byte(w.random.Uint32())
	}
	must(w.t, os.WriteFile(w.state, garbled, 0o600))
	_, said, code := w.runFor(20*time.Second, "sync")
	if code != 0 && (code != 3 && code != 1 || !strings.Contains(said, "spinsync rebuild")) || strings.Contains(said, "panic") {
		w.t.Errorf("%d bytes garbled at %d: sync exits with %d and says %q", size, at, code, said)
	}
	if code == 3 {
		if out, said, code := w.runFor(20*time.Second, "rebuild"); code != 0 || !strings.Contains(said, ".kept-") {
			w.t.Errorf("%d bytes garbled at %d: rebuild exits with %d and says %q, %q", size, at, code, out, said)
		}
	}
	checkService(w.t, w.service, w.shoots)
}

// usedSize is where the pages of a state file end that hold anything: what stands behind them may
// be cut off without loss.
func usedSize(t *testing.T, sound []byte) (size int) {
	path := filepath.Join(t.TempDir(), "sound.db")
	must(t, os.WriteFile(path, sound, 0o600))
	db, err := bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true})
	must(t, err)
	must(t, db.View(func(tx *bolt.Tx) error { size = int(tx.Size()); return nil }))
	must(t, db.Close())
	return size
}

func otherVersion(t *testing.T, sound []byte) []byte {
	path := filepath.Join(t.TempDir(), "newer.db")
	must(t, os.WriteFile(path, sound, 0o600))
	db, err := bolt.Open(path, 0o600, nil)
	must(t, err)
	must(t, db.Update(func(tx *bolt.Tx) error { return tx.Bucket([]byte("meta")).Put([]byte("version"), []byte("1000")) }))
	must(t, db.Close())
	data, err := os.ReadFile(path)
	must(t, err)
	return data
}
