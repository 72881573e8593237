package publish

import (
	"bytes"
	"io/fs"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// shown is a board that knows a folder, and has it in one state.
type shown struct {
	Neighbours
	Keeper
	Display
	state status.State
}

func (b shown) Last(syncstate.Folder) (status.ProductStatus, bool) {
	return status.ProductStatus{State: b.state, Since: plantest.Noon}, true
}
func (shown) Show(status.ProductStatus)              {}
func (shown) ShowFrames(syncstate.Folder, Condition) {}
func (shown) FollowWishes(syncstate.Folder)          {}

// TestOnlyNewsIsRecorded: a step is recorded when it changes the state, the names of a product to
// come, or the reason of a folder at rest. Else the state file would be written at each look.
func TestOnlyNewsIsRecorded(t *testing.T) {
	waits := plan.Step{Action: plan.Wait, State: status.Collecting, Cause: status.Because(status.LookingForView)}
	rests := plan.Step{Action: plan.Idle, State: status.Collecting, Cause: waits.Cause}
	named := func(s *plan.Scene) { s.Record.Product = s.Facts.Wanted.WithUUID("") }
	atRest := func(s *plan.Scene) { named(s); s.Record.Shown.Cause = waits.Cause }
	renames := func(s *plan.Scene) { s.Facts.Wanted.Title = "another" }
	idle := func(s *plan.Scene) { s.Facts.Snapshot.Idle = true }
	asks := plan.NeedsPerson(waits.Cause)
	asked := func(content string) func(*plan.Scene) {
		return func(s *plan.Scene) { atRest(s); s.Record.Shown.Content = content }
	}
	content := plan.ContentOf(plantest.AScene(2).Facts.Snapshot, "")
	for name, test := range map[string]struct {
		scene plan.Scene
		step  plan.Step
		shown status.State
		want  bool
	}{
		"nothing new":           {plantest.With(plantest.AScene(2), named), waits, status.Collecting, false},
		"another state":         {plantest.With(plantest.AScene(2), named), waits, status.Published, true},
		"a name":                {plantest.AScene(2), waits, status.Collecting, true},
		"a name of a product":   {plantest.Published(plantest.AScene(2)), waits, status.Collecting, false},
		"a product's new name":  {plantest.With(plantest.Published(plantest.AScene(2)), renames), waits, status.Collecting, false},
		"nothing was read":      {plantest.With(plantest.AScene(2), named, idle), waits, status.Collecting, false},
		"a reason, at rest":     {plantest.With(plantest.AScene(2), named), rests, status.Collecting, true},
		"the same one, at rest": {plantest.With(plantest.AScene(2), atRest), rests, status.Collecting, false},
		"a question":            {plantest.With(plantest.AScene(2), asked(content)), asks, status.Attention, false},
		"one about other files": {plantest.With(plantest.AScene(2), asked("before")), asks, status.Attention, true},
	} {
		t.Run(name, func(t *testing.T) {
			sc := &screen{display: shown{state: test.shown}, log: slog.New(slog.DiscardHandler)}
			sc.show(test.step, test.scene)
			if (sc.pending != nil) != test.want {
				t.Errorf("recorded is %+v", sc.pending)
			}
		})
	}
}

// A folder is in its state since it entered it, whatever the next step shows of the same state.
func TestSinceIsOfTheState(t *testing.T) {
	for was, kept := range map[status.State]bool{status.Retrying: true, status.Uploading: false} {
		sc := &screen{display: shown{state: was}}
		is := sc.showUnlogged(plan.Step{Action: plan.Wait, State: status.Retrying}, plantest.AScene(2))
		if is.Since.Equal(plantest.Noon) != kept {
			t.Errorf("after %s it is retrying since %s", was, is.Since)
		}
	}
}

// onScreen is a display of one folder.
type onScreen struct {
	shown
	last *status.ProductStatus
}

func (d onScreen) Last(syncstate.Folder) (status.ProductStatus, bool) { return *d.last, true }
func (d onScreen) Show(p status.ProductStatus)                        { *d.last = p }
func (onScreen) NameInShell(syncstate.Folder) string                  { return "SKU-1" }

// A step that a pause holds up keeps the reason on display, which may be newer than the recorded
// one.
func TestHeldStepKeepsItsReason(t *testing.T) {
	last := &status.ProductStatus{State: status.Uploading, Cause: status.Because(status.AllSent), Detail: "a request"}
	sc, s := &screen{display: onScreen{last: last}}, plantest.AScene(2)
	s.Record.Shown = syncstate.Shown{State: string(status.Uploading), Cause: status.Because(status.Creating)}
	if is := sc.showUnlogged(plan.Step{Action: plan.Idle, State: status.Paused}, s); !is.Cause.Is(status.AllSent) || is.Detail != "a request" {
		t.Errorf("shown is %+v, %s", is.Cause, is.Detail)
	}
}

// conditions is a display of the conditions of frames.
type conditions struct {
	shown
	all *[]Condition
}

func (d conditions) ShowFrames(_ syncstate.Folder, c Condition) { *d.all = append(*d.all, c) }

// TestConditionOfUnreadFrames: how many frames settled is not known of a folder at rest, and
// nothing of one that cannot be read.
func TestConditionOfUnreadFrames(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*plan.Scene)
		want   []int
	}{
		"read":        {func(*plan.Scene) {}, []int{2}},
		"at rest":     {func(s *plan.Scene) { s.Facts.Snapshot.Idle = true }, []int{-1}},
		"unreadable":  {func(s *plan.Scene) { s.Facts.Snapshot.Err = fs.ErrPermission }, nil},
		"not present": {func(s *plan.Scene) { s.Facts.Snapshot.Present = false }, nil},
	} {
		var all []Condition
		(&screen{display: conditions{all: &all}}).showFrames(plantest.With(plantest.AScene(2), test.change))
		var settled []int
		for _, c := range all {
			settled = append(settled, c.Settled)
		}
		if !slices.Equal(settled, test.want) {
			t.Errorf("%s: settled %d, want %d", name, settled, test.want)
		}
	}
}

