package plan_test

import (
	"testing"
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/syncstate"
)

// arrives says that a frame is unchanged for so long, and not known to be at rest.
func arrives(i int, ago time.Duration) func(*plan.Scene) {
	return func(s *plan.Scene) {
		s.Hurry = true
		s.Snapshot.Frames[i].Still, s.Snapshot.Frames[i].Since = false, plantest.Noon.Add(-ago)
	}
}

// stood says that all frames were there before the first look, and have not been seen at rest yet.
func stood(s *plan.Scene) {
	s.Snapshot.Modified = plantest.Noon.Add(-s.Rules.Settle)
	for i := range s.Snapshot.Frames {
		s.Snapshot.Frames[i].ModTime = s.Snapshot.Modified
		plantest.MarkRead(s, i)
		arrives(i, 0)(s)
	}
}

func unreadFrame(i int) func(*plan.Scene) {
	return func(s *plan.Scene) { delete(s.Readings, s.Snapshot.Frames[i].Name) }
}

// early says that a frame was sent before it was at rest.
func early(i int) func(*plan.Scene) { return func(s *plan.Scene) { plantest.MarkEarly(s, i) } }

// calm keeps a scene from sending early.
func calm(s *plan.Scene) { s.Hurry = false }

// TestWhatIsSentEarly: while a counted set arrives, each of its frames is read and sent as soon as
// it stands for a moment. A set that stood before the first look is begun at once.
func TestWhatIsSentEarly(t *testing.T) {
	arriving := func(changes ...func(*plan.Scene)) plan.Scene {
		s := plantest.Running(plantest.AScene(5), 3, 6)
		return plantest.With(s, append([]func(*plan.Scene){turn(6), changed(0)}, changes...)...)
	}
	whole := func(changes ...func(*plan.Scene)) plan.Scene {
		return plantest.With(plantest.AScene(3), append([]func(*plan.Scene){turn(3), changed(0), stood}, changes...)...)
	}
	settle := func(d time.Duration) func(*plan.Scene) { return func(s *plan.Scene) { s.Rules.Settle = d } }
	named := func(i int, name string) func(*plan.Scene) {
		return func(s *plan.Scene) { s.Snapshot.Frames[i].Name = name; plantest.MarkRead(s, i) }
	}
	const moment = plan.EarlyPause
	const waits, begins = "wait: collecting, unsettled, 1 parts", "find project: uploading, finding project, ahead"
	rows{
		"read, for a moment":              {arriving(unsentFrom(3), arrives(3, moment), remains(4)), "upload: uploading, sending, 3 of 6, 04"},
		"unread, for less":                {arriving(arrives(3, moment-1), unreadFrame(3), remains(4)), waits + ", until 1ns, due 1ns"},
		"unread, for a moment":            {arriving(arrives(3, moment), unreadFrame(3), remains(4)), "read: collecting, unsettled, 1 parts, 04"},
		"two unread, the first later":     {arriving(arrives(3, moment-2), unreadFrame(3), arrives(4, moment-1), unreadFrame(4)), "wait: collecting, unsettled, 2 parts, until 1ns, due 1ns"},
		"two unread, the second later":    {arriving(arrives(3, moment-1), unreadFrame(3), arrives(4, moment-2), unreadFrame(4)), "wait: collecting, unsettled, 2 parts, until 1ns, due 1ns"},
		"unread, beside a temporary file": {arriving(arrives(3, 0), unreadFrame(3), remains(4), busy("", time.Minute)), "wait: collecting, unsettled, 2 parts, until 100ms, due 100ms"},
		"unread, a temporary file sooner": {arriving(arrives(3, 0), unreadFrame(3), remains(4), busy("", plan.BusyPatience-1)), "wait: collecting, unsettled, 2 parts, until 1ns, due 1ns"},
		"read, beside a temporary file":   {arriving(arrives(2, 0), remains(3), busy("", time.Minute)), "wait: collecting, unsettled, 2 parts, until 9m0s, due 9m0s"},
		"found broken":                    {arriving(arrives(3, moment), broken(3, 0), remains(4)), waits},
		"read, and changed":               {arriving(arrives(3, moment), grows(3), remains(4)), "read: collecting, unsettled, 1 parts, 04"},
		"a video":                         {arriving(named(3, "turn.mp4"), arrives(3, moment), remains(4)), waits},
		"not wanted":                      {arriving(arrives(3, moment), remains(4), calm), waits},
		"with a settle of little":         {arriving(settle(4*moment-1), arrives(3, moment), remains(4)), waits},
		"with a settle worth it":          {arriving(settle(4*moment), arrives(3, moment), remains(4)), "upload: uploading, sending, 3 of 6, 04"},
		"under way":                       {arriving(flies(3), arrives(3, moment), unreadFrame(3), remains(4)), waits},
		"begun, and not known to be sent": {arriving(arrives(2, moment), unsentFrom(2), unreadFrame(2), remains(3)), "read: collecting, unsettled, 1 parts, 03"},
		"a name that falls together":      {arriving(named(3, "FRAME_01.jpg"), arrives(3, moment), remains(4)), waits},
		"a name that needs a position":    {arriving(named(3, "10.jpg"), named(4, "9.jpg"), arrives(3, moment), arrives(4, moment), natural), "wait: collecting, unsettled, 2 parts"},
		"a frame too many":                {arriving(turn(4), arrives(3, moment), arrives(4, moment)), "wait: collecting, unsettled, 2 parts"},
		"a first frame of two":            {plantest.With(plantest.AScene(1), turn(2), changed(0)), "find project: uploading, finding project"},
		"names that need positions":       {plantest.With(plantest.AScene(0), adds("8.jpg", "9.jpg", "10.jpg"), natural, turn(4), changed(0)), "wait: collecting, awaits rest, 3 of 4, until 30s, quiet at 30s, due 30s"},

		"a set that stood":                {whole(), begins},
		"unread":                          {whole(unread), "read: collecting, checking, 3 of 0, 01, 02, 03"},
		"one unread":                      {whole(unreadFrame(1)), "read: collecting, checking, 1 of 0, 02"},
		"a set that is not to be hurried": {whole(calm), "wait: collecting, watched, 3 of 3, for 5s"},
		"a set of another number":         {whole(turn(4), unread), "wait: collecting, watched, 3 of 4, for 5s"},
		"a set of unknown number":         {whole(turn(0), unread), "wait: collecting, watched, 3 of 0, for 5s, quiet at 30s"},
		"a set with a clash of names":     {whole(named(2, "FRAME_01.jpg")), "wait: collecting, watched, 3 of 3, for 5s"},
		"a set that needs positions":      {whole(named(0, "8.jpg"), named(1, "9.jpg"), named(2, "10.jpg"), natural), "wait: collecting, watched, 3 of 3, for 5s"},
		"a set without its marker":        {whole(awaitsMarker), "wait: collecting, watched, 3 of 3, for 5s"},
		"a view shot again":               {plantest.With(plantest.Published(plantest.AScene(3)), turn(3), changed(0), anew(0, 1, 2), stood, unread), "wait: collecting, watched, 3 of 3, for 5s"},

		"all sent":                       {plantest.With(plantest.Running(whole(), 3, 3)), "wait: uploading, all sent, watched, for 5s"},
		"all but one sent":               {plantest.With(plantest.Running(whole(), 3, 3), unsentFrom(2), early(2)), "upload: uploading, sending, 3 of 3, 03"},
		"all, of which one is under way": {plantest.With(plantest.Running(whole(), 3, 3), unsentFrom(2), flies(2)), "wait: collecting, watched, 3 of 3, for 5s"},
		"all, of which one has begun":    {plantest.With(plantest.Running(whole(), 2, 3), flies(2)), "wait: collecting, watched, 3 of 3, for 5s"},
		"beside a broken one":            {plantest.With(plantest.Running(whole(), 3, 3), still(0), broken(0, 0), busy("frame_02.jpg", 0)), "wait: collecting, unsettled, 3 parts, until 30s, due 30s"},
		"one unread of a run":            {plantest.With(plantest.Running(whole(), 2, 3), unreadFrame(2)), "read: collecting, watched, 3 of 3, for 5s, 03"},
		"sent, now of two":               {plantest.With(plantest.Running(whole(), 3, 3), remains(2)), "wait: collecting, watched, 2 of 3, for 5s"},
	}.check(t)
}

