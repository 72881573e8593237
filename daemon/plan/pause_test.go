package plan

import (
	"testing"
	"time"

	"spinsync/daemon/alttext"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestPauseKeepsWhatOwesNothing: in a pause a folder for which nothing is owed keeps its state, one
// with work owed is paused, and nothing is sent.
func TestPauseKeepsWhatOwesNothing(t *testing.T) {
	for name, test := range map[string]struct {
		scene  Scene
		action Action
		state  status.State
	}{
		"published":                  {AScene(3).Published(), Rest, status.Published},
		"published and seen again":   {With(AScene(3).Published(), notSeenAtRest), Wait, status.Published},
		"touched":                    {With(AScene(3).Published(), func(s *Scene) { s.touch(1, "frame_02.jpg") }), Note, status.Published},
		"touched, and not compared":  {With(AScene(3).Published(), func(s *Scene) { s.touch(1, ""); clear(s.Readings); s.markRead(1) }), Read, status.Paused},
		"beside texts not read yet":  {With(AScene(3).Published(), func(s *Scene) { s.Texts = nil }), ReadTexts, status.Published},
		"shot again":                 {With(AScene(3).Published(), func(s *Scene) { s.touch(1, "new") }), Rest, status.Paused},
		"beside a new text":          {With(AScene(3).Published(), func(s *Scene) { s.Texts = alttext.Texts{"frame_01.jpg": {"en": {Value: "A shoe"}}} }), Rest, status.Paused},
		"of another title":           {With(AScene(3).Published(), func(s *Scene) { s.Wanted.Title = "New" }), Rest, status.Paused},
		"to be looked for":           {With(AScene(3).Published(), func(s *Scene) { s.Record.Verify = true }), Rest, status.Paused},
		"empty":                      {AScene(0), Rest, status.Collecting},
		"not published yet":          {AScene(3), Rest, status.Paused},
		"being sent":                 {AScene(3).Running(1, 3), Rest, status.Paused},
		"gone":                       {With(AScene(3).Published(), gone(2), verified), Wait, status.Missing},
		"gone, and to be looked for": {With(AScene(3).Published(), gone(2)), Rest, status.Missing},
		"gone, and to be deleted":    {With(AScene(3).Published(), gone(2), deleting, asked(syncstate.RemovalConfirmed)), Rest, status.Paused},
		"gone without a trace":       {With(AScene(0), gone(1)), Forget, status.Missing},
		"back":                       {With(AScene(3).Published(), asked(syncstate.RemovalConfirmed)), Welcome, status.Collecting},
		"in need of a person":        {With(AScene(3), func(s *Scene) { s.Mistake = &status.Cause{Kind: status.Mistake, Said: "product.toml: line 1"} }), Rest, status.Attention},
		"in need of one, unread": {With(AScene(3), unread, func(s *Scene) {
			s.Stopped, s.Record.Cause = true, status.Because(status.TooFew)
		}), Read, status.Attention},
		"unread for a while": {With(AScene(3).Published(), func(s *Scene) {
			s.touch(1, "")
			clear(s.Readings)
			s.markRead(1)
			s.BlindUntil = Noon.Add(time.Second)
		}), Rest, status.Paused},
	} {
		for by, pause := range map[string]func(*Scene){
			"alone": func(s *Scene) { s.Record.Paused = true }, "with all": func(s *Scene) { s.PausedAll = true },
		} {
			s := test.scene
			pause(&s)
			next := Next(s)
			if next.Action != test.action || next.State != test.state {
				t.Errorf("%s, paused %s: %s, %s (%s); want %s, %s", name, by, next.Action, next.State, Said(next.Cause), test.action, test.state)
			}
			if next.Action == Read && !next.Aside {
				t.Errorf("%s, paused %s: a reading that fails is trouble of the folder", name, by)
			}
		}
	}
}
