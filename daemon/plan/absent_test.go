package plan_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

func unanswered(s *plan.Scene) {
	s.Record.Product.UUID, s.Record.Published = "", nil
	s.Record.Run = plantest.Making("SKU-1")
}

func doubted(s *plan.Scene) { s.Record.Doubted = true }

// lookedFor sets how long ago the service was last asked for the view.
func lookedFor(ago time.Duration) func(*plan.Scene) {
	return func(s *plan.Scene) { s.Record.Verified = plantest.Noon.Add(-ago) }
}

// missedFor sets since when a folder that is gone was missed.
func missedFor(span time.Duration) func(*plan.Scene) {
	return func(s *plan.Scene) { s.Facts.Snapshot.Absent.Since = plantest.Noon.Add(-span) }
}

func TestFolderThatIsGone(t *testing.T) {
	view := func(changes ...func(*plan.Scene)) plan.Scene {
		return plantest.With(plantest.Published(plantest.AScene(3)), append([]func(*plan.Scene){gone(2)}, changes...)...)
	}
	const day = 24 * time.Hour
	mayStand := func(s *plan.Scene) { s.Around.MayStandIn = "/other" }
	maybeMoved := func(s *plan.Scene) { s.Around.MaybeMoved = true }
	many := func(s *plan.Scene) { s.Around.ManyGone = true }
	shared := func(s *plan.Scene) { s.Around.SharedWith = "Summer/SKU-2" }
	wish := func(s *plan.Scene) { s.Record.Verify = true }
	hadFrames := func(s *plan.Scene) { s.Record.Arrived = plantest.Noon }
	never := func(changes ...func(*plan.Scene)) plan.Scene {
		return plantest.With(plantest.AScene(0), append([]func(*plan.Scene){gone(1), doubted}, changes...)...)
	}
	rows{
		"never compared, for almost a day": {never(hadFrames, missedFor(day-1)), "wait: missing, gone, until 1ns, due 1ns"},
		"never compared, for a day":        {never(hadFrames, missedFor(day)), "forget: missing, gone"},
		"never compared, without a frame":  {never(missedFor(0)), "forget: missing, gone"},

		"kept, and looked for a moment ago":   {view(lookedFor(0)), "wait: missing, gone with view, until 24h0m0s, due 24h0m0s"},
		"kept, and looked for almost a day":   {view(lookedFor(day - 1)), "wait: missing, gone with view, until 1ns, due 1ns"},
		"kept, and looked for a day ago":      {view(lookedFor(day)), "verify: missing, gone with view"},
		"kept, and looked for in the future":  {view(lookedFor(-1)), "verify: missing, gone with view"},
		"kept, and to be looked for":          {view(lookedFor(0), wish), "verify: missing, gone with view"},
		"kept, of a create without an answer": {view(lookedFor(0), unanswered), "abandon: processing, gone, seeking view"},

		"missed once":                                 {view(deleting, gone(1)), "idle: missing, gone for now"},
		"missed twice in almost the span":             {view(deleting, missedFor(plan.AbsenceSpan-1)), "idle: missing, gone for now"},
		"missed twice in the span":                    {view(deleting, missedFor(plan.AbsenceSpan)), "remove: processing, gone, deleting"},
		"of a create without an answer, missed once":  {view(deleting, unanswered, gone(1)), "idle: missing, gone for now"},
		"of a create without an answer, missed twice": {view(deleting, unanswered), "abandon: processing, gone, seeking view"},
		"perhaps renamed":                             {view(deleting, maybeMoved), "wait: missing, gone or renamed, until 5s, due 5s"},
		"perhaps in another root":                     {view(deleting, mayStand), "wait: missing, gone or elsewhere, until 1m0s, due 1m0s"},
		"perhaps in another root, and confirmed":      {view(deleting, asked(syncstate.RemovalConfirmed), mayStand), "remove: processing, gone, deleting"},
		"perhaps in another root for a day":           {view(deleting, mayStand, func(s *plan.Scene) { s.Now = s.Now.Add(25 * time.Hour) }), "ask: missing, gone with others"},
		"perhaps in another root, and asked about":    {view(deleting, asked(syncstate.RemovalAsked), mayStand), "idle: attention, may delete, elsewhere"},
		"perhaps renamed, and confirmed":              {view(deleting, asked(syncstate.RemovalConfirmed), maybeMoved), "wait: missing, gone or renamed, until 5s, due 5s"},
		"perhaps renamed, and asked about":            {view(deleting, asked(syncstate.RemovalAsked), maybeMoved), "wait: missing, gone or renamed, until 5s, due 5s"},
		"with others":                                 {view(deleting, many), "ask: missing, gone with others"},
		"doubted":                                     {view(deleting, doubted), "ask: missing, gone with others"},
		"asked about":                                 {view(deleting, asked(syncstate.RemovalAsked)), "idle: attention, may delete, many"},
		"asked about, doubted":                        {view(deleting, asked(syncstate.RemovalAsked), doubted), "idle: attention, may delete, other"},
		"asked about, and not looked for":             {view(deleting, asked(syncstate.RemovalAsked), lookedFor(day)), "verify: missing, gone for now"},
		"confirmed, doubted with others":              {view(deleting, asked(syncstate.RemovalConfirmed), doubted, many), "remove: processing, gone, deleting"},
		"confirmed, and not looked for":               {view(deleting, asked(syncstate.RemovalConfirmed), lookedFor(day)), "verify: missing, gone for now"},
		"to be forgotten":                             {view(asked(syncstate.RemovalForget)), "forget: missing, gone"},
		"to be forgotten, perhaps renamed":            {view(asked(syncstate.RemovalForget), maybeMoved), "wait: missing, gone or renamed, until 5s, due 5s"},
		"to be forgotten, of another's product too":   {view(asked(syncstate.RemovalForget), shared), "forget: missing, gone"},
		"to be deleted, of another's product too":     {view(deleting, shared), "idle: attention, shared product"},
		"wished away":                                 {view(asked(syncstate.RemovalWished)), "remove: processing, gone, deleting"},
		"wished away, and another's":                  {view(asked(syncstate.RemovalWished), doubted), "idle: attention, may delete, other"},
		"to be deleted, and not looked for":           {view(deleting, lookedFor(day)), "remove: processing, gone, deleting"},
	}.check(t)
}