func natural(s *plan.Scene) { s.Rules.Order = "natural" }

func still(i int) func(*plan.Scene) { return func(s *plan.Scene) { s.Snapshot.Frames[i].Still = true } }

func grows(i int) func(*plan.Scene) { return func(s *plan.Scene) { s.Snapshot.Frames[i].Size++ } }

// flies says that a frame is being sent.
func flies(i int) func(*plan.Scene) {
	return func(s *plan.Scene) { s.UnderWay = map[string]bool{s.Snapshot.Frames[i].Name: true} }
}

// unsentFrom says that the uploads of the run's frames from this one on were begun and did not end.
func unsentFrom(i int) func(*plan.Scene) {
	return func(s *plan.Scene) {
		for ; i < len(s.Record.Run.Frames); i++ {
			s.Record.Run.Frames[i].Uploaded = false
		}
	}
}

// TestWhatARunSends: a run sends each whole frame once, and needs another form where the service
// must forget one.
func TestWhatARunSends(t *testing.T) {
	sending := func(sent int, changes ...func(*plan.Scene)) plan.Scene {
		return plantest.With(plantest.Running(plantest.AScene(3), sent, 3), changes...)
	}
	expires := func(in time.Duration) func(*plan.Scene) {
		return func(s *plan.Scene) { s.Record.Run.Form.Expires = plantest.Noon.Add(in) }
	}
	fast := func(s *plan.Scene) { s.Clock = time.Second }
	stored := func(s *plan.Scene) { s.Record.Run.Frames[0].Stored = "001_frame_01.jpg" }
	unread := func(s *plan.Scene) { clear(s.Readings) }
	captured := func(s *plan.Scene) { s.Rules.Order = "captured" }
	again := func(since time.Duration) func(*plan.Scene) {
		return func(s *plan.Scene) {
			plantest.ReadAgain(s, 0, "frame_01.jpg")
			s.Snapshot.Frames[0].Since = plantest.Noon.Add(since)
		}
	}
	readEarly := func(s *plan.Scene) {
		r := s.Readings["frame_01.jpg"]
		r.Early = true
		s.Readings["frame_01.jpg"] = r
	}
	setback := func(b syncstate.Setbacks) func(*plan.Scene) {
		return func(s *plan.Scene) { s.Record.Run.Setbacks = b }
	}
	const finishes = "finish: uploading, all sent, 01, 02, 03"
	const reuploads, compares = "reupload: uploading, reuploading, 3 images", "read: uploading, comparing sent, 1 of 0, 01, digest"
	rows{
		"the rest":                     {sending(1), "upload: uploading, sending, 1 of 3, 02, 03"},
		"nothing":                      {sending(3), finishes},
		"what did not end":             {sending(3, unsentFrom(1)), "upload: uploading, sending, 1 of 3, 02, 03"},
		"before the form ends":         {sending(1, expires(time.Minute)), "upload: uploading, sending, 1 of 3, 02, 03"},
		"by the clock of the service":  {sending(1, expires(time.Minute), fast), "end form: uploading, form too old"},
		"with a form too old":          {sending(1, expires(time.Minute-1)), "end form: uploading, form too old"},
		"with an old form for nothing": {sending(3, expires(0)), finishes},
		"under another name":           {sending(3, stored), reuploads},
		"one that changed":             {sending(3, anew(0)), reuploads},
		"one that is gone":             {sending(3, turn(2), changed(0), remains(2)), "reupload: uploading, reuploading, 2 images"},
		"a set that still grows":       {sending(0, turn(4), changed(0)), "upload: uploading, sending, 0 of 4, 01, 02, 03"},
		"no more after a refused form": {sending(0, turn(4), changed(0), setback(syncstate.Setbacks{RefusedForms: 1})), "wait: collecting, awaits rest, 3 of 4, until 30s, quiet at 30s, due 30s"},
		"no more after a short form":   {sending(0, turn(4), changed(0), setback(syncstate.Setbacks{ExpiredForms: 1})), "wait: collecting, awaits rest, 3 of 4, until 30s, quiet at 30s, due 30s"},
		"one sent early that is gone":  {sending(3, turn(3), changed(0), early(2), remains(2)), reuploads},

		"one sent early":                     {sending(3, turn(3), early(0)), compares},
		"one sent early, read before":        {sending(3, turn(3), early(0), again(1)), compares},
		"one sent early, and read at rest":   {sending(3, turn(3), early(0), again(0)), finishes},
		"one sent early, and found broken":   {sending(3, turn(3), early(0), broken(0, 0)), "wait: collecting, unsettled, 1 parts, until 1m0s, due 1m0s"},
		"one sent and read early":            {sending(3, turn(3), early(0), again(0), readEarly), compares},
		"one read early":                     {sending(0, readEarly), "read: collecting, checking, 1 of 0, 01"},
		"one that changed since it was read": {sending(0, grows(0)), "read: collecting, checking, 1 of 0, 01"},
		"frames sent without their time":     {sending(3, turn(3), unread, captured), "read: collecting, checking, 3 of 0, 01, 02, 03"},
		"frames sent with their time": {sending(3, turn(3), unread, captured, func(s *plan.Scene) {
			for i := range s.Record.Run.Frames {
				s.Record.Run.Frames[i].Captured = plantest.Noon.Add(time.Duration(i))
			}
		}), finishes},
		"one that may have been moved": {sending(3, turn(3), early(0), func(s *plan.Scene) {
			s.Snapshot.Frames[0].Changed = 7
			s.Touches = map[string]plan.Touch{"frame_01.jpg": {Changed: 7}}
		}), compares},
	}.check(t)
}

