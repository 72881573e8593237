package notify

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
	"spinsync/watcher"
)

var noon = time.Date(2027, 1, 2, 12, 0, 0, 0, time.UTC)

// A look is the status of one folder at one time, and the text of the message that follows.
type look struct {
	state  status.State
	reason string
	live   int // minutes after noon of the newest publication; 0 for none
	text   string
}

func TestEachThingIsSentOnce(t *testing.T) {
	for name, looks := range map[string][]look{
		"published": {
			{state: status.Uploading}, {state: status.Processing}, {state: status.Published, live: 1, text: "Teapot is live"}, {state: status.Published, live: 1},
			{state: status.Collecting, live: 1}, {state: status.Published, live: 9, text: "Teapot is live"},
		},
		"published twice between two checks":    {{state: status.Collecting}, {state: status.Published, live: 2, text: "Teapot is live"}},
		"published, and already shot once more": {{state: status.Collecting}, {state: status.Collecting, live: 1, text: "Teapot is live"}},
		"trouble that comes and goes": {
			{state: status.Attention, reason: "too few frames", text: "Teapot needs attention: too few frames"}, {state: status.Retrying, reason: "x"},
			{state: status.Attention, reason: "too few frames"}, {state: status.Attention, reason: "no right", text: "Teapot needs attention: no right"},
		},
		"trouble again after it was mended": {
			{state: status.Attention, reason: "too few frames", text: "Teapot needs attention: too few frames"},
			{state: status.Published, live: 1, text: "Teapot is live"},
			{state: status.Attention, reason: "too few frames", live: 1, text: "Teapot needs attention: too few frames"},
		},
		"what passes by itself": {{state: status.Retrying, reason: "no answer"}, {state: status.Queued}, {state: status.Paused}},
		"a name with lines":     {{state: status.Attention, reason: "a\nb\x1b[2Jc", text: "Teapot needs attention: a b [2Jc"}},
	} {
		known := memory{}
		for i, l := range looks {
			p := status.ProductStatus{Root: "/shoots", Folder: "Summer/1", Title: "Teapot", State: l.state, Reason: l.reason}
			if l.live > 0 {
				at := noon.Add(time.Duration(l.live) * time.Minute)
				p.PublishedAt = &at
			}
			var news Digest
			news, known = known.compare(status.Status{Products: []status.ProductStatus{p}}, noon)
			if news.Text != l.text || news.empty() != (l.text == "") {
				t.Errorf("%s, check %d: sent %q, want %q", name, i, news.Text, l.text)
			}
		}
	}
}

// The message of one view has its link, for people and for programs.
func TestOneViewIsSentWithItsLink(t *testing.T) {
	p := status.ProductStatus{Title: "Teapot", State: status.Published, Live: status.Live{PublishedAt: &noon, EmbedURL: "https://embed.example.com/7"}}
	news, _ := memory{}.compare(status.Status{Products: []status.ProductStatus{p}}, noon)
	if news.Text != "Teapot is live: https://embed.example.com/7" || news.Published[0].EmbedURL != p.EmbedURL {
		t.Errorf("sent %+v", news)
	}
}

// A view that was found on the service is nothing that went live, however new the record of it is.
func TestFoundViewIsNoNews(t *testing.T) {
	p := status.ProductStatus{Root: "/shoots", Folder: "Summer/1", State: status.Published, Live: status.Live{PublishedAt: &noon, Found: true}}
	news, known := memory{}.compare(status.Status{Products: []status.ProductStatus{p}}, noon)
	if !news.empty() {
		t.Errorf("sent %q", news.Text)
	}
	p.Found, p.Revision = false, 1
	if news, _ := known.compare(status.Status{Products: []status.ProductStatus{p}}, noon); news.PublishedCount != 1 {
		t.Errorf("a new revision of it is sent as %q", news.Text)
	}
}

// A message is sent when a drive stays away, and again when it goes away once more.
func TestTroubleOfTheWhole(t *testing.T) {
	known := memory{}
	for i, l := range []struct {
		root watcher.RootStatus
		file string
		text string
	}{
		{root: watcher.RootStatus{Unread: true, Reason: "is being read", Since: noon.Add(-time.Hour)}},
		{root: watcher.RootStatus{Reason: "not there", Since: noon.Add(-time.Second)}},
		{root: watcher.RootStatus{Reason: "not there", Since: noon.Add(-time.Minute)}, text: "/shoots needs attention: not there"},
		{root: watcher.RootStatus{Reason: "not there", Since: noon.Add(-time.Hour)}},
		{root: watcher.RootStatus{Online: true}},
		{root: watcher.RootStatus{Reason: "not there", Since: noon.Add(-time.Hour)}, file: "no space", text: "2 folders need attention"},
		{root: watcher.RootStatus{Online: true}, file: "no space"},
		{root: watcher.RootStatus{Online: true}},
		{root: watcher.RootStatus{Online: true}, file: "no space", text: "the state file needs attention: no space"},
	} {
		l.root.Path = "/shoots"
		var news Digest
		news, known = known.compare(status.Status{StateFile: l.file, Roots: []watcher.RootStatus{l.root}}, noon)
		if news.Text != l.text {
			t.Errorf("check %d: sent %q, want %q", i, news.Text, l.text)
		}
	}
}

// Thousands of folders make one message of bounded size, and folders that are gone take no memory.
func TestDigestIsBounded(t *testing.T) {
	var current status.Status
	for i := range 5000 {
		at := noon
		current.Products = append(current.Products, status.ProductStatus{Root: "/shoots", Folder: fmt.Sprint(i), State: status.Published, Live: status.Live{PublishedAt: &at}})
	}
	news, known := memory{}.compare(current, noon)
	if news.PublishedCount != 5000 || len(news.Published) != mostListed || news.Text != "5000 views are live" {
		t.Errorf("%d are live, %d are listed: %s", news.PublishedCount, len(news.Published), news.Text)
	}
	if _, known = known.compare(status.Status{}, noon); len(known) != 0 {
		t.Errorf("%d folders that are gone are remembered", len(known))
	}
}

