package plan_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestForetellWhatIsGone: people hear whether the view of a folder that is gone is kept, deleted,
// or waits for their word.
func TestForetellWhatIsGone(t *testing.T) {
	many := func(s *plan.Scene) { s.Around.Unsure = status.MayDeleteMany }
	question := "attention: the folder is gone, and so are others, so its view is not deleted"
	for name, test := range map[string]struct {
		rules []func(*plan.Scene)
		want  string
	}{
		"kept":        {nil, "missing: the folder is gone, the view is kept"},
		"deleted":     {[]func(*plan.Scene){deleting}, "remove: the folder is gone, the view is being deleted"},
		"among many":  {[]func(*plan.Scene){deleting, many}, question},
		"asked about": {[]func(*plan.Scene){deleting, many, asked(syncstate.RemovalAsked)}, question},
		"confirmed":   {[]func(*plan.Scene){deleting, many, asked(syncstate.RemovalConfirmed)}, "remove: "},
	} {
		s := plantest.With(plantest.Published(plantest.AScene(3)), append(test.rules, gone(2))...)
		s.Record.Absence.Verified = time.Time{}
		does, detail := plan.Foretell(plantest.Judged(s), plan.Next(plantest.Judged(s)), status.AnyFolder)
		if got := does + ": " + detail; !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: told as %q, want %q", name, got, test.want)
		}
	}
}

// TestForetell: a dry run says what a step does, to how many frames, and in which order.
func TestForetell(t *testing.T) {
	perhaps := func(s *plan.Scene) { plantest.Touch(s, 1, ""); plantest.MarkRead(s, 1) }
	reading := func(s *plan.Scene) {
		s.Facts.Readings["frame_02.jpg"] = plan.Reading{File: syncstate.File{Name: "frame_02.jpg"}, Digest: []byte("another")}
	}
	product := func(s *plan.Scene) { s.Record.Product.UUID = "product" }
	wish := func(s *plan.Scene) { s.Record.Wishes.Verify = true }
	paused := func(s *plan.Scene) { s.Record.Wishes.Paused = plantest.Noon }
	replaces := func(s *plan.Scene) { s.Record.Run.Reupload = true }
	for name, test := range map[string]struct {
		scene plan.Scene
		want  string
	}{
		"half sent":                           {plantest.Running(fresh(3), 1, 3), "finish: the first upload is not complete, 3 frames"},
		"half sent over another's view":       {plantest.With(plantest.Running(fresh(3), 1, 3), replaces), "reupload: 3 frames"},
		"another":                             {view(reshot(0)), "reupload: 3 frames, 1 of them new or changed, 0 removed"},
		"a new product":                       {fresh(3), "create: 3 frames (3 kB) in project Summer"},
		"names of several orders":             {fresh(0, adds("9.jpg", "10.jpg")), `create: 2 frames (2 kB) in project Summer; order = "name": "10.jpg", "9.jpg"; with order = "natural" "9.jpg" would be number 1`},
		"some of a set":                       {fresh(3, turn(36), changed(0)), "wait: 3 of 36 frames, waiting for the other frames"},
		"a product without a view":            {fresh(3, product), "reupload: 3 frames"},
		"another and one perhaps":             {view(reshot(0), perhaps), "reupload: 3 frames, 1 of them new or changed and 1 perhaps, 0 removed"},
		"half sent, and read as another file": {plantest.With(plantest.Running(view(reshot(0), perhaps), 2, 3), reading), "reupload: 3 frames, 1 of them new or changed and 1 perhaps, 0 removed"},
		"one that is gone":                    {view(remains(2)), "reupload: 2 frames, 0 of them new or changed, 1 removed"},
		"a view":                              {view(others(1)), "nothing: published; not usable: a.bmp (no frame)"},
		"paused":                              {fresh(3, paused), "paused: paused; `spinsync resume` ends the pause"},
		"paused, and not quiet":               {fresh(3, paused, changed(0)), "paused: paused; `spinsync resume` ends the pause"},
		"paused, and empty":                   {fresh(0, paused), "wait: no frames yet"},
		"gone without a product":              {fresh(0, gone(2)), "missing: the folder is gone"},
		"gone, to be looked for":              {view(gone(2), wish), "missing: the folder is gone, the view is kept"},
	} {
		does, detail := plan.Foretell(plantest.Judged(test.scene), plan.Next(plantest.Judged(test.scene)), status.AnyFolder)
		if got := does + ": " + detail; got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, test.want)
		}
	}
}

// TestShowsFrames: a view shows the folder while no frame is owed, whatever else is.
func TestShowsFrames(t *testing.T) {
	touched := func(s *plan.Scene) { plantest.Touch(s, 1, "frame_02.jpg") }
	pausedAlone := func(s *plan.Scene) { s.Record.Wishes.Paused = time.Now() }
	mistaken := func(s *plan.Scene) { s.Facts.Unidentified = errors.New("product.toml: line 1") }
	retitled := func(s *plan.Scene) { s.Facts.Wanted.Title = "Shoe" }
	for name, test := range map[string]struct {
		scene plan.Scene
		want  bool
	}{
		"a view":           {view(), true},
		"touched":          {view(touched), true},
		"another title":    {view(retitled), true},
		"another take":     {view(reshot(0)), false},
		"a frame less":     {view(remains(2)), false},
		"in doubt":         {view(doubted), false},
		"being uploaded":   {plantest.Running(view(), 3, 3), false},
		"without a view":   {fresh(3), false},
		"a gone folder":    {view(gone(2)), false},
		"no frame is left": {view(remains(0)), false},
		"paused":           {view(retitled, pausedAlone), true},
		"with a mistake":   {view(mistaken), false},
	} {
		if got := test.scene.ShowsFrames(); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