// TestFolderOfARootThatWasNotRead: a folder keeps its recorded state until its root is read. Only a
// create without an answer is looked for.
func TestFolderOfARootThatWasNotRead(t *testing.T) {
	recorded := func(state status.State, kind status.Kind) func(*plan.Scene) {
		return func(s *plan.Scene) { s.Record.State, s.Record.Cause = string(state), status.Because(kind) }
	}
	view := func(changes ...func(*plan.Scene)) plan.Scene {
		return plantest.With(plantest.Published(plantest.AScene(3)), append([]func(*plan.Scene){gone(0)}, changes...)...)
	}
	rows{
		"as it was told":                        {view(recorded(status.Attention, status.TooFew)), "idle: attention, too few"},
		"never told":                            {view(), "idle: queued"},
		"with a create without an answer":       {view(recorded(status.Uploading, status.Creating), unanswered), "abandon: uploading, creating"},
		"with a create that was answered since": {view(recorded(status.Uploading, status.Creating)), "idle: uploading, creating"},
		"without a product":                     {plantest.With(plantest.AScene(0), gone(0), recorded(status.Collecting, status.NoFrames)), "idle: collecting, no frames"},
	}.check(t)
}

// TestDirectoryAtAnotherDepth: a directory that is no product folder has a status only while a
// person must see to it, and the record of an earlier product folder stays.
func TestDirectoryAtAnotherDepth(t *testing.T) {
	fails := func(err error) func(*plan.Scene) { return func(s *plan.Scene) { s.Facts.Snapshot.Err = err } }
	denied := &watcher.AccessError{Path: "/shoots/SKU-1", Err: errors.New("permission denied")}
	recorded := func(s *plan.Scene) { s.Record.State = string(status.Attention) }
	product := func(s *plan.Scene) { s.Record.Product.UUID = "product" }
	intent := func(s *plan.Scene) { s.Record.Run = plantest.Making("SKU-1") }
	directory := func(changes ...func(*plan.Scene)) plan.Scene {
		return plantest.With(plantest.AScene(0), append(changes, func(s *plan.Scene) { s.Facts.Outside = true })...)
	}
	rows{
		"with photos":                {directory(fails(&watcher.MisplacedError{Photos: 1, First: "1.jpg"})), "idle: attention, misplaced"},
		"that may not be read":       {directory(fails(denied)), "idle: attention, no access"},
		"with a name for another":    {directory(fails(&watcher.NameError{})), "idle: attention, misplaced"},
		"that is a link":             {directory(fails(&watcher.LinkError{})), "idle: attention, misplaced"},
		"that cannot be read":        {directory(fails(errors.New("input/output error"))), "idle: retrying, unreadable"},
		"as recorded":                {directory(recorded), "idle: attention"},
		"that could not be read":     {directory(gone(1), fails(errors.New("input/output error"))), "forget: missing, no longer wrong"},
		"in order again":             {directory(recorded, gone(1)), "forget: missing, no longer wrong"},
		"of an earlier layout":       {directory(gone(1), product), "wait: published"},
		"whose create is unanswered": {directory(gone(1), intent), "wait: published"},
	}.check(t)
}

