package daemon

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/daemon/config"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/publish"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestDeletionThatAPersonWishes: a view is compared with the record before it is deleted, also where
// a person was asked because several folders are gone. Only the answer to the question about a view
// that differs is the last word.
func TestDeletionThatAPersonWishes(t *testing.T) {
	for name, test := range map[string]struct {
		doubted bool
		was     syncstate.Removal
		shown   status.Kind
		want    syncstate.Removal
	}{
		"of the own accord":                   {false, "", status.GoneWithView, syncstate.RemovalWished},
		"of a doubted view":                   {true, "", status.GoneWithView, syncstate.RemovalWished},
		"of one of several":                   {false, syncstate.RemovalAsked, status.MayDeleteMany, syncstate.RemovalWished},
		"of one in a fleet":                   {false, syncstate.RemovalAsked, status.MayDeleteInFleet, syncstate.RemovalWished},
		"of one that may be away":             {true, syncstate.RemovalAsked, status.MayDeleteElsewhere, syncstate.RemovalWished},
		"of one that differs":                 {true, syncstate.RemovalAsked, status.MayDeleteOther, syncstate.RemovalConfirmed},
		"of one of several that differs":      {true, syncstate.RemovalWished, status.MayDeleteOther, syncstate.RemovalConfirmed},
		"twice":                               {false, syncstate.RemovalWished, status.MayDeleteMany, syncstate.RemovalWished},
		"twice, before it is shown to differ": {true, syncstate.RemovalWished, status.MayDeleteMany, syncstate.RemovalWished},
		"after on_remove was changed to keep": {false, syncstate.RemovalAsked, status.GoneWithView, syncstate.RemovalWished},
	} {
		before := syncstate.Record{
			Doubted: test.doubted, Absence: syncstate.Absence{Removal: test.was}, Shown: syncstate.Shown{Cause: status.Because(test.shown)},
		}
		for _, v := range []Verb{DeleteView, Retry} {
			r := before
			if v == Retry && (!r.AsksToDelete() || test.shown == status.GoneWithView) {
				continue // nobody is asked
			}
			v.change(&r, true)
			if r.Absence.Removal != test.want || r.Doubted != (test.doubted && test.want == syncstate.RemovalWished) {
				t.Errorf("%s, by %s: %q, doubted %t", name, v, r.Absence.Removal, r.Doubted)
			}
		}
	}
}

// TestAsIsMeansASetThatWaitsForIt: accepting folders as they are publishes no half set that is still
// arriving, and nothing of a later set.
func TestAsIsMeansASetThatWaitsForIt(t *testing.T) {
	for _, test := range []struct {
		state status.State
		cause status.Kind
		named bool
		want  string
	}{
		{status.Attention, status.TooFew, false, "content"},
		{status.Attention, status.TooFew, true, "content"},
		{status.Attention, status.TooMany, true, "content"},
		{status.Attention, status.FormRefused, false, ""},
		{status.Attention, status.FormRefused, true, ""},
		{status.Collecting, status.AwaitsRest, false, ""},
		{status.Collecting, status.AwaitsRest, true, syncstate.AsIsWhenQuiet},
		{status.Uploading, status.Sending, true, syncstate.AsIsWhenQuiet},
		{status.Published, "", false, ""},
		{status.Published, "", true, ""},
	} {
		shown := syncstate.Shown{State: string(test.state), Cause: status.Because(test.cause), Content: "content"}
		r := syncstate.Record{Shown: shown}
		retryRecord(&r, true, test.named)
		retryRecord(&r, true, test.named) // once more, before it was shown again
		if r.Wishes.AsIs != test.want {
			t.Errorf("%s, %s, named %t: as is %q; want %q", test.state, test.cause, test.named, r.Wishes.AsIs, test.want)
		}
	}
}

