package plan_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

func TestFolderThatIsGone(t *testing.T) {
	view := func(changes ...func(*plan.Scene)) plan.Scene {
		return view(append([]func(*plan.Scene){gone(2)}, changes...)...)
	}
	const day = 24 * time.Hour
	mayStand := func(s *plan.Scene) { s.Around.MayStandIn = "/other" }
	maybeMoved := func(s *plan.Scene) { s.Around.MaybeMoved = true }
	many := func(s *plan.Scene) { s.Around.Unsure = status.MayDeleteMany }
	shared := func(s *plan.Scene) { s.Around.SharedWith = "Summer/SKU-2" }
	wish := func(s *plan.Scene) { s.Record.Wishes.Verify = true }
	hadFrames := func(s *plan.Scene) { s.Record.Counts.Arrived = plantest.Noon }
	never := func(changes ...func(*plan.Scene)) plan.Scene {
		return fresh(0, append([]func(*plan.Scene){gone(1), doubted}, changes...)...)
	}
	rows{
		"never compared, for almost a day": {never(hadFrames, missedFor(day-1)), "wait: missing, gone, until 1ns, due 1ns"},
		"never compared, for a day":        {never(hadFrames, missedFor(day)), "forget: missing, gone"},
		"never compared, and wished away":  {never(hadFrames, asked(syncstate.RemovalWished)), "forget: missing, gone"},
		"never compared, without a frame":  {never(missedFor(0)), "forget: missing, gone"},

		"kept, and looked for a moment ago":   {view(lookedFor(0)), "wait: missing, gone with view, until 24h0m0s, due 24h0m0s"},
		"kept, and looked for almost a day":   {view(lookedFor(day - 1)), "wait: missing, gone with view, until 1ns, due 1ns"},
		"kept, and looked for a day ago":      {view(lookedFor(day)), "verify: missing, gone with view"},
		"kept, and looked for in the future":  {view(lookedFor(-1)), "verify: missing, gone with view"},
		"kept, and perhaps renamed":           {view(lookedFor(day), maybeMoved), "verify: missing, gone with view"},
		"kept, and to be looked for":          {view(lookedFor(0), wish), "verify: missing, gone with view"},
		"kept, of a create without an answer": {view(lookedFor(0), unanswered), "abandon: processing, gone, seeking view"},

		"kept, and never published": {plantest.With(plantest.Running(plantest.AScene(3), 1, 3), gone(2), lookedFor(0)), "wait: missing, gone unpublished, until 24h0m0s, due 24h0m0s"},

		"kept, of a create never looked for": {fresh(3, unanswered, gone(1)), "abandon: processing, gone, seeking view"},
		"kept, and a person confirms":        {view(asked(syncstate.RemovalConfirmed)), "remove: processing, gone, deleting"},

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
		"asked about":                                 {view(deleting, asked(syncstate.RemovalAsked)), "idle: attention, may delete, unsure"},
		"asked about, with others":                    {view(deleting, asked(syncstate.RemovalAsked), many), "idle: attention, may delete, many"},
		"asked about, missed once":                    {view(deleting, gone(1), asked(syncstate.RemovalAsked)), "idle: attention, may delete, unsure"},
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
		return func(s *plan.Scene) { s.Record.Shown.State, s.Record.Shown.Cause = string(state), status.Because(kind) }
	}
	view := func(changes ...func(*plan.Scene)) plan.Scene {
		return view(append([]func(*plan.Scene){gone(0)}, changes...)...)
	}
	rows{
		"as it was told":                        {view(recorded(status.Attention, status.TooFew)), "idle: attention, too few"},
		"never told":                            {view(), "idle: queued"},
		"with a create without an answer":       {view(recorded(status.Uploading, status.Creating), unanswered), "abandon: uploading, creating"},
		"with a create that was answered since": {view(recorded(status.Uploading, status.Creating)), "idle: uploading, creating"},
		"without a product":                     {fresh(0, gone(0), recorded(status.Collecting, status.NoFrames)), "idle: collecting, no frames"},
	}.check(t)
}

// TestProductIsMadeAnew: of a product that is given up nothing is left but its name and project.
func TestProductIsMadeAnew(t *testing.T) {
	r := plantest.Running(view(), 1, 3).Record
	r.Absence.DeleteSent, r.Wishes.Verify = plantest.Noon, true
	r.Late.AltIntent = map[int64]map[string]string{1: {"en": "A shoe"}}
	r.Late.AltLate = r.Late.AltIntent
	want := syncstate.Record{Project: r.Project, Product: r.Product}
	want.Product.UUID = ""
	plan.ClearProduct(&r)
	if diff := cmp.Diff(want, r); diff != "" {
		t.Error(diff)
	}
}