// TestLogHasEachEventOnce: the log has a line for each publication that was recorded, and for each
// cause for which a folder needs a person or is gone, whatever it does until there is another cause
// or it is published.
func TestLogHasEachEventOnce(t *testing.T) {
	var log bytes.Buffer
	sc := &screen{display: onScreen{last: new(status.ProductStatus)}, log: slog.New(slog.NewTextHandler(&log, nil))}
	s := plantest.Published(plantest.AScene(2))
	s.Record.Product.UUID = "shoe"
	few, many := plan.NeedsPerson(status.Because(status.TooFew)), plan.NeedsPerson(status.Because(status.TooMany))
	many.Detail = "a request"
	works, rests := plan.Step{Action: plan.Upload, State: status.Uploading}, plan.Step{Action: plan.Idle, State: status.Published}
	gone := plan.Step{Action: plan.Wait, State: status.Missing, Cause: status.Because(status.Gone)}
	forgotten := plan.Step{Action: plan.Forget, State: status.Missing, Cause: status.Because(status.GoneUnpublished)}
	before := syncstate.Record{Run: &syncstate.Run{Started: time.Now()}}
	later := s.Record
	later.Published = &syncstate.Published{At: s.Record.Published.At.Add(time.Hour)}
	publishes := func() { sc.kept(before, s.Record) }
	recorded := func(step plan.Step) func() {
		return func() { s.Record.Shown = syncstate.Shown{State: string(step.State), Cause: step.Cause} }
	}
	for i, test := range []struct {
		then func()
		step plan.Step
		want string
	}{
		{nil, rests, ""}, {publishes, works, ""}, {nil, rests, "msg=published .*product=shoe .*upload_to_live_seconds"}, {nil, works, ""}, {nil, rests, ""},
		{func() { sc.kept(s.Record, s.Record) }, rests, ""}, {func() { sc.kept(s.Record, later) }, rests, "msg=published"},
		{nil, few, "too few"}, {nil, few, ""}, {nil, many, "too many.* detail=.a request"}, {nil, works, ""}, {nil, many, ""},
		{recorded(few), few, ""}, {nil, works, ""}, {recorded(works), many, ""}, {nil, few, "too few"}, {nil, rests, ""}, {nil, few, "too few"},
		{nil, forgotten, ""}, {nil, gone, "msg=missing"}, {nil, works, ""}, {nil, gone, ""}, {nil, rests, ""}, {nil, gone, "msg=missing"},
	} {
		if log.Reset(); test.then != nil {
			test.then()
		}
		sc.show(test.step, s)
		if said := log.String(); strings.Count(said, "\n") > 1 || (said != "") != (test.want != "") || !regexp.MustCompile(test.want).MatchString(said) {
			t.Errorf("%d: the log says %q, want %q", i, said, test.want)
		}
	}
}

// TestGoneIsShownByTheReads: whole reads say whether a folder is gone; before the first one, the
// record does. Neither its state nor what it waits for does.
func TestGoneIsShownByTheReads(t *testing.T) {
	absent := func(reads int) func(*plan.Scene) {
		return func(s *plan.Scene) { s.Facts.Snapshot.Present, s.Facts.Snapshot.Absent.Reads = false, reads }
	}
	deleted := func(s *plan.Scene) { s.Record.Absence.DeleteSent = plantest.Noon }
	for name, test := range map[string]struct {
		changes []func(*plan.Scene)
		want    bool
	}{
		"there":                      {nil, false},
		"back":                       {[]func(*plan.Scene){deleted}, false},
		"not read yet":               {[]func(*plan.Scene){absent(0)}, false},
		"gone before, not read yet":  {[]func(*plan.Scene){absent(0), deleted}, true},
		"not found, and at a person": {[]func(*plan.Scene){absent(1)}, true},
	} {
		sc := &screen{display: shown{}}
		is := sc.showUnlogged(plan.NeedsPerson(status.Because(status.SharedProduct)), plantest.With(plantest.Published(plantest.AScene(2)), test.changes...))
		if is.Gone != test.want {
			t.Errorf("%s: gone %t", name, is.Gone)
		}
	}
}
