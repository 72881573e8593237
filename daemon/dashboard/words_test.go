package dashboard

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/daemon/status"
)

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		status.Size(999): "999 B", status.Size(1500): "2 kB", status.Size(12_340_000): "12.3 MB", status.Size(5e9): "5.0 GB",
		span(300 * time.Millisecond): "under 1 s", span(42 * time.Second): "42 s", span(72 * time.Second): "1 min 12 s", span(3 * time.Hour): "3 h 00 min",
		product{ProductStatus: status.ProductStatus{Root: "/srv/shoots", Folder: "."}}.name(): "shoots",
		stateWord(status.Collecting): "Collecting", stateWord(status.Published): "Published",
		counted(1, "view", "views"): "1 view", counted(1234567, "view", "views"): "1\u202f234\u202f567 views",
		sentence("élan"): "Élan", sentence(""): "", sentence("`x` helps"): "`x` helps",
		sentence("alt.csv:1: no such frame"): "alt.csv:1: no such frame", sentence("frame_01.jpg is empty"): "frame_01.jpg is empty",
		originOf("https://media.example/a/b"): "https://media.example", originOf("javascript:alert(1)"): "", originOf("https://a;script-src/"): "", originOf("https://a b/"): "",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestCommandsInReasonsAreMarked(t *testing.T) {
	want := []fragment{{Text: "mend it, then "}, {Text: "spinsync retry", Code: true}}
	if diff := cmp.Diff(want, fragments("mend it, then `spinsync retry`")); diff != "" {
		t.Error(diff)
	}
}

// Where a button of the page does what a command in a reason does, the reason names the button.
func TestReasonsNameButtonsInsteadOfCommands(t *testing.T) {
	p := product{ID: "x", ProductStatus: status.ProductStatus{Frames: status.FrameCounts{Settled: 2, Expected: 3}}}
	for kind, want := range map[status.Kind]string{
		status.TooFew:       "Publish 2 frames",
		status.ProductGone:  "Retry",
		status.BrokenFrame:  "",
		status.FolderPaused: "Resume",
	} {
		p.State = status.Attention
		if kind == status.FolderPaused {
			p.State = status.Paused
		}
		p.Cause = &status.Cause{Kind: kind, Count: 2, Of: 3}
		p.Reason = status.Sentence(p.Cause, func(verb string) string { return "`spinsync " + verb + " Summer/SKU-1`" })
		for readOnly, want := range map[bool]string{false: want, true: ""} {
			here := place{ReadOnly: readOnly}
			if got := buttonIn(newRow(p, here).Fragments()); got != want {
				t.Errorf("%s, read-only %t: the button %q is named, want %q", kind, readOnly, got, want)
			}
			happened := withReasons([]event{eventOf(product{}, p, noon)}, here)
			if got := buttonIn(happened[0].Reason); got != want {
				t.Errorf("%s, read-only %t: the activity names the button %q, want %q", kind, readOnly, got, want)
			}
		}
	}
}

// buttonIn is the button that a reason names, or "".
func buttonIn(reason []fragment) string {
	for _, piece := range reason {
		if piece.Button {
			return piece.Text
		}
	}
	return ""
}

// A row shows bytes, rate and remaining time of its own upload, and the number of frames once.
func TestRowShowsItsUpload(t *testing.T) {
	cause := &status.Cause{Kind: status.Sending, Count: 7, Of: 12}
	p := status.ProductStatus{State: status.Uploading, Cause: cause, Reason: "7 of 12 frames", SentBytes: 7e6, TotalBytes: 12e6}
	p.Frames.Settled, p.Frames.Uploaded, p.Detail = 12, 7, "PUT /upload: 503"
	m := stand(noon, p)
	m.history.rates = map[string]float64{m.names.ids[0]: 0.5e6}
	parts, err := render(overview{number: 1}.parts(m))
	if err != nil {
		t.Fatal(err)
	}
	folders := string(parts["folders"])
	holds(t, folders, "7.0 MB of 12.0 MB, 500 kB/s, about 10 s left", "<summary>Technical cause</summary><p>PUT /upload: 503</p>")
	if n := strings.Count(folders, "7 of 12 frames"); n != 1 {
		t.Errorf("how many frames there are is shown %d times in %s", n, folders)
	}
}

// What holds up everything is shown once, at the top, with its technical cause.
func TestTroubleOfTheServiceIsShownOnce(t *testing.T) {
	const away = "the hosting service does not answer"
	cause := &status.Cause{Kind: status.Failed, Text: away}
	m := stand(noon, status.ProductStatus{State: status.Retrying, Cause: cause, Reason: away, Detail: "GET /status: connection refused"})
	m.status.Service = status.ServiceStatus{Cause: cause, Trouble: away + "; spinsync tries again by itself", Detail: "GET /status: connection refused"}
	parts, err := render(overview{number: 1}.parts(m))
	if err != nil {
		t.Fatal(err)
	}
	var all string
	for _, part := range parts {
		all += string(part)
	}
	for _, once := range []string{"osting service does not answer", "GET /status: connection refused"} {
		if n := strings.Count(all, once); n != 1 {
			t.Errorf("%q is shown %d times in %s", once, n, all)
		}
	}
	holds(t, string(parts["hero"]), "Retry all")
}

// Each folder's rate is its own, over the last seconds, and starts again with a new run.
func TestRateOfEachFolder(t *testing.T) {
	r := newRecorder(nil)
	var before *moment
	for i, sent := range []int64{0, 1e6, 3e6, 6e6} {
		now := stand(noon.Add(time.Duration(i)*time.Second), status.ProductStatus{Folder: "a", State: status.Uploading, SentBytes: sent},
			status.ProductStatus{Folder: "b", State: status.Uploading, SentBytes: sent / 2})
		r.note(before, now)
		before = now
	}
	rates := r.history().rates
	if a, b := rates[before.names.ids[0]], rates[before.names.ids[1]]; a != 2e6 || b != 1e6 {
		t.Errorf("the rates are %v and %v", a, b)
	}
	r.note(before, stand(noon.Add(4*time.Second), status.ProductStatus{Folder: "a", State: status.Uploading, SentBytes: 5}))
	if rates := r.history().rates; len(rates) != 1 || rates[before.names.ids[0]] != 0 {
		t.Errorf("after a new run the rates are %v", rates)
	}
}