// TestWhatIsComparedWithTheView: a view is published anew for another content, and for nothing
// else.
func TestWhatIsComparedWithTheView(t *testing.T) {
	touched := func(i int) func(*plan.Scene) {
		return func(s *plan.Scene) { plantest.Touch(s, i, s.Snapshot.Frames[i].Name) }
	}
	unsure := func(i int) func(*plan.Scene) {
		return func(s *plan.Scene) { plantest.Touch(s, i, ""); plantest.MarkRead(s, i) }
	}
	renamed := func(s *plan.Scene) { s.Record.Published.Frames[0].Stored = "001_frame_01.jpg" }
	empty := func(s *plan.Scene) { s.Record.Published.Frames[0].Size = 0 }
	const reuploads, seenAgain = "reupload: uploading, reuploading, 3 images", "wait: published"
	rows{
		"touched":                         {view(touched(1)), "note: published"},
		"touched, and one gone":           {view(touched(1), remains(2)), "reupload: uploading, reuploading, 2 images"},
		"touched, and one perhaps":        {view(touched(1), unsure(0)), "read: collecting, comparing, 1 of 0, 01, digest"},
		"perhaps, and beside a temporary": {view(unsure(0), busy("frame_02.jpg", 0)), "wait: collecting, unsettled, 1 parts, until 10m0s, due 10m0s"},
		"perhaps, and one shot again":     {view(unsure(0), anew(1)), reuploads},
		"one new":                         {view(adds("frame_04.jpg")), "reupload: uploading, reuploading, 4 images"},
		"one in the place of another":     {view(remains(2), adds("frame_04.jpg")), reuploads},
		"one under another name":          {view(renamed), reuploads},
		"one of no size":                  {view(empty, touched(0)), reuploads},
		"one seen again":                  {view(moves(0)), seenAgain},
		"all seen again":                  {view(notSeenAtRest), seenAgain},
		"one seen again, one broken":      {view(moves(0), broken(1, 0)), "wait: collecting, unsettled, 2 parts, until 1m0s, due 1m0s"},
		"seen again in a run":             {view(moves(0), func(s *plan.Scene) { s.Record.Run = new(syncstate.Run) }), "wait: collecting, unsettled, 1 parts, quiet at -59m30s"},
	}.check(t)
}