// TestRetryOfARecord: a retry answers what a person was asked, and nothing else: of a folder that waits for
// something else it says nothing about the making of a product. It gives up an upload whose end failed, with
// what others wrote on the images that this may have cost. Who asks for it wants to know now whether the
// service has finished.
func TestRetryOfARecord(t *testing.T) {
	asked := func(cause status.Kind) *syncstate.Trouble {
		return &syncstate.Trouble{Kind: syncstate.NeedsPerson, Cause: status.Because(cause)}
	}
	outage, failed := &syncstate.Trouble{Kind: syncstate.Retried}, &syncstate.Trouble{Kind: syncstate.RetriedAndShown}
	theirs := syncstate.Before{Frames: []syncstate.Frame{{AltCarry: map[string]string{"fr": "Le leur"}}}}
	doubted := syncstate.Record{Doubted: true}
	for name, test := range map[string]struct {
		before syncstate.Record
		named  bool
		want   syncstate.Record
	}{
		"the question":             {syncstate.Record{Doubted: true, Trouble: asked(status.ProductGone)}, false, syncstate.Record{}},
		"an outage before it":      {syncstate.Record{Doubted: true, Trouble: outage}, false, doubted},
		"that folder, by name":     {syncstate.Record{Doubted: true, Trouble: outage}, true, doubted},
		"whose another product is": {syncstate.Record{Doubted: true, Trouble: asked(status.PreviousView)}, true, syncstate.Record{}},
		"the same, for all":        {syncstate.Record{Doubted: true, Trouble: asked(status.PreviousView)}, false, doubted},
		"a view of others": {
			syncstate.Record{Doubted: true, Trouble: asked(status.OthersView)}, true, syncstate.Record{Run: &syncstate.Run{Reupload: true}},
		},
		"a view of others, of all": {syncstate.Record{Doubted: true, Trouble: asked(status.OthersView)}, false, doubted},
		"twins": {
			syncstate.Record{Doubted: true, Trouble: asked(status.Twins)}, true, syncstate.Record{Doubted: true, Wishes: syncstate.Wishes{NoTwin: true}},
		},
		"photos of an emptied root": {
			syncstate.Record{Trouble: asked(status.FromEmptied)}, true, syncstate.Record{Wishes: syncstate.Wishes{NoTwin: true}},
		},
		"twins, for all": {syncstate.Record{Doubted: true, Trouble: asked(status.Twins)}, false, doubted},
		"a finish that failed": {
			syncstate.Record{Run: &syncstate.Run{Phase: syncstate.Finishing, FinishSent: plantest.Noon, Before: theirs}, Trouble: failed}, false,
			syncstate.Record{Run: &syncstate.Run{Reupload: true, Before: theirs}},
		},
		// The form that a person asks for does not wait for the whole set.
		"a set that is shot": {
			syncstate.Record{Run: &syncstate.Run{Phase: syncstate.Sending, Form: &syncstate.Form{}}, Trouble: asked(status.FormRefused)}, false,
			syncstate.Record{Run: &syncstate.Run{Phase: syncstate.FormWanted}},
		},
		// Four retries would otherwise use up its looks within seconds, while it may still arrive.
		"a finish without an answer": {
			syncstate.Record{Run: &syncstate.Run{Phase: syncstate.Finishing, Looks: syncstate.Tries{N: 3, Next: plantest.Noon}}, Trouble: outage}, false,
			syncstate.Record{Run: &syncstate.Run{Phase: syncstate.Finishing}},
		},
		"processing, and a page answers": {
			syncstate.Record{Run: &syncstate.Run{Phase: syncstate.Processing}, Trouble: &syncstate.Trouble{
				Kind: syncstate.RetriedAndShown, Cause: status.Because(status.Failed),
			}}, false,
			syncstate.Record{Run: &syncstate.Run{Phase: syncstate.Processing}},
		},
		"processing, after setbacks": {
			syncstate.Record{Run: &syncstate.Run{
				Phase: syncstate.Processing, Looks: syncstate.Tries{Next: plantest.Noon},
				Setbacks: syncstate.Setbacks{ExpiredForms: 1, RefusedForms: 1, Overtaken: 1},
			}}, false,
			syncstate.Record{Run: &syncstate.Run{Phase: syncstate.Processing}},
		},
	} {
		retryRecord(&test.before, false, test.named)
		if diff := cmp.Diff(test.want, test.before); diff != "" {
			t.Errorf("%s: after a retry: %s", name, diff)
		}
	}
}

// TestAsIsAnswersNoOtherQuestion: what a person says of a folder's frames makes no other view or project,
// replaces no view, and deletes none.
func TestAsIsAnswersNoOtherQuestion(t *testing.T) {
	for _, kind := range []status.Kind{
		status.PreviousView, status.OthersView, status.Twins, status.FromEmptied, status.ProjectRefused, status.MayDeleteOther,
	} {
		before := syncstate.Record{
			Doubted: true, Project: syncstate.Project{UUID: "project", Title: "Summer"},
			Trouble: &syncstate.Trouble{Kind: syncstate.NeedsPerson, Cause: status.Because(kind)},
			Shown:   syncstate.Shown{State: string(status.Attention), Cause: status.Because(kind)},
		}
		if kind == status.MayDeleteOther {
			before.Absence.Removal = syncstate.RemovalAsked
		}
		after := before
		RetryAsIs.change(&after, true)
		if before.Trouble = nil; !cmp.Equal(before, after) {
			t.Errorf("asked about %s: %s", kind, cmp.Diff(before, after))
		}
	}
}

