package turntable_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/cmd/spinsync/demo/turntable"
)

var short = turntable.Shoot{Frames: 3, Glaze: turntable.Blue}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	return all
}

func TestCameraWritesAsACaptureProgramDoes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "Summer", "SKU-1")
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		done := make(chan error)
		go func() { done <- turntable.Camera(t.Context(), dir, short, 6*time.Second, nil) }()

		time.Sleep(4 * time.Second)
		if diff := cmp.Diff([]string{"frame_01.jpg"}, names(t, dir)); diff != "" {
			t.Errorf("4 s after the first shutter (-want +got):\n%s", diff)
		}
		time.Sleep(4 * time.Second)
		if diff := cmp.Diff([]string{"frame_01.jpg", "frame_02.jpg.tmp"}, names(t, dir)); diff != "" {
			t.Errorf("2 s after the second shutter (-want +got):\n%s", diff)
		}
		partial := fileSize(t, filepath.Join(dir, "frame_02.jpg.tmp"))
		time.Sleep(2 * time.Second)
		if whole := fileSize(t, filepath.Join(dir, "frame_02.jpg")); partial == 0 || partial >= whole {
			t.Errorf("%d of %d bytes while it was written", partial, whole)
		}
		time.Sleep(3 * time.Second)
		want := []string{"alt.csv", "frame_01.jpg", "frame_01.jpg.txt", "frame_02.jpg", "frame_03.jpg.tmp"}
		if diff := cmp.Diff(want, names(t, dir)); diff != "" {
			t.Errorf("before the last frame (-want +got):\n%s", diff)
		}
		if err := <-done; err != nil || time.Since(start) != 15*time.Second {
			t.Errorf("ended with %v after %v, want 15s", err, time.Since(start))
		}
	})
	assertTable(t, dir)
}

// assertTable checks that the table names the frames that carry no XMP.
func assertTable(t *testing.T, dir string) {
	t.Helper()
	file, err := os.Open(filepath.Join(dir, "alt.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var got [][]string
	for _, row := range rows {
		got = append(got, row[:2])
	}
	want := [][]string{
		{"file", "locale"},
		{"frame_02.jpg", "en"}, {"frame_02.jpg", "de"}, {"frame_03.jpg", "en"}, {"frame_03.jpg", "de"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("alt.csv (-want +got):\n%s", diff)
	}
}

func fileSize(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func TestReshootReplacesOnlyTheNamedFrames(t *testing.T) {
	dir := t.TempDir()
	quarters := turntable.Shoot{Frames: 4, Glaze: turntable.Blue}
	if err := turntable.Camera(t.Context(), dir, quarters, 0, nil); err != nil {
		t.Fatal(err)
	}
	before := contents(t, dir)
	again := turntable.Shoot{Frames: 4, Glaze: turntable.Green}
	if err := turntable.Camera(t.Context(), dir, again, 0, []int{1}); err != nil {
		t.Fatal(err)
	}
	var changed []string
	for name, content := range contents(t, dir) {
		if !bytes.Equal(content, before[name]) {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	if diff := cmp.Diff([]string{"frame_02.jpg"}, changed); diff != "" {
		t.Errorf("changed files (-want +got):\n%s", diff)
	}
}

func contents(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, name := range names(t, dir) {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		all[name] = content
	}
	return all
}

func TestCancelledCameraLeavesNoTemporaryFile(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
		defer cancel()
		err := turntable.Camera(ctx, dir, short, 6*time.Second, nil)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want the context's", err)
		}
	})
	if diff := cmp.Diff([]string{"frame_01.jpg"}, names(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}