func TestWhereMisplacedPhotosLie(t *testing.T) {
	l := parsed(t, "{project}/{sku}")
	for _, test := range []struct {
		folder string
		photos int
		want   string
	}{
		{"a", 1, "shoots/a lies directly below the root; product folders belong at project/sku; its photo 1.jpg is not used: move it"},
		{"a", 2, "shoots/a lies directly below the root; product folders belong at project/sku; its 2 photos, such as 1.jpg, are not used: move them"},
		{".", 1, "shoots is the root; product folders belong at project/sku; its photo 1.jpg is not used: move it"},
		{"a/b", 1, "shoots/a/b lies 2 directories below the root; product folders belong at project/sku; its photo 1.jpg is not used: move it"},
		{"a/b/c", 1, "shoots/a/b/c lies in a product folder; product folders belong at project/sku; its photo 1.jpg is not used: move it"},
	} {
		s := plantest.With(plantest.AScene(0), func(s *plan.Scene) {
			s.Facts.Outside, s.Facts.Rules.Layout, s.Facts.Snapshot.Root, s.Facts.Snapshot.Folder = true, l, "/srv/shoots", test.folder
			s.Facts.Snapshot.Err = &watcher.MisplacedError{Photos: test.photos, First: "1.jpg"}
		})
		want := test.want + ", or change layout or ignore in sync.toml"
		if got := plan.Next(plantest.Judged(s)).Cause.Text; got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// TestProductIsMadeAnew: of a product that is given up nothing is left but its name and project.
func TestProductIsMadeAnew(t *testing.T) {
	r := plantest.Running(plantest.Published(plantest.AScene(3)), 1, 3).Record
	r.DeleteSent, r.Verify = plantest.Noon, true
	r.AltIntent = map[int64]map[string]string{1: {"en": "A shoe"}}
	r.AltLate = r.AltIntent
	want := syncstate.Record{Project: r.Project, Product: r.Product}
	want.Product.UUID = ""
	plan.ClearProduct(&r)
	if diff := cmp.Diff(want, r); diff != "" {
		t.Error(diff)
	}
}

// TestWhichActionsAskForTheStatus: a status request counts against the gap between two of them, so
// each action that begins with one says so.
func TestWhichActionsAskForTheStatus(t *testing.T) {
	fresh, running := plantest.AScene(3), plantest.Running(plantest.AScene(3), 1, 3)
	published, owed, unchecked := fresh, running, running
	published.Record.Product.UUID = "product"
	owed.Record.Run, unchecked.Unchecked = &syncstate.Run{Phase: syncstate.Owed}, true
	asking := map[plan.Action]bool{
		plan.ConfirmRun: true, plan.ConfirmFinish: true, plan.Poll: true, plan.Verify: true, plan.Reconcile: true, plan.ConfirmDelete: true,
	}
	for name, test := range map[string]struct {
		scene            plan.Scene
		reupload, others bool
	}{
		"no product":                  {fresh, false, false},
		"no run":                      {published, true, true},
		"a run that is to begin":      {owed, true, true},
		"a run of this process":       {running, false, true},
		"a run of an earlier process": {unchecked, true, true},
	} {
		for action := range plan.Actions {
			want := asking[action] && test.others || action == plan.Reupload && test.reupload
			if got := test.scene.AsksStatus(action); got != want {
				t.Errorf("%s, %s: asks %t", name, action, got)
			}
		}
	}
}