// TestGivenUpRunTakesNoAnswer: a step that was under way when a person gave up the run, or the
// product, records nothing of what it comes to.
func TestGivenUpRunTakesNoAnswer(t *testing.T) {
	for name, held := range map[string]syncstate.Record{
		"the run": {Run: &syncstate.Run{Phase: syncstate.Processing}, Trouble: &syncstate.Trouble{Kind: syncstate.RetriedAndShown}},
		"the product": {
			Product: syncstate.Product{UUID: "gone"}, Run: &syncstate.Run{},
			Trouble: &syncstate.Trouble{Kind: syncstate.NeedsPerson, Cause: status.Because(status.ProductGone)},
		},
	} {
		d, j := retriedDuringAStep(t, held)
		if err := recordStep(t, j, status.Published); !outcome.Is(err, outcome.Changed) {
			t.Errorf("%s: the answer of a poll from before is recorded: %v", name, err)
		}
		if r, err := d.records.Store.Record(j.Folder.Key); err != nil || r.Shown.State == string(status.Published) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

// recordStep has a job record a state, as the end of a step does.
func recordStep(t *testing.T, j *publish.Job, state status.State) error {
	t.Helper()
	_, err := j.Compare(t.Context(), plan.Scene{}, plan.Step{Action: plan.Wait, State: state})
	return err
}

// TestRetryTakesTheAnswerToACreate: whatever a person says while a product is being made, its answer is
// recorded, or the product would belong to no folder.
func TestRetryTakesTheAnswerToACreate(t *testing.T) {
	for _, kind := range []status.Kind{status.ProjectRefused, status.OthersProduct} {
		_, j := retriedDuringAStep(t, syncstate.Record{
			Run:     plantest.Making("SKU-1"),
			Trouble: &syncstate.Trouble{Kind: syncstate.NeedsPerson, Cause: status.Because(kind)},
		})
		if err := recordStep(t, j, status.Uploading); err != nil {
			t.Errorf("%s: the answer is not recorded: %v", kind, err)
		}
	}
}

// retriedDuringAStep is the job of a folder that was tried again after the job had planned its step.
func retriedDuringAStep(t *testing.T, record syncstate.Record) (*Daemon, *publish.Job) {
	t.Helper()
	d := idleDaemon(t)
	j := d.board.jobOf(folderIn(t, d, "Summer/SKU-1", record))
	if _, err := j.Scene(); err != nil {
		t.Fatal(err)
	}
	if err := d.Do(Retry, j.Folder.Key); err != nil {
		t.Fatal(err)
	}
	return d, j
}

// TestRetryOfAProjectThatIsRefused: a named folder gives up its project. One that is still to be
// compared has none recorded, and is tried again.
func TestRetryOfAProjectThatIsRefused(t *testing.T) {
	key := syncstate.Folder{Root: "/shoots", Path: "Summer/SKU-1"}
	for _, project := range []syncstate.Project{{UUID: "gone", Title: "Summer"}, {}} {
		d := idleDaemon(t)
		err := d.records.Store.UpdateProject("Summer", func(p *syncstate.ProjectRecord) error { p.Project = project; return nil })
		err = errors.Join(err, d.records.Update(key, func(r *syncstate.Record) error {
			r.Run = plantest.Making("SKU-1")
			r.Project, r.Trouble = project, &syncstate.Trouble{Kind: syncstate.NeedsPerson, Cause: status.Because(status.ProjectRefused)}
			return nil
		}))
		err = errors.Join(err, DoRecorded(d.records.Store, Retry, key))
		r, failed := d.records.Store.Record(key)
		p, missing := d.records.Store.Project("Summer")
		if err = errors.Join(err, failed, missing); err != nil || r.Trouble != nil || r.Run != nil || r.Project.UUID != "" || p.UUID != "" {
			t.Errorf("%v; the folder has %+v, %+v and %+v, the project is %+v", err, r.Trouble, r.Run, r.Project, p)
		}
	}
}

// TestPauseWithoutADaemon: what is paused says so, since when, and how it goes on. After the pause it
// is shown as it was before.
func TestPauseWithoutADaemon(t *testing.T) {
	all, one := syncstate.Folder{}, syncstate.Folder{Root: "/shoots", Path: "Summer/SKU-1"}
	do := func(v Verb, key syncstate.Folder) func(*syncstate.Store) error {
		return func(s *syncstate.Store) error { return DoRecorded(s, v, key) }
	}
	shown := func(state status.State, cause *status.Cause) syncstate.Shown {
		return syncstate.Shown{State: string(state), Cause: cause, Since: plantest.Noon}
	}
	collecting := shown(status.Collecting, &status.Cause{Kind: status.AwaitsRest, Count: 4, Of: 6})
	stuck := shown(status.Attention, status.Because(status.TooFew))
	sent := shown(status.Uploading, &status.Cause{Kind: status.Sending, Count: 2, Of: 6})
	empty := shown(status.Collecting, status.Because(status.NoFrames))
	paused := syncstate.Shown{State: string(status.Paused), Cause: status.Because(status.FolderPaused)}
	allOf := syncstate.Shown{State: string(status.Paused), Cause: status.Because(status.AllPaused)}
	tried := syncstate.Shown{State: string(status.Queued), Cause: status.Because(status.TriedNext)}
	type verbs = []func(*syncstate.Store) error
	for name, test := range map[string]struct {
		was   syncstate.Shown
		verbs verbs
		want  syncstate.Shown // without Since: of now
	}{
		"one is paused":            {collecting, verbs{do(Pause, one)}, paused},
		"all are":                  {collecting, verbs{do(Pause, all)}, allOf},
		"one, and all":             {collecting, verbs{do(Pause, one), do(Pause, all)}, allOf},
		"one of all goes on":       {collecting, verbs{do(Pause, one), do(Pause, all), do(Resume, one)}, allOf},
		"all go on":                {collecting, verbs{do(Pause, one), do(Pause, all), do(Resume, all)}, collecting},
		"in need of a person":      {stuck, verbs{do(Pause, one)}, stuck},
		"empty":                    {empty, verbs{do(Pause, one)}, empty},
		"one goes on":              {stuck, verbs{do(Pause, one), do(Resume, one)}, stuck},
		"one goes on with sending": {sent, verbs{do(Pause, one), do(Resume, one)}, sent},
		"one is tried again":       {stuck, verbs{do(Pause, one), do(Retry, one)}, paused},
		"one that was tried again": {stuck, verbs{do(Pause, one), do(Retry, one), do(Resume, one)}, tried},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store, c := plantest.Store(t), &config.Config{Watch: []config.Watch{{Path: one.Root}}}
				err := store.Update(one, func(r *syncstate.Record) error { r.Shown = test.was; return nil })
				time.Sleep(time.Until(plantest.Noon.AddDate(10, 0, 0)))
				for _, verb := range test.verbs {
					err = errors.Join(err, verb(store))
				}
				if test.want.Since.IsZero() {
					test.want.Since = status.WholeSecond(time.Now())
				}
				time.Sleep(time.Hour)
				s, failed := RecordedStatus(c, store)
				if err = errors.Join(err, failed); err != nil {
					t.Fatal(err)
				}
				p := s.Products[0]
				got := syncstate.Shown{State: string(p.State), Cause: p.Cause, Since: p.Since}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Error(diff)
				}
				err = ExportStore(c, store, func(e status.ExportedProduct) error {
					if e.State != p.State || e.Reason != p.Reason {
						t.Errorf("the export says %s, %s; the status %s, %s", e.State, e.Reason, p.State, p.Reason)
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestExportHasTheNewestReason: the state file has the reason with which a state began.
func TestExportHasTheNewestReason(t *testing.T) {
	d := idleDaemon(t)
	key := syncstate.Folder{Root: d.config.Watch[0].Path, Path: "Summer/SKU-1"}
	f := d.board.newFolder(key)
	f.status.State, f.status.Cause, f.status.Since = status.Collecting, &status.Cause{Kind: status.AwaitsRest, Count: 1, Of: 4}, plantest.Noon
	d.board.folders.all[key] = f
	keepStatus(t, d, f.status)
	newest := &status.Cause{Kind: status.AwaitsRest, Count: 3, Of: 4}
	f.status.Cause = newest
	err := d.Export(func(p status.ExportedProduct) error {
		if p.Reason != plantest.Words(newest) {
			t.Errorf("the export says %q, the status %q", p.Reason, plantest.Words(newest))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestNotMadeIsForAFolderWithoutAProduct: a person says of one folder that a create made nothing.
// To a folder that has a product the word says nothing.
func TestNotMadeIsForAFolderWithoutAProduct(t *testing.T) {
	store := plantest.Store(t)
	for product, want := range map[string]bool{"": true, "shoe": false} {
		key := syncstate.Folder{Root: "/shoots", Path: "Summer/" + product + "SKU"}
		err := store.Update(key, func(r *syncstate.Record) error { r.Shown.State, r.Product.UUID = "retrying", product; return nil })
		if err := errors.Join(err, DoRecorded(store, RetryNotMade, key)); err != nil {
			t.Fatal(err)
		}
		if r, err := store.Record(key); err != nil || r.Wishes.NotMade != want {
			t.Errorf("with the product %q the word is recorded: %t, %v", product, r.Wishes.NotMade, err)
		}
	}
	for _, key := range []syncstate.Folder{{}, {Root: "/shoots"}} {
		if err := DoRecorded(store, RetryNotMade, key); err == nil {
			t.Errorf("the word is taken for %+v", key)
		}
	}
}