// TestNewsOutliveTheProcess: what went live, or came to need a person, between the last message and
// a crash is sent after the next start. What was sent is not sent again.
func TestNewsOutliveTheProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := plantest.Store(t)
		var current status.Status
		happens := func(folder string, state status.State) {
			time.Sleep(time.Minute)
			at := time.Now()
			p := status.ProductStatus{Root: "/shoots", Folder: folder, State: state, Since: at}
			if state == status.Published {
				p.PublishedAt = &at
			} else {
				p.Reason = "too few"
			}
			current.Products = append(current.Products, p)
			time.Sleep(time.Minute)
		}
		var sent []string
		life := func() *receiver { return started(store, &current, &sent) }
		happens("before the first start", status.Published)
		first := life()
		happens("live", status.Published)
		happens("in need", status.Attention)
		first.deliver(t.Context())
		happens("live before the crash", status.Published)
		happens("in need before the crash", status.Attention)
		life().deliver(t.Context())
		life().deliver(t.Context())
		if diff := cmp.Diff([]string{"live", "in need", "live before the crash", "in need before the crash"}, sent); diff != "" {
			t.Error(diff)
		}
	})
}

// started is the receiver of a process that starts now, and notes the folders that it is sent.
func started(diary Diary, current *status.Status, sent *[]string) *receiver {
	n := New(func() status.Status { return *current }, Options{Command: []string{"none"}, Log: slog.New(slog.DiscardHandler), Diary: diary})
	n.receivers[0].send = func(_ context.Context, d Digest) error {
		for _, p := range append(d.Published, d.Attention...) {
			*sent = append(*sent, p.Folder)
		}
		return nil
	}
	return n.receivers[0]
}

// TestNewsOfTheLastSecond: publications are recorded to the second. One that comes after a message of
// its second is sent after a crash, with what was sent in that second. A stop sends all, and the next
// start repeats nothing.
func TestNewsOfTheLastSecond(t *testing.T) {
	for name, test := range map[string]struct {
		stops bool
		want  []string
	}{
		"crash": {false, []string{"first", "first", "second"}},
		"stop":  {true, []string{"first", "second"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			store := plantest.Store(t)
			var current status.Status
			var sent []string
			publish := func(folder string) {
				at := time.Now().Truncate(time.Second)
				p := status.ProductStatus{Root: "/shoots", Folder: folder, State: status.Published, Live: status.Live{PublishedAt: &at}}
				current.Products = append(current.Products, p)
				time.Sleep(time.Second / 4)
			}
			r := started(store, &current, &sent)
			time.Sleep(time.Minute)
			publish("first")
			r.deliver(t.Context())
			publish("second")
			if test.stops {
				stopping, stop := context.WithCancel(t.Context())
				stop()
				r.deliver(stopping)
			}
			started(store, &current, &sent).deliver(t.Context())
			if diff := cmp.Diff(test.want, sent); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		})
	}
}

// A folder under another name is no news, and neither is its trouble. Another folder under its former
// name is.
func TestRenamedFolderIsNoNews(t *testing.T) {
	live := func(folder, product string) status.ProductStatus {
		return status.ProductStatus{Root: "/shoots", Folder: folder, Product: product, State: status.Published, Live: status.Live{PublishedAt: &noon}}
	}
	inNeed := func(folder, product string) status.ProductStatus {
		return status.ProductStatus{Root: "/shoots", Folder: folder, Product: product, State: status.Attention, Reason: "too few"}
	}
	before := status.Status{Products: []status.ProductStatus{live("a", "A"), inNeed("b", "B")}}
	_, known := memory{}.compare(before, noon)
	after := status.Status{Products: []status.ProductStatus{live("c", "A"), inNeed("d", "B"), live("b", "D")}}
	news, _ := known.compare(after, noon)
	if news.AttentionCount != 0 || news.PublishedCount != 1 || news.Published[0].Folder != "b" {
		t.Errorf("sent %+v", news)
	}
}

// TestManyNewProducts: the message about an archive whose folders are all new takes no time that
// grows with their square.
func TestManyNewProducts(t *testing.T) {
	const folders = 40_000
	var before, after status.Status
	for i := range folders {
		p := status.ProductStatus{Root: "/shoots", Folder: fmt.Sprint("SKU-", i), Product: fmt.Sprint("old-", i)}
		before.Products = append(before.Products, p)
		p.Product = fmt.Sprint("new-", i)
		after.Products = append(after.Products, p)
	}
	_, known := memory{}.compare(before, time.Now())
	began := time.Now()
	known.compare(after, time.Now())
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("%d folders take %s", folders, took)
	}
}

// Trouble is recorded to the second. What came in the second of the last message may have come after it,
// and is sent.
func TestTroubleInTheSecondOfTheLastMessage(t *testing.T) {
	now := status.Status{Products: []status.ProductStatus{
		{Root: "/shoots", Folder: "Summer/1", State: status.Attention, Reason: "3 of 4 frames", Since: noon},
	}}
	for after, want := range map[time.Duration]int{300 * time.Millisecond: 1, time.Second: 0} {
		if d, _ := sentUntil(noon.Add(after), now).compare(now, noon); d.AttentionCount != want {
			t.Errorf("%s after its second: %d are sent, want %d", after, d.AttentionCount, want)
		}
	}
}
