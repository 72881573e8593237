package events

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/windows"
)

// One watch on the root reports what happens below it, when a directory above product folders ends,
// and that it is over once it is closed. Wine shows only what happens in the root itself.
func TestRootIsWatchedWhole(t *testing.T) {
	root, err := os.MkdirTemp("", "watched")
	if err != nil {
		t.Fatal(err)
	}
	at := func(below string) string { return filepath.Join(root, below) }
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	do(os.Mkdir(at("Summer"), 0o755))
	n, err := Open(root, true, slog.New(slog.DiscardHandler))
	do(err)
	n.Add("Summer", Above)
	n.Add("Summer/SKU-1", ActiveFolder)
	if !n.Has("Summer") || n.Has("Summer/SKU-1") || n.Complete() {
		t.Error("the end of a directory above product folders is not reported, or all that happens in one is")
	}
	hints, ended := make(chan Hints), make(chan struct{})
	go func() {
		n.Drain(t.Context(), hints)
		close(ended)
	}()
	until := func(below string, want Change) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		for got := Change(0); got&want != want; {
			select {
			case h := <-hints:
				if h.Lost != "" || h.From != n {
					t.Fatalf("reported %+v", h)
				}
				got |= h.Paths[below]
			case <-ctx.Done():
				t.Fatalf("of %s only %b is reported, not %b", below, got, want)
			}
		}
	}
	do(os.WriteFile(at("1.jpg.part"), []byte("a photo"), 0o644))
	until("1.jpg.part", Appeared|Altered)
	do(os.Rename(at("1.jpg.part"), at("1.jpg")))
	until("1.jpg", Appeared)
	do(os.Remove(at("1.jpg")))
	until("1.jpg", Gone)
	do(os.Rename(at("Summer"), at("Winter")))
	until("Summer", Gone|Unwatched)
	if n.Has("Summer") {
		t.Error("what is gone is still watched")
	}
	n.Close()
	<-ended
	for _, below := range []string{"Winter", "."} {
		do(os.Remove(at(below)))
	}
}

// A root may be named by a short name.
func TestRootWithAShortName(t *testing.T) {
	root, err := os.MkdirTemp("", "the shoots of our studio")
	if err != nil {
		t.Fatal(err)
	}
	path, err := windows.UTF16PtrFromString(root)
	if err != nil {
		t.Fatal(err)
	}
	var short [windows.MAX_PATH]uint16
	if _, err := windows.GetShortPathName(path, &short[0], windows.MAX_PATH); err != nil {
		t.Fatal(err)
	}
	named := windows.UTF16ToString(short[:])
	if !strings.Contains(filepath.Base(named), "~") {
		t.Skip("the drive has no short names")
	}
	n, err := Open(named, true, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	edited := filepath.Join(root, "1~edited.jpg")
	if err := os.WriteFile(edited, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := n.pathOf("1~edited.jpg"); got != "1~edited.jpg" {
		t.Errorf("its file is %s", got)
	}
	n.Close()
	for _, made := range []string{edited, root} {
		if err := os.Remove(made); err != nil {
			t.Error(err)
		}
	}
}

// Names are those of the directories, with slashes. A short name that leads to something is replaced
// by its long one, and any other stays.
func TestPathsOfEvents(t *testing.T) {
	root, err := os.MkdirTemp("", "watched")
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(root)
	n := &Watches{root: root}
	for name, want := range map[string]string{`Summer\SKU-1\1.jpg`: "Summer/SKU-1/1.jpg", `gone~1\1.jpg`: "gone~1/1.jpg"} {
		if got := n.pathOf(name); got != want {
			t.Errorf("%s is %s", name, got)
		}
	}
}
