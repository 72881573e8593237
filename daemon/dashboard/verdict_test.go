package dashboard

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spinsync/daemon/status"
	"spinsync/watcher"
)

// What holds up everything is shown before a folder that has needed a person for weeks. Progress is
// shown with both.
func TestTheWorstThatIsTrueForAllIsTheHeadline(t *testing.T) {
	needsPerson, underWay := "1 folder needs attention", "1 view is on the way, 10.0 MB of 30.0 MB, 2.0 MB/s, about 10 s left"
	for _, c := range []struct {
		name   string
		change func(*status.Status)
		word   string
		all    []string
	}{
		{"nothing", func(*status.Status) {}, "Attention", []string{needsPerson, underWay}},
		{"the service is away", func(s *status.Status) { s.Service.Trouble = "the service does not answer" },
			"Waiting", []string{"The service does not answer", needsPerson, underWay}},
		{"the password is wrong", func(s *status.Status) {
			s.Service.Trouble, s.Service.State = "the service rejects the password", status.Attention
		}, "Attention", []string{"The service rejects the password", needsPerson, underWay}},
		{"the state disk is full", func(s *status.Status) { s.StateFile = "the disk is full" },
			"Stopped", []string{"The disk is full", needsPerson, underWay}},
		{"a root is away", func(s *status.Status) { s.Roots[0].Online, s.Roots[0].Reason = false, "is missing" },
			"Offline", []string{"The watched folder /shoots is missing", needsPerson, underWay}},
		{"everything is paused", func(s *status.Status) { s.Paused = true },
			"Paused", []string{"Nothing new is published", needsPerson, underWay}},
		{"everything at once", func(s *status.Status) {
			s.Paused, s.StateFile, s.Service.Trouble = true, "the disk is full", "the service does not answer"
			s.Roots[0].Online, s.Roots[0].Reason = false, "is missing"
		}, "Stopped", []string{"The disk is full", "The watched folder /shoots is missing", "The service does not answer", "Nothing new is published", needsPerson, underWay}},
	} {
		status := status.Status{
			Roots: []watcher.RootStatus{{Path: "/shoots", LastRead: noon, Online: true}},
			Products: []status.ProductStatus{
				{Folder: "a", State: status.Attention, Reason: "7 of 12 frames"},
				{Folder: "b", State: status.Uploading, SentBytes: 10e6, TotalBytes: 30e6},
			},
		}
		c.change(&status)
		m := momentOf(status, noon)
		m.history.rate = 2e6
		var all []string
		for _, v := range m.verdicts() {
			all = append(all, v.Sentence)
		}
		if diff := cmp.Diff(c.all, all); diff != "" || m.verdict().Word != c.word {
			t.Errorf("%s: the headline is %q, want %q; %s", c.name, m.verdict().Word, c.word, diff)
		}
		parts, err := render(overview{number: 1}.parts(m))
		if err != nil {
			t.Fatal(err)
		}
		holds(t, string(parts["hero"]), c.all...)
	}
}

// The page names links in place of folders below its headline.
func TestLinksAreNamed(t *testing.T) {
	links := status.Status{Roots: []watcher.RootStatus{{Path: "/shoots", Online: true, Links: watcher.Links{Count: 1, First: "SKU-1"}}}}
	parts, err := render(overview{number: 1}.parts(momentOf(links, noon)))
	if err != nil {
		t.Fatal(err)
	}
	holds(t, string(parts["hero"]), "The watched folder /shoots has a link, SKU-1; spinsync follows no link")
}

// Folders that are compared with the service after the state file was lost are neither arriving nor
// on their way.
func TestFoldersThatAreComparedAreCounted(t *testing.T) {
	compared := func(state status.State) status.ProductStatus {
		return status.ProductStatus{State: state, Doubted: true, TotalBytes: 1}
	}
	m := stand(noon, compared(status.Collecting), compared(status.Processing), compared(status.Published), compared(status.Retrying))
	if all := m.verdicts(); len(all) != 1 || all[0].Sentence != "4 folders are compared with the service" {
		t.Errorf("it says %+v", all)
	}
	waits := compared(status.Collecting)
	waits.Cause = status.Because(status.AwaitsQuiet)
	if all := stand(noon, waits).verdicts(); len(all) != 1 || all[0].Sentence != "1 folder is not complete yet" {
		t.Errorf("of a folder that waits until it is quiet it says %+v", all)
	}
}

