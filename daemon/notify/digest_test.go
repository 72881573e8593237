package notify

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/daemon"
	"spinsync/syncstate"
	"spinsync/watcher"
)

var noon = time.Date(2027, 1, 2, 12, 0, 0, 0, time.UTC)

// A look is the status of one folder at one time, and how many messages about it follow.
type look struct {
	state  daemon.State
	reason string
	live   int // minutes after noon of the newest publication; 0 for none
	told   string
}

func TestEachThingIsToldOnce(t *testing.T) {
	for name, looks := range map[string][]look{
		"published": {
			{state: daemon.Uploading}, {state: daemon.Processing}, {state: daemon.Published, live: 1, told: "Teapot is live"}, {state: daemon.Published, live: 1},
			{state: daemon.Collecting, live: 1}, {state: daemon.Published, live: 9, told: "Teapot is live"},
		},
		"published twice between two looks":     {{state: daemon.Collecting}, {state: daemon.Published, live: 2, told: "Teapot is live"}},
		"published, and already shot once more": {{state: daemon.Collecting}, {state: daemon.Collecting, live: 1, told: "Teapot is live"}},
		"trouble that comes and goes": {
			{state: daemon.Attention, reason: "too few frames", told: "Teapot needs a person: too few frames"}, {state: daemon.Retrying, reason: "x"},
			{state: daemon.Attention, reason: "too few frames"}, {state: daemon.Attention, reason: "no right", told: "Teapot needs a person: no right"},
		},
		"trouble again after it was mended": {
			{state: daemon.Attention, reason: "too few frames", told: "Teapot needs a person: too few frames"},
			{state: daemon.Published, live: 1, told: "Teapot is live"},
			{state: daemon.Attention, reason: "too few frames", live: 1, told: "Teapot needs a person: too few frames"},
		},
		"what passes by itself": {{state: daemon.Retrying, reason: "no answer"}, {state: daemon.Queued}, {state: daemon.Paused}},
		"a name with lines":     {{state: daemon.Attention, reason: "a\nb\x1b[2Jc", told: "Teapot needs a person: a b [2Jc"}},
	} {
		known := memory{}
		for i, l := range looks {
			p := daemon.ProductStatus{Root: "/shoots", Folder: "Summer/1", Title: "Teapot", State: l.state, Reason: l.reason}
			if l.live > 0 {
				at := noon.Add(time.Duration(l.live) * time.Minute)
				p.PublishedAt = &at
			}
			var news Digest
			news, known = known.compare(daemon.Status{Products: []daemon.ProductStatus{p}}, noon)
			if news.Text != l.told || news.empty() != (l.told == "") {
				t.Errorf("%s, look %d: told %q, want %q", name, i, news.Text, l.told)
			}
		}
	}
}

// A view that was found on the service is nothing that went live, however new the record of it is.
func TestFoundViewIsNoNews(t *testing.T) {
	p := daemon.ProductStatus{Root: "/shoots", Folder: "Summer/1", State: daemon.Published, PublishedAt: &noon, Found: true}
	news, known := memory{}.compare(daemon.Status{Products: []daemon.ProductStatus{p}}, noon)
	if !news.empty() {
		t.Errorf("told %q", news.Text)
	}
	p.Found, p.Revision = false, 1
	if news, _ := known.compare(daemon.Status{Products: []daemon.ProductStatus{p}}, noon); news.PublishedCount != 1 {
		t.Errorf("a new revision of it is told as %q", news.Text)
	}
}

// A drive is told of when it stays away, and again when it goes away once more.
func TestTroubleOfTheWhole(t *testing.T) {
	known := memory{}
	for i, l := range []struct {
		root watcher.RootStatus
		file string
		told string
	}{
		{root: watcher.RootStatus{Unread: true, Reason: "is being read", Since: noon.Add(-time.Hour)}},
		{root: watcher.RootStatus{Reason: "not there", Since: noon.Add(-time.Second)}},
		{root: watcher.RootStatus{Reason: "not there", Since: noon.Add(-time.Minute)}, told: "/shoots needs a person: not there"},
		{root: watcher.RootStatus{Reason: "not there", Since: noon.Add(-time.Hour)}},
		{root: watcher.RootStatus{Online: true}},
		{root: watcher.RootStatus{Reason: "not there", Since: noon.Add(-time.Hour)}, file: "no space", told: "2 folders need a person"},
		{root: watcher.RootStatus{Online: true}, file: "no space"},
		{root: watcher.RootStatus{Online: true}},
		{root: watcher.RootStatus{Online: true}, file: "no space", told: "the state file needs a person: no space"},
	} {
		l.root.Path = "/shoots"
		var news Digest
		news, known = known.compare(daemon.Status{StateFile: l.file, Roots: []watcher.RootStatus{l.root}}, noon)
		if news.Text != l.told {
			t.Errorf("look %d: told %q, want %q", i, news.Text, l.told)
		}
	}
}

// Thousands of folders make one message of bounded size, and folders that are gone take no memory.
func TestDigestIsBounded(t *testing.T) {
	var status daemon.Status
	for i := range 5000 {
		at := noon
		status.Products = append(status.Products, daemon.ProductStatus{Root: "/shoots", Folder: fmt.Sprint(i), State: daemon.Published, PublishedAt: &at})
	}
	news, known := memory{}.compare(status, noon)
	if news.PublishedCount != 5000 || len(news.Published) != mostListed || news.Text != "5000 views are live" {
		t.Errorf("%d are live, %d are listed: %s", news.PublishedCount, len(news.Published), news.Text)
	}
	if _, known = known.compare(daemon.Status{}, noon); len(known) != 0 {
		t.Errorf("%d folders that are gone are remembered", len(known))
	}
}

// TestNewsOutliveTheProcess: what went live, or came to need a person, between the last message and
// a crash is told after the next start, and what was told is not told again.
func TestNewsOutliveTheProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	synctest.Test(t, func(t *testing.T) {
		store, err := syncstate.Open(path, syncstate.Account{BaseURL: "https://views.example.com", Username: "studio"})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		var status daemon.Status
		happens := func(folder string, state daemon.State) {
			time.Sleep(time.Minute)
			at := time.Now()
			p := daemon.ProductStatus{Root: "/shoots", Folder: folder, State: state, Since: at}
			if state == daemon.Published {
				p.PublishedAt = &at
			} else {
				p.Reason = "too few"
			}
			status.Products = append(status.Products, p)
			time.Sleep(time.Minute)
		}
		var told []string
		life := func() *teller {
			n := New(func() daemon.Status { return status }, Options{Command: []string{"none"}, Log: slog.New(slog.DiscardHandler), Diary: store})
			n.tellers[0].send = func(_ context.Context, d Digest) error {
				for _, p := range append(d.Published, d.Attention...) {
					told = append(told, p.Folder)
				}
				return nil
			}
			return n.tellers[0]
		}
		happens("before the first start", daemon.Published)
		first := life()
		happens("live", daemon.Published)
		happens("in need", daemon.Attention)
		first.tell(t.Context())
		happens("live before the crash", daemon.Published)
		happens("in need before the crash", daemon.Attention)
		life().tell(t.Context())
		life().tell(t.Context())
		if diff := cmp.Diff([]string{"live", "in need", "live before the crash", "in need before the crash"}, told); diff != "" {
			t.Error(diff)
		}
	})
}
