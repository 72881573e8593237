package publish

import (
	"log/slog"
	"path/filepath"
	"testing"

	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/reading"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// TestFolderAtRestIsClean: a folder that comes to rest is recorded with its listing and its
// settings, and without what it met on the way. A record that says so already costs no write. A
// folder that waits for something is not at rest.
func TestFolderAtRestIsClean(t *testing.T) {
	rests := plan.Step{Action: plan.Idle, State: status.Published}
	published := plantest.Published(plantest.AScene(2))
	clean, newest := published.Record, watcher.Newest(published.Facts.Snapshot.Frames)
	clean.Idle = syncstate.Idle{Listing: plan.FingerprintText(watcher.Fingerprint{}), Settings: "settings", Newest: newest}
	clean.Shown.State = string(status.Published)
	for name, test := range map[string]struct {
		spoil  func(*syncstate.Record)
		last   plan.Step
		writes int
		rests  bool
	}{
		"clean":            {func(*syncstate.Record) {}, rests, 0, true},
		"another listing":  {func(r *syncstate.Record) { r.Idle.Listing = "before" }, rests, 1, true},
		"other settings":   {func(r *syncstate.Record) { r.Idle.Settings = "before" }, rests, 1, true},
		"trouble":          {func(r *syncstate.Record) { r.Trouble = &syncstate.Trouble{Kind: syncstate.Retried} }, rests, 1, true},
		"internal errors":  {func(r *syncstate.Record) { r.Panics = 2 }, rests, 1, true},
		"priority":         {func(r *syncstate.Record) { r.Wishes.Priority = true }, rests, 1, true},
		"it still waits":   {func(r *syncstate.Record) { r.Panics = 2 }, plan.Step{Action: plan.Wait, State: status.Published}, 0, false},
		"it is no view":    {func(r *syncstate.Record) { r.Panics = 2 }, plan.Step{Action: plan.Idle, State: status.Paused}, 0, false},
		"a reading failed": {func(r *syncstate.Record) { r.Panics = 2 }, rests, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			writes := 0
			store := plantest.ObservedStore(t, func(commit func() error) error { writes++; return commit() })
			p := &Publisher{
				Neighbours: shown{}, Keeper: shown{}, Display: shown{state: test.last.State}, Records: NewRecords(store),
				Files: reading.Files{Watcher: new(watcher.Watcher)}, Log: slog.New(slog.DiscardHandler),
			}
			j := NewJob(p, syncstate.Folder{Root: "/shoots", Path: "SKU-1"}, &reading.Root{Digest: "settings"})
			s := plantest.Published(plantest.AScene(2))
			if s.Record = clean; name == "a reading failed" {
				s.Facts.Snapshot.Err = filepath.ErrBadPattern
			}
			test.spoil(&s.Record)
			if err := store.Update(j.record.key, func(r *syncstate.Record) error { *r = s.Record; return nil }); err != nil {
				t.Fatal(err)
			}
			writes = 0
			if last := j.rest.settle(s, test.last); last.Action != test.last.Action {
				t.Errorf("the last step is %+v", last)
			}
			r, err := store.Record(j.record.key)
			if err != nil || writes != test.writes {
				t.Errorf("%d writes, %v", writes, err)
			}
			rests := r.Idle == clean.Idle && r.Trouble == nil && r.Panics == 0 && !r.Wishes.Priority
			if rests != test.rests {
				t.Errorf("the record is %+v", r)
			}
		})
	}
}

// TestRestInAFleet: what says something of the photos may be newer than they are.
func TestRestInAFleet(t *testing.T) {
	j := NewJob(&Publisher{
		Neighbours: shown{}, Keeper: shown{}, Display: shown{state: status.Published}, Records: NewRecords(plantest.Store(t)),
		Files: reading.Files{Watcher: new(watcher.Watcher)}, Log: slog.New(slog.DiscardHandler),
	}, syncstate.Folder{Root: "/shoots", Path: "SKU-1"}, &reading.Root{Digest: "settings"})
	s := plantest.Published(plantest.AScene(2))
	s.Facts.Rules.Fleet = true
	s.Facts.Snapshot.Sidecars = []watcher.File{{Name: "product.toml", ModTime: plantest.Noon}}
	j.rest.settle(s, plan.Step{Action: plan.Idle, State: status.Published})
	if r, err := j.record.read(); err != nil || r.Idle.Newest != plantest.Noon.UnixNano() {
		t.Errorf("%+v, %v", r.Idle, err)
	}
}