// A folder with a frame is on the way to be complete, and an empty one is not.
func TestEmptyFoldersAreNotCollecting(t *testing.T) {
	empty := func(kind status.Kind) status.ProductStatus {
		return status.ProductStatus{State: status.Collecting, Cause: status.Because(kind)}
	}
	m := stand(noon, empty(status.NoFrames), empty(status.NoFramesLeft), empty(status.NotSeen), empty(status.NoneTaken))
	if got := m.verdict(); got.Word == "Collecting" {
		t.Errorf("it says %+v", got)
	}
	m = stand(noon, empty(status.NoFrames), status.ProductStatus{State: status.Collecting, Cause: status.About(status.Unsettled, 1)})
	if got := m.verdict(); got.Sentence != "1 folder is not complete yet" {
		t.Errorf("it says %+v", got)
	}
}

// Folders on which a station does not act yet, because its share may show what was there before, are not
// said to be incomplete.
func TestFoldersOfWhichAStationIsNotSureAreNotCollecting(t *testing.T) {
	unsure := status.ProductStatus{State: status.Collecting, Cause: status.Because(status.ViewSettles)}
	all := stand(noon, unsure, unsure).verdicts()
	if len(all) != 1 || all[0].Sentence != "2 folders wait up to 90s, until the share surely shows what is there" {
		t.Errorf("it says %+v", all)
	}
}

// The page offers to try everything again while a folder or the service is in trouble.
func TestTroubleThatARetryMayEnd(t *testing.T) {
	for state, want := range map[status.State]bool{
		status.Attention: true, status.Retrying: true, status.Collecting: false, status.Published: false,
	} {
		m := stand(noon, status.ProductStatus{Folder: "SKU-1", State: state})
		if got := m.hero(place{}).Troubled; got != want {
			t.Errorf("with a folder that is %s: %t", state, got)
		}
		m.status.Service.Trouble = "no answer"
		if !m.hero(place{}).Troubled {
			t.Errorf("with a folder that is %s, while the service is away: no trouble", state)
		}
	}
}

// A standby of a fleet knows what is published, and not what becomes of the other folders.
func TestHeadlineOfAStandby(t *testing.T) {
	s := status.Status{
		Roots: []watcher.RootStatus{{Path: "/shoots", LastRead: noon, Online: true}},
		Products: []status.ProductStatus{
			{Folder: "a", State: status.Published}, {Folder: "b", State: status.Uploading}, {Folder: "c", State: status.Collecting},
		},
	}
	for active, want := range map[string]verdict{
		"anna": {Word: "Publishing", Tone: busy, Sentence: "1 view is on the way"},
		"bert": {Word: "Standby", Tone: quiet, Sentence: "Station bert shows what needs a person; 1 view is live"},
		"":     {Word: "Standby", Tone: warn, Sentence: "No station publishes at present; 1 view is live"},
	} {
		s.Fleet = &status.Fleet{Station: "anna", Active: active}
		if got := momentOf(s, noon).verdict(); got != want {
			t.Errorf("while %q publishes: %+v", active, got)
		}
	}
	s.Fleet = &status.Fleet{Station: "anna", Active: "bert", Differs: map[string]string{"/shoots": "frames"}}
	if got := momentOf(s, noon).verdict(); got.Word != "Attention" || got.Tone != bad || got.Sentence != s.Fleet.OtherSettings() {
		t.Errorf("with other settings: %+v", got)
	}
	for want, ill := range map[verdict]status.Fleet{
		{Word: "Waiting", Tone: warn, Sentence: "The cluster does not answer; shown is what this computer knew when spinsync was started"}: {Trouble: "the cluster does not answer"},
		{Word: "Attention", Tone: bad, Sentence: "The cluster is full"}:                                                                    {Active: "anna", Cluster: "the cluster is full"},
	} {
		ill.Station, s.Fleet = "anna", &ill
		if got := momentOf(s, noon).verdict(); got != want {
			t.Errorf("%+v", got)
		}
	}
}

// TestPageOfAStandby offers no verb that it would refuse, and says who publishes below its headline.
func TestPageOfAStandby(t *testing.T) {
	s := status.Status{
		Settings: "sync.toml is wrong", Fleet: &status.Fleet{Station: "anna", Active: "anna"},
		Products: []status.ProductStatus{{Folder: "a", State: status.Attention, Cause: status.Because(status.Unread)}},
	}
	hero := func() string {
		parts, err := render(overview{number: 1}.parts(momentOf(s, noon)))
		if err != nil {
			t.Fatal(err)
		}
		return string(parts["hero"]) + string(parts["folders"])
	}
	holds(t, hero(), "<button>Pause</button>", `action="/retry"`, `<p class="fleet">Station anna (this computer) publishes`)
	s.Fleet.Active = "bert"
	holds(t, hero(), "<button>Reload settings</button>", `<p class="fleet">Station bert publishes`)
	for _, verb := range []string{"/pause", "/retry"} {
		if strings.Contains(hero(), `action="`+verb+`"`) {
			t.Errorf("a standby offers %s", verb)
		}
	}
}
