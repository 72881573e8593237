package daemon

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/config"
	"spinsync/daemon/outcome"
	"spinsync/daemon/publish"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestFollowingDaemonKnowsRuns: after a reload the run of a folder is unchecked if it was unchecked
// before, if a worker still has the folder, or if the run comes from another state file.
func TestFollowingDaemonKnowsRuns(t *testing.T) {
	for name, test := range map[string]struct {
		unchecked, busy, elsewhere bool
		want                       bool
	}{
		"checked":            {want: false},
		"unchecked":          {unchecked: true, want: true},
		"a drive has it":     {busy: true, want: true},
		"another state file": {elsewhere: true, want: true},
	} {
		d := idleDaemon(t)
		key := syncstate.Folder{Root: d.config.Watch[0].Path, Path: "Summer/SKU-1"}
		o := Options{Config: d.config, Store: d.records.Store, Client: d.service.Client, Log: d.Log, Before: d}
		if test.elsewhere {
			var err error
			if o.Store, err = syncstate.Open(filepath.Join(t.TempDir(), "state.db"), syncstate.Account{}); err != nil {
				t.Fatal(err)
			}
			defer o.Store.Close()
		}
		for _, store := range []*syncstate.Store{d.records.Store, o.Store} {
			err := store.Update(key, func(r *syncstate.Record) error {
				r.Product, r.Run = syncstate.Product{UUID: "shoe"}, &syncstate.Run{Reupload: true}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		f := d.board.newFolder(key)
		f.unchecked, f.busy = test.unchecked, test.busy
		d.board.folders.all[key] = f
		next, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		if got := next.board.folders.all[key].unchecked; got != test.want {
			t.Errorf("%s: unchecked %t", name, got)
		}
		if !next.started.Equal(d.started) {
			t.Errorf("%s: the process began at %s, not at %s", name, next.started, d.started)
		}
		if next.Metrics != d.Metrics {
			t.Errorf("%s: the counters begin again", name)
		}
	}
}

// TestRetiredWorkerRecordsNothing: a worker that a drive kept over a reload changes no record of the
// next daemon.
func TestRetiredWorkerRecordsNothing(t *testing.T) {
	d := idleDaemon(t)
	key := syncstate.Folder{Root: d.config.Watch[0].Path, Path: "Summer/SKU-1"}
	f := d.board.newFolder(key)
	d.board.folders.all[key], f.busy = f, true
	job := d.board.jobOf(f)
	if err := recordStep(t, job, status.Processing); err != nil {
		t.Fatal(err)
	}
	if _, err := New(Options{Config: d.config, Store: d.records.Store, Client: d.service.Client, Log: d.Log, Before: d}); err != nil {
		t.Fatal(err)
	}
	if err := recordStep(t, job, status.Processing); !errors.Is(err, outcome.ErrChanged) {
		t.Errorf("it records: %v", err)
	}
}

// TestReloadTriesRefusedPassword: other settings may have corrected the user name, or where the
// password comes from.
func TestReloadTriesRefusedPassword(t *testing.T) {
	d := idleDaemon(t)
	c := *d.config
	c.Service.Username = "corrected"
	d.service.Breakers.Leave("", "list projects", &apiclient.Error{Status: 401})
	if d.service.Breakers.Enter("", "list projects") == nil {
		t.Fatal("the refused password is sent again and again")
	}
	next, err := New(Options{Config: &c, Store: d.records.Store, Client: d.service.Client, Log: d.Log, Before: d})
	if err != nil {
		t.Fatal(err)
	}
	if blocked := next.service.Breakers.Enter("", "list projects"); blocked != nil {
		t.Error("the corrected user name waits:", blocked)
	}
	next.service.Breakers.Leave("", "list projects", nil)
	if s := next.service.Breakers.Status(""); s.Trouble != "" {
		t.Errorf("it is accepted, and the status says %q", s.Trouble)
	}
}

// TestFollowingDaemonKnowsHosts: what the daemon before knew of the hosting service holds on for the
// same service, and its lists for the same user.
func TestFollowingDaemonKnowsHosts(t *testing.T) {
	d := idleDaemon(t)
	for name, test := range map[string]struct {
		change         func(*config.Service)
		breaker, lists bool
	}{
		"the same service": {func(*config.Service) {}, true, true},
		"another user":     {func(s *config.Service) { s.Username = "other" }, true, false},
		"another service":  {func(s *config.Service) { s.BaseURL = "http://127.0.0.1:2" }, false, false},
	} {
		c := *d.config
		test.change(&c.Service)
		d.service.Breakers.Leave("", "list projects", &apiclient.Error{Status: 503, RetryAfter: time.Hour})
		next, err := New(Options{Config: &c, Store: d.records.Store, Client: d.service.Client, Log: d.Log, Before: d})
		if err != nil {
			t.Fatal(err)
		}
		if got := next.service.Breakers.Enter("", "list projects") != nil; got != test.breaker {
			t.Errorf("%s: the service is blocked: %t", name, got)
		}
		if got := next.service.Memory == d.service.Memory; got != test.lists {
			t.Errorf("%s: its lists serve: %t", name, got)
		}
	}
}

// TestVerbWaitsForTheReload: what a person asks for during a reload reaches the next daemon, and who
// waits for a change hears of it.
func TestVerbWaitsForTheReload(t *testing.T) {
	before := idleDaemon(t)
	live, asked, changed := NewLive(before), make(chan error, 1), before.Changed()
	err := live.Replace(func(before *Daemon) (*Daemon, error) {
		next, err := New(Options{
			Config: before.config, Store: before.records.Store, Client: before.service.Client, Log: before.Log, Before: before,
		})
		go func() { asked <- live.Do(Pause, syncstate.Folder{}) }()
		select {
		case <-asked:
			t.Error("it did not wait")
		case <-time.After(20 * time.Millisecond): // of real time: nothing tells that somebody waits for a mutex
		}
		return next, err
	})
	if err := errors.Join(err, <-asked); err != nil || !live.Daemon().Status().Paused {
		t.Errorf("paused: %t, %v", live.Daemon().Status().Paused, err)
	}
	select {
	case <-changed:
	default:
		t.Error("the reload is no change")
	}
}

// TestStationKeepsRests: the rest that a host asked for outlasts the epochs of a station, and nothing else that
// the host answered. A standby asks nothing of the service, and is well.
func TestStationKeepsRests(t *testing.T) {
	const listing, creating = "list projects", "create"
	for name, test := range map[string]struct {
		answer *apiclient.Error
		waits  bool
	}{
		"a throttled host":      {&apiclient.Error{Status: 503, RetryAfter: time.Hour}, true},
		"an operation":          {&apiclient.Error{Status: 500, RetryAfter: time.Hour}, true},
		"a host in its own way": {&apiclient.Error{Status: 503}, false},
		"a refused password":    {&apiclient.Error{Status: 401}, false},
	} {
		d := idleDaemon(t)
		d.service.Breakers.Leave("", listing, test.answer)
		memory := d.service.Memory
		for _, standby := range []bool{true, false} {
			next, err := New(Options{
				Config: d.config, Store: d.records.Store.Sharing(nil, nil), Client: d.service.Client, Log: d.Log, Before: d,
				Fleet: &Fleet{Standby: standby, Now: func() status.Fleet { return status.Fleet{} }, Views: publish.NewViews()},
			})
			if err != nil {
				t.Fatal(err)
			}
			d = next
			trouble, _ := d.Health()
			if shown := d.Status().Service.Trouble; standby && (trouble != "" || shown != "") {
				t.Errorf("%s: a standby has the trouble %q, and shows %q", name, trouble, shown)
			}
		}
		if waits := d.service.Breakers.Enter("", listing) != nil; waits != test.waits || d.service.Memory == memory {
			t.Errorf("%s: the next request waits: %t; the lists are those of before: %t", name, waits, d.service.Memory == memory)
		}
		if waits := d.service.Breakers.Enter("", creating) != nil; waits && name == "an operation" {
			t.Errorf("%s: another one waits", name)
		}
	}
}

// TestNextEpochHasSeenNothing: what a station saw while it stood by, or in an epoch before, may be old once it takes
// the work. With other settings it goes on in its epoch.
func TestNextEpochHasSeenNothing(t *testing.T) {
	d := idleDaemon(t)
	fleet := &Fleet{Now: func() status.Fleet { return status.Fleet{} }, Views: publish.NewViews()}
	key := syncstate.Folder{Root: d.config.Watch[0].Path, Path: "SKU-1"}
	fleet.Views.Believe(key)
	stores := []*syncstate.Store{d.records.Store, d.records.Store, d.records.Store.Sharing(nil, nil)}
	for i, want := range []bool{true, true, false} {
		next, err := New(Options{Config: d.config, Store: stores[i], Client: d.service.Client, Log: d.Log, Before: d, Fleet: fleet})
		if err != nil {
			t.Fatal(err)
		}
		d = next
		s, err := d.board.newJob(key, d.board.roots[key.Root]).Scene()
		if err != nil || s.Around.View.Seen != want {
			t.Errorf("daemon %d has seen the folder: %t, %v", i, s.Around.View.Seen, err)
		}
	}
}
