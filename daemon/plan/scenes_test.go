package plan_test

import (
	"errors"
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

const quiet = plantest.Quiet

// The changes of scenes that several tables share.
func turn(n int) func(*plan.Scene) { return func(s *plan.Scene) { s.Facts.Rules.Frames = n } }

func changed(ago time.Duration) func(*plan.Scene) {
	return func(s *plan.Scene) { s.Facts.Snapshot.Changed = plantest.Noon.Add(-ago) }
}

func awaitsMarker(s *plan.Scene) { s.Facts.Rules.Marker = "done.txt" }

func marked(s *plan.Scene) {
	awaitsMarker(s)
	s.Facts.Snapshot.Marker = &watcher.File{Name: "done.txt", Size: 1, ModTime: plantest.Noon}
}

func moves(i int) func(*plan.Scene) {
	return func(s *plan.Scene) {
		s.Facts.Snapshot.Frames[i].Still, s.Facts.Snapshot.Frames[i].Since = false, plantest.Noon
	}
}

// busy lays a temporary file beside the frames, which may stand for one of them.
func busy(stands string, age time.Duration) func(*plan.Scene) {
	return func(s *plan.Scene) {
		f := watcher.File{Name: "x.part", Since: plantest.Noon.Add(-age)}
		s.Facts.Snapshot.Busy = append(s.Facts.Snapshot.Busy, watcher.Busy{File: f, Frame: stands})
	}
}

func broken(i int, age time.Duration) func(*plan.Scene) {
	return func(s *plan.Scene) { plantest.Break(s, i, plantest.Noon.Add(-age)) }
}

func asIs(content string) func(*plan.Scene) {
	return func(s *plan.Scene) { s.Record.Wishes.AsIs = content }
}

func reshot(frames ...int) func(*plan.Scene) {
	return func(s *plan.Scene) {
		for _, i := range frames {
			plantest.Touch(s, i, "new")
		}
	}
}

func foundLast(frame int) func(*plan.Scene) {
	return func(s *plan.Scene) { s.Facts.Snapshot.Frames[frame].Since = plantest.Noon }
}

// stood has these frames be there at the first look at a folder from an earlier process.
func stood(frames ...int) func(*plan.Scene) {
	return func(s *plan.Scene) {
		s.Facts.Stood = map[string]syncstate.File{}
		for _, i := range frames {
			f := s.Facts.Snapshot.Frames[i]
			s.Facts.Stood[f.Name] = plan.FileOf(f)
		}
	}
}

func remains(n int) func(*plan.Scene) {
	return func(s *plan.Scene) { s.Facts.Snapshot.Frames = s.Facts.Snapshot.Frames[:n] }
}

func adds(names ...string) func(*plan.Scene) {
	return func(s *plan.Scene) {
		for _, name := range names {
			plantest.AddFrame(s, name)
		}
	}
}

func others(count int) func(*plan.Scene) {
	return func(s *plan.Scene) {
		s.Facts.Snapshot.NotTaken = &watcher.NotTaken{Files: []watcher.NotTakenFile{{File: "a.bmp", Why: "no frame"}}, Count: count}
	}
}

// shownBefore has a person shown this cause before, for the same files.
func shownBefore(cause *status.Cause) func(*plan.Scene) {
	return func(s *plan.Scene) {
		s.Record.Shown = syncstate.Shown{
			State: string(status.Attention), Cause: cause, Detail: "a request",
			Content: plan.ContentOf(s.Facts.Snapshot, s.Facts.Settings),
		}
	}
}

func fresh(n int, changes ...func(*plan.Scene)) plan.Scene {
	return plantest.With(plantest.AScene(n), changes...)
}

func view(changes ...func(*plan.Scene)) plan.Scene {
	return plantest.With(plantest.Published(plantest.AScene(3)), changes...)
}

func unread(s *plan.Scene) { clear(s.Facts.Readings) }

func notSeenStill(s *plan.Scene) {
	for i := range s.Facts.Snapshot.Frames {
		s.Facts.Snapshot.Frames[i].Still = false
	}
}

func gone(reads int) func(*plan.Scene) {
	return func(s *plan.Scene) {
		s.Facts.Snapshot = watcher.Snapshot{Root: "/shoots", Folder: "SKU-1", Absent: watcher.Absence{Since: plantest.Noon.Add(-time.Minute), Reads: reads}}
	}
}

func deleting(s *plan.Scene) { s.Facts.Rules.DeleteGone = true }

func verified(s *plan.Scene) { s.Record.Absence.Verified = plantest.Noon.Add(-time.Hour) }

// asked gives the scene a question to a person that was put while the folder was gone, and answered
// or not.
func asked(r syncstate.Removal) func(*plan.Scene) {
	return func(s *plan.Scene) {
		s.Record.Absence.Removal = r
		verified(s)
	}
}

func idle(s *plan.Scene) { s.Facts.Snapshot.Idle, s.Facts.Snapshot.Frames = true, nil }

func offline(s *plan.Scene) { s.Around.Offline = status.Because(status.RootOffline) }

func blind(s *plan.Scene) {
	s.Facts.Blind = &plan.Blind{Err: errors.New("input/output error"), Until: plantest.Noon.Add(time.Second)}
}

func titled(s *plan.Scene) { s.Facts.Wanted.Title = "New" }

// running gives the scene a run in this phase, with all of its frames sent.
func running(p syncstate.Phase) func(*plan.Scene) {
	return func(s *plan.Scene) {
		*s = plantest.Running(*s, len(s.Facts.Snapshot.Frames), len(s.Facts.Snapshot.Frames))
		s.Record.Run.Phase = p
	}
}

// cannotRead is the step of a folder that waits for files that the disk does not give.
const cannotRead = "wait: retrying, unreadable, until 1s, due 1s"

// trouble is a failure of noon, tried again after a minute or by a person.
func trouble(kind syncstate.TroubleKind, content string) func(*plan.Scene) {
	return func(s *plan.Scene) {
		s.Record.Trouble = &syncstate.Trouble{
			Kind: kind, Cause: status.Because(status.NoAnswer), Detail: "a request", At: plantest.Noon, Content: content,
			Tries: syncstate.Tries{Next: plantest.Noon.Add(time.Minute)},
		}
	}
}

func unchecked(s *plan.Scene) { s.Unchecked = true }

func textless(s *plan.Scene) { s.Facts.Texts.Said = nil }

func intended(s *plan.Scene) {
	s.Record.Late.AltIntent = map[int64]map[string]string{1: {"en": "A shoe"}}
}

// read has the frame read again, and found whole.
func read(i int) func(*plan.Scene) { return func(s *plan.Scene) { plantest.MarkRead(s, i) } }

func unanswered(s *plan.Scene) {
	s.Record.Product.UUID, s.Record.Published = "", nil
	s.Record.Run = plantest.Making("SKU-1")
}

func doubted(s *plan.Scene) { s.Record.Doubted = true }

// lookedFor sets how long ago the service was last asked for the view.
func lookedFor(ago time.Duration) func(*plan.Scene) {
	return func(s *plan.Scene) { s.Record.Absence.Verified = plantest.Noon.Add(-ago) }
}

// missedFor sets since when a folder that is gone was missed.
func missedFor(span time.Duration) func(*plan.Scene) {
	return func(s *plan.Scene) { s.Facts.Snapshot.Absent.Since = plantest.Noon.Add(-span) }
}

func unreadFrame(i int) func(*plan.Scene) {
	return func(s *plan.Scene) { delete(s.Facts.Readings, s.Facts.Snapshot.Frames[i].Name) }
}

func natural(s *plan.Scene) { s.Facts.Rules.Order = "natural" }

func grows(i int) func(*plan.Scene) { return func(s *plan.Scene) { s.Facts.Snapshot.Frames[i].Size++ } }

// flies says that a frame is being sent.
func flies(i int) func(*plan.Scene) {
	return func(s *plan.Scene) { s.UnderWay = map[string]bool{s.Facts.Snapshot.Frames[i].Name: true} }
}

// unsentFrom says that the uploads of the run's frames from this one on were begun and did not end.
func unsentFrom(i int) func(*plan.Scene) {
	return func(s *plan.Scene) {
		for ; i < len(s.Record.Run.Frames); i++ {
			s.Record.Run.Frames[i].Uploaded = false
		}
	}
}

func shownPublished(s *plan.Scene) {
	s.Record.Shown = syncstate.Shown{State: string(status.Published), Content: plan.ContentOf(s.Facts.Snapshot, s.Facts.Settings)}
}
