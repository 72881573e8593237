package plan_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"spinsync/daemon/alttext"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

const quiet = plantest.Quiet

// TestQuietIsTold: people are told when a folder has been quiet for long enough, from when its
// last frame came on, where that is what it waits for.
func TestQuietIsTold(t *testing.T) {
	stirred := func(s *plan.Scene) { s.Facts.Snapshot.Changed = plantest.Noon.Add(-time.Second) }
	moving := func(s *plan.Scene) { s.Facts.Snapshot.Frames[0].Still = false }
	end := plantest.Noon.Add(quiet - time.Second)
	for name, test := range map[string]struct {
		scene plan.Scene
		want  time.Time
	}{
		"still frames":     {plantest.With(plantest.AScene(3), stirred), end},
		"a changing frame": {plantest.With(plantest.AScene(3), stirred, moving), end},
		"a marker":         {plantest.With(plantest.AScene(3), stirred, moving, func(s *plan.Scene) { s.Facts.Rules.Marker = "done.txt" }), time.Time{}},
		"a broken frame":   {plantest.With(plantest.AScene(3), stirred, moving, func(s *plan.Scene) { plantest.Break(s, 1, plantest.Noon) }), time.Time{}},
	} {
		if next := plan.Next(plantest.Judged(test.scene)); next.State != status.Collecting || !next.QuietAt.Equal(test.want) {
			t.Errorf("%s: %s until %s, %s", name, next.State, next.QuietAt, plantest.Said(next.Cause))
		}
	}
}

// TestFramesThatMustBeStill: of a published folder in which one frame is shot again the others are
// not said to change.
func TestFramesThatMustBeStill(t *testing.T) {
	s := plantest.Published(plantest.AScene(3))
	for i := range s.Facts.Snapshot.Frames {
		s.Facts.Snapshot.Frames[i].Still = false
	}
	s.Facts.Snapshot.Frames[1].Size++
	want := "waiting for frame_02.jpg (not still yet), frame_01.jpg (checked again), frame_03.jpg (checked again)"
	if next := plan.Next(plantest.Judged(s)); plantest.Said(next.Cause) != want {
		t.Errorf("%s, want %s", plantest.Said(next.Cause), want)
	}
}

func TestPlan(t *testing.T) {
	known := func(n int) func(*plan.Scene) { return func(s *plan.Scene) { s.Facts.Rules.Frames = n } }
	whenQuiet := func(s *plan.Scene) { s.Record.AsIs = syncstate.AsIsWhenQuiet }
	stirred := func(s *plan.Scene) { s.Facts.Snapshot.Changed = plantest.Noon.Add(-time.Second) }
	lastMoves := func(s *plan.Scene) { s.Facts.Snapshot.Frames[len(s.Facts.Snapshot.Frames)-1].Still = false }
	temporary := func(name, stands string, age time.Duration) func(*plan.Scene) {
		return func(s *plan.Scene) {
			s.Facts.Snapshot.Busy = []watcher.Busy{{File: watcher.File{Name: name, Since: plantest.Noon.Add(-age)}, Frame: stands, Reason: "download"}}
		}
	}
	lasting := func(s *plan.Scene) {
		s.Facts.Snapshot.Busy = []watcher.Busy{{File: watcher.File{Name: ".x.icloud"}, Reason: "on iCloud alone", Lasting: true}}
	}
	marked := func(s *plan.Scene) {
		s.Facts.Rules.Marker, s.Facts.Snapshot.Marker = "done.txt", &watcher.File{Name: "done.txt"}
	}
	named := func(names ...string) func(*plan.Scene) {
		return func(s *plan.Scene) {
			for _, name := range names {
				plantest.AddFrame(s, name)
			}
		}
	}
	moving := func(s *plan.Scene) { s.Facts.Snapshot.Frames[0].Still = false }
	stopped := func(cause status.Cause) func(*plan.Scene) {
		return func(s *plan.Scene) {
			told(&cause)(s)
		}
	}
	broken := func(name string) status.Cause {
		return status.Cause{Kind: status.BrokenFrame, Name: name, Text: "ends early"}
	}
	fewOfFour := status.Cause{Kind: status.TooFew, Count: 3, Of: 4}
	tests := []struct {
		name   string
		scene  plan.Scene
		action plan.Action
		state  status.State
		says   string
	}{
		{"an empty folder waits for frames", plantest.AScene(0), plan.Idle, status.Collecting, "no frames"},
		{"a moving folder of unknown count waits for quiet", plantest.With(plantest.AScene(3), stirred), plan.Wait, status.Collecting, "quiet for 30s"},
		{"a quiet folder looks for its project", plantest.AScene(3), plan.FindProject, status.Uploading, ""},
		{"unread frames are read first", plantest.With(plantest.AScene(3), func(s *plan.Scene) { clear(s.Facts.Readings) }), plan.Wait, status.Collecting, "3 frames"},
		{"one busy frame holds back the whole folder", plantest.With(plantest.AScene(3), moving), plan.Wait, status.Collecting, "frame_01.jpg"},
		{"a temporary name holds back the whole folder", plantest.With(plantest.AScene(3), temporary("x.part", "", 0)), plan.Wait, status.Collecting, "x.part"},
		{"a temporary file of ten minutes ago holds nothing up", plantest.With(plantest.AScene(3), temporary("x.part", "", plan.BusyPatience)), plan.FindProject, status.Uploading, ""},
		{"on a network drive the temporary file of a frame holds a set a minute longer", plantest.With(plantest.Running(plantest.With(plantest.AScene(3), known(3), temporary("frame_02.jpg.part", "frame_02.jpg", quiet)), 3, 3), func(s *plan.Scene) {
			s.Facts.Network = true
		}), plan.Wait, status.Collecting, "frame_02.jpg.part"},
		{"a photo that is there and cannot be read holds up every set, however old it is", plantest.With(plantest.AScene(3), lasting), plan.Wait, status.Collecting, ".x.icloud (on iCloud alone)"},
		{"it holds up a marked set too", plantest.With(plantest.AScene(3), marked, lasting), plan.Wait, status.Collecting, ".x.icloud"},
		{"a temporary file of nine minutes ago holds up a set of unknown count", plantest.With(plantest.AScene(3), temporary("x.part", "", plan.BusyPatience-time.Minute)), plan.Wait, status.Collecting, "x.part"},
		{"a temporary file holds up a set that is not all there", plantest.Running(plantest.With(plantest.AScene(3), known(4), temporary("x.tmp", "", time.Minute)), 3, 4), plan.Wait, status.Collecting, "x.tmp"},
		{"a temporary file that stands for no frame holds up no counted set", plantest.Running(plantest.With(plantest.AScene(3), known(3), temporary("x.tmp", "", 0)), 3, 3), plan.Finish, status.Uploading, ""},
		{"one that stands for a frame holds up a counted set", plantest.Running(plantest.With(plantest.AScene(3), known(3), temporary("frame_02.jpg.part", "frame_02.jpg", quiet-time.Second)), 3, 3), plan.Wait, status.Collecting, "frame_02.jpg.part"},
		{"it does so until it was quiet", plantest.Running(plantest.With(plantest.AScene(3), known(3), temporary("frame_02.jpg.part", "frame_02.jpg", quiet)), 3, 3), plan.Finish, status.Uploading, ""},
		{"a count in the names is a known one", plantest.Running(plantest.With(plantest.AScene(0), named("a_01of02.jpg", "a_02of02.jpg"), temporary("x.tmp", "", 0)), 2, 2), plan.Finish, status.Uploading, ""},
		{"a temporary file that stands for no frame holds up no marked set", plantest.Running(plantest.With(plantest.AScene(3), marked, temporary("x.tmp", "", 0)), 3, 3), plan.Finish, status.Uploading, ""},
		{"one that stands for a frame holds up a marked set", plantest.With(plantest.AScene(3), marked, temporary("frame_02.jpg.part", "frame_02.jpg", 0)), plan.Wait, status.Collecting, "frame_02.jpg.part"},
		{"what was left behind beside published frames changes nothing", plantest.Published(plantest.With(plantest.AScene(3), temporary("x.part", "", plan.BusyPatience))), plan.Idle, status.Published, ""},
		{"a broken frame is waited for at first", plantest.With(plantest.AScene(3), func(s *plan.Scene) { plantest.Break(s, 1, plantest.Noon.Add(-time.Second)) }), plan.Wait, status.Collecting, "frame_02.jpg"},
		{"a broken frame that stays is named", plantest.With(plantest.AScene(3), func(s *plan.Scene) { plantest.Break(s, 1, plantest.Noon.Add(-time.Hour)) }), plan.Idle, status.Attention, "frame_02.jpg"},

		{"what a person was told is told while the same frames are not seen at rest again", plantest.With(plantest.AScene(3), known(4), notSeenAtRest, stopped(fewOfFour)), plan.Wait, status.Attention, "too few"},
		{"what a person was told is told while the same frames are read again", plantest.With(plantest.AScene(3), unread, stopped(fewOfFour)), plan.Wait, status.Attention, "too few"},
		{"what a person was told of frames that are too few is told again before it is quiet", plantest.Running(plantest.With(plantest.AScene(3), known(4), stirred, stopped(fewOfFour)), 3, 4), plan.Wait, status.Attention, "too few"},
		{"what a person was told of a broken frame is told again at once", plantest.With(plantest.AScene(3), stirred, stopped(broken("frame_02.jpg")), func(s *plan.Scene) {
			plantest.Break(s, 1, plantest.Noon)
		}), plan.Wait, status.Attention, "frame_02.jpg: ends early"},
		{"what a person was told holds up nothing", plantest.With(plantest.AScene(3), stopped(fewOfFour)), plan.FindProject, status.Uploading, ""},

		{"a known count starts with the first frame", plantest.With(plantest.AScene(1), known(36), stirred), plan.FindProject, status.Uploading, ""},
		{"a known count sends what is there", plantest.Running(plantest.With(plantest.AScene(5), known(36), stirred), 3, 36), plan.Upload, status.Uploading, "3 of 36"},
		{"a known count waits for the rest", plantest.Running(plantest.With(plantest.AScene(5), known(36), stirred), 5, 36), plan.Wait, status.Collecting, "5 of 36"},
		{"a frame is not sent before it is still", plantest.Running(plantest.With(plantest.AScene(5), known(36), stirred, lastMoves), 4, 36), plan.Wait, status.Collecting, "frame_05.jpg"},
		{"a frame that was sent keeps its form while it is seen again", plantest.Running(plantest.With(plantest.AScene(5), known(5), stirred, lastMoves), 5, 5), plan.Wait, status.Collecting, "frame_05.jpg"},
		{"a frame that was sent and changes ends the form, and nothing is asked for before it is still", plantest.With(plantest.Running(plantest.With(plantest.AScene(5), known(5), stirred), 5, 5), func(s *plan.Scene) {
			plantest.Touch(s, 4, "new")
		}, lastMoves), plan.Wait, status.Collecting, "frame_05.jpg"},
		{"a set that was sent and is known to be still waits for its marker, and for nothing else", plantest.With(plantest.Running(plantest.With(plantest.AScene(5), known(5)), 5, 5), func(s *plan.Scene) {
			s.Facts.Rules.Marker = "done.txt"
		}), plan.Idle, status.Collecting, "5 of 5 frames, waiting for done.txt"},
		{"a known count finishes right after the last", plantest.Running(plantest.With(plantest.AScene(36), known(36), stirred), 36, 36), plan.Finish, status.Uploading, ""},
		{"too few frames are waited for, and not said to be complete when quiet", plantest.With(plantest.Running(plantest.With(plantest.AScene(5), known(36)), 5, 36), stirred),
			plan.Wait, status.Collecting, "5 of 36 frames, waiting for the other frames"},
		{"too few frames are a person's matter when quiet", plantest.Running(plantest.With(plantest.AScene(5), known(36)), 5, 36), plan.Idle, status.Attention, "too few"},
		{"too many frames are a person's matter at once", plantest.With(plantest.AScene(37), known(36), stirred), plan.Idle, status.Attention, "too many"},
		{"a person may accept fewer", plantest.With(plantest.AScene(5), known(36), func(s *plan.Scene) { s.Record.AsIs = 5 }), plan.FindProject, status.Uploading, ""},
		{"what a person accepted while it arrived waits for quiet", plantest.Running(plantest.With(plantest.AScene(5), known(36), stirred, whenQuiet), 5, 36), plan.Wait, status.Collecting, "5 of 36"},
		{"what a person accepted while it arrived is taken when quiet", plantest.Running(plantest.With(plantest.AScene(5), known(36), whenQuiet), 5, 36), plan.Reupload, status.Uploading, ""},
		{"more than announced that a person accepted wait for quiet", plantest.With(plantest.AScene(37), known(36), stirred, whenQuiet), plan.Wait, status.Collecting, "37 of 36"},
		{"fewer than announced need a new form", plantest.Running(plantest.With(plantest.AScene(5), known(36), func(s *plan.Scene) { s.Record.AsIs = 5 }), 5, 36), plan.Reupload, status.Uploading, ""},

		{"a marker is waited for", plantest.With(plantest.AScene(3), func(s *plan.Scene) { s.Facts.Rules.Marker = "done.txt" }), plan.Idle, status.Collecting, "done.txt"},
		{"a marker makes complete at once", plantest.With(plantest.AScene(3), stirred, func(s *plan.Scene) {
			s.Facts.Rules.Marker, s.Facts.Snapshot.Marker = "done.txt", &watcher.File{Name: "done.txt"}
		}), plan.FindProject, status.Uploading, ""},
		{"a marker does not excuse a wrong count", plantest.With(plantest.AScene(3), known(4), func(s *plan.Scene) {
			s.Facts.Rules.Marker, s.Facts.Snapshot.Marker = "done.txt", &watcher.File{Name: "done.txt"}
		}), plan.Idle, status.Attention, "3 of 4"},

		{"a product folder without a product creates it", plantest.With(plantest.AScene(3), func(s *plan.Scene) {
			s.Record.Project = syncstate.Project{UUID: "project", Title: s.Facts.Wanted.Project}
		}), plan.Create, status.Uploading, ""},
		{"one whose project was corrected looks for the right one", plantest.With(plantest.AScene(3), func(s *plan.Scene) {
			s.Record.Project = syncstate.Project{UUID: "project", Title: "Sumer"}
		}), plan.FindProject, status.Uploading, ""},
		{"a create without an answer comes to its end in its project", plantest.With(plantest.AScene(3), func(s *plan.Scene) {
			s.Record.Project = syncstate.Project{UUID: "project", Title: "Sumer"}
			s.Record.Run = plantest.Making("SKU-1")
		}), plan.Create, status.Uploading, ""},
		{"all frames sent and quiet finishes", plantest.Running(plantest.AScene(3), 3, 3), plan.Finish, status.Uploading, ""},
		{"a frame that changed after it was sent voids the form", plantest.With(plantest.Running(plantest.AScene(3), 2, 3), func(s *plan.Scene) { plantest.Touch(s, 0, "new") }), plan.Reupload, status.Uploading, ""},
		{"a frame that vanished after it was sent voids the form", plantest.With(plantest.Running(plantest.AScene(3), 3, 3), func(s *plan.Scene) {
			s.Facts.Snapshot.Frames = s.Facts.Snapshot.Frames[1:]
		}), plan.Reupload, status.Uploading, ""},
		{"an expired form is dropped while frames are missing", plantest.With(plantest.Running(plantest.AScene(3), 2, 3), func(s *plan.Scene) {
			s.Record.Run.Form.Expires = plantest.Noon
		}), plan.EndForm, status.Uploading, "too old for the frames"},
		{"a dropped form is asked for anew", plantest.With(plantest.Running(plantest.AScene(3), 2, 3), func(s *plan.Scene) { s.Record.Run.DropForm() }), plan.Reupload, status.Uploading, ""},
		{"an expired form does no harm when all is sent", plantest.With(plantest.Running(plantest.AScene(3), 3, 3), func(s *plan.Scene) {
			s.Record.Run.Form.Expires = plantest.Noon
		}), plan.Finish, status.Uploading, ""},
		{"a sent finish is confirmed, whatever the folder does", plantest.With(plantest.Running(plantest.AScene(3), 3, 3), moving, func(s *plan.Scene) {
			s.Record.Run.Phase = syncstate.Finishing
		}), plan.ConfirmFinish, status.Processing, ""},
		{"processing is polled when due", plantest.With(plantest.Running(plantest.AScene(3), 3, 3), func(s *plan.Scene) {
			s.Record.Run.Phase = syncstate.Processing
		}), plan.Poll, status.Processing, ""},
		{"processing is not polled before", plantest.With(plantest.Running(plantest.AScene(3), 3, 3), func(s *plan.Scene) {
			s.Record.Run.Phase, s.Record.Run.Looks.Next = syncstate.Processing, plantest.Noon.Add(time.Second)
		}), plan.Wait, status.Processing, ""},
		{"a poll that a clock put off for years is due", plantest.With(plantest.Running(plantest.AScene(3), 3, 3), func(s *plan.Scene) {
			s.Record.Run.Phase, s.Record.Run.Looks.Next = syncstate.Processing, plantest.Noon.AddDate(10, 0, 0)
		}), plan.Poll, status.Processing, ""},
		{"a finished revision is read back", plantest.With(plantest.Running(plantest.AScene(3), 3, 3), func(s *plan.Scene) {
			s.Record.Run.Phase = syncstate.Collecting
		}), plan.Collect, status.Processing, ""},

		{"a published folder rests", plantest.Published(plantest.AScene(3)), plan.Idle, status.Published, ""},
		{"a number of frames that is given later is told", plantest.With(plantest.Published(plantest.AScene(3)), known(5)), plan.Idle, status.Published, "published with 3 of 5 frames"},
		{"a published video has no number of frames", plantest.With(plantest.Published(plantest.With(plantest.AScene(0), func(s *plan.Scene) { plantest.AddFrame(s, "turn.mp4") })), known(36)), plan.Idle, status.Published, ""},
		{"a published folder that is seen again stays published", plantest.With(plantest.Published(plantest.AScene(3)), notSeenAtRest), plan.Wait, status.Published, ""},
		{"a published folder in which one frame changes is collecting", plantest.With(plantest.Published(plantest.AScene(3)), notSeenAtRest, func(s *plan.Scene) {
			plantest.Touch(s, 1, "new")
		}), plan.Wait, status.Collecting, "frame_02.jpg (not still yet)"},
		{"a published folder into which somebody writes is collecting", plantest.With(plantest.Published(plantest.AScene(3)), notSeenAtRest, temporary("frame_02.jpg.part", "frame_02.jpg", 0)), plan.Wait, status.Collecting, "frame_02.jpg.part"},
		{"what is published and doubted is held against the service first", plantest.With(plantest.Published(plantest.AScene(3)), notSeenAtRest, func(s *plan.Scene) {
			s.Record.Doubted = true
		}), plan.Wait, status.Collecting, "checked again"},
		{"a published folder is compared with the service first", plantest.With(plantest.Published(plantest.AScene(3)), func(s *plan.Scene) {
			s.Record.Doubted = true
		}), plan.Reconcile, status.Processing, ""},
		{"no project is looked for before that", plantest.With(plantest.AScene(3), func(s *plan.Scene) { s.Record.Doubted = true }), plan.Reconcile, status.Processing, ""},
		{"a product that was found is compared once the set is complete", plantest.With(plantest.AScene(1), known(36), stirred, func(s *plan.Scene) {
			s.Record.Doubted, s.Record.Product.UUID = true, "found"
		}), plan.Wait, status.Collecting, "1 of 36"},
		{"and not before it is quiet", plantest.With(plantest.AScene(3), stirred, func(s *plan.Scene) {
			s.Record.Doubted, s.Record.Product.UUID = true, "found"
		}), plan.Wait, status.Collecting, "quiet"},
		{"touched files are compared", plantest.With(plantest.Published(plantest.AScene(3)), func(s *plan.Scene) { plantest.Touch(s, 1, ""); clear(s.Facts.Readings); plantest.MarkRead(s, 1) }), plan.Wait, status.Collecting, "comparing"},
		{"touched files of the same content cost no request", plantest.With(plantest.Published(plantest.AScene(3)), func(s *plan.Scene) { plantest.Touch(s, 1, "frame_02.jpg") }), plan.Note, status.Published, ""},
		{"another content is uploaded again", plantest.With(plantest.Published(plantest.AScene(3)), func(s *plan.Scene) { plantest.Touch(s, 1, "new") }), plan.Reupload, status.Uploading, ""},
		{"a few new frames wait for quiet although the count is right", plantest.With(plantest.Published(plantest.AScene(3)), known(3), stirred, func(s *plan.Scene) {
			plantest.Touch(s, 1, "new")
		}), plan.Wait, status.Collecting, "quiet"},
		{"a full set of new frames needs no quiet", plantest.With(plantest.Published(plantest.AScene(2)), known(2), stirred, func(s *plan.Scene) {
			plantest.Touch(s, 0, "new 1")
			plantest.Touch(s, 1, "new 2")
		}), plan.Reupload, status.Uploading, ""},
		{"a folder whose drive is away waits for it, or for a person", plantest.With(plantest.Published(plantest.AScene(3)), func(s *plan.Scene) {
			s.Facts.Snapshot.Root, s.Facts.Snapshot.Err = "/srv/shoots", &watcher.MountError{Dir: "/srv/shoots/Summer", Why: "lacks its drive"}
		}), plan.Idle, status.Retrying, "/srv/shoots/Summer lacks its drive: connect the drive; if it is right as it is, accept it with `spinsync retry /srv/shoots`"},
		{"an emptied folder keeps its view", plantest.With(plantest.Published(plantest.AScene(3)), func(s *plan.Scene) { s.Facts.Snapshot.Frames = nil }), plan.Idle, status.Collecting, "no frames"},
		{"another title is updated without an upload", plantest.With(plantest.Published(plantest.AScene(3)), func(s *plan.Scene) { s.Facts.Wanted.Title = "New" }), plan.Update, status.Processing, ""},
		{"sidecars are read before alt texts are judged", plantest.With(plantest.Published(plantest.AScene(3)), func(s *plan.Scene) { s.Facts.Texts.Said = nil }), plan.Wait, status.Processing, ""},
		{"alt texts that differ are set", plantest.With(plantest.Published(plantest.AScene(3)), func(s *plan.Scene) {
			s.Facts.Texts.Said = alttext.Texts{"frame_01.jpg": {"en": {Value: "A shoe"}}}
		}), plan.Describe, status.Processing, "1 frame"},
		{"alt texts without an answer are counted too", plantest.With(plantest.Published(plantest.AScene(3)), func(s *plan.Scene) {
			s.Record.AltIntent = map[int64]map[string]string{1: {"en": "A shoe"}, 2: {"en": "A shoe"}}
		}), plan.Describe, status.Processing, "2 frames"},

		{"a gone folder keeps its view", plantest.With(plantest.Published(plantest.AScene(3)), gone(2), verified), plan.Wait, status.Missing, "kept"},
		{"a gone folder that was never published has no view to keep", plantest.With(plantest.Running(plantest.AScene(3), 1, 3), gone(2), verified), plan.Wait, status.Missing, "was never published"},
		{"a folder that never came to anything is forgotten", plantest.With(plantest.AScene(0), gone(1)), plan.Forget, status.Missing, ""},
		{"a gone folder whose create was not answered looks for its view", plantest.With(plantest.AScene(3), gone(1), func(s *plan.Scene) {
			s.Record.Run = plantest.Making("SKU-1")
		}), plan.Abandon, status.Processing, "was created"},
		{"delete waits for a second read", plantest.With(plantest.Published(plantest.AScene(3)), gone(1), deleting), plan.Idle, status.Missing, "stays away"},
		{"delete acts after two reads", plantest.With(plantest.Published(plantest.AScene(3)), gone(2), deleting), plan.Remove, status.Processing, ""},
		{"a folder that came back after a delete looks for its view", plantest.With(plantest.Published(plantest.AScene(3)), func(s *plan.Scene) {
			s.Facts.Snapshot.Idle, s.Record.DeleteSent = true, plantest.Noon
		}), plan.ConfirmDelete, status.Processing, "back"},
		{"delete asks before it acts on many", plantest.With(plantest.Published(plantest.AScene(3)), gone(2), deleting, func(s *plan.Scene) { s.Around.ManyGone = true }), plan.Ask, status.Missing, ""},
		{"what was asked waits for a person, however few are left", plantest.With(plantest.Published(plantest.AScene(3)), gone(2), deleting, asked(syncstate.RemovalAsked)), plan.Idle, status.Attention, "delete its view with `spinsync retry`"},
		{"what was asked stays asked until the second read", plantest.With(plantest.Published(plantest.AScene(3)), gone(1), deleting, asked(syncstate.RemovalAsked)), plan.Idle, status.Attention, "delete its view with `spinsync retry`"},
		{"delete acts on one of many that a person named", plantest.With(plantest.Published(plantest.AScene(3)), gone(2), deleting, asked(syncstate.RemovalConfirmed), func(s *plan.Scene) { s.Around.ManyGone = true }), plan.Remove, status.Processing, ""},
		{"a confirmation ends with the folder's return", plantest.With(plantest.Published(plantest.AScene(3)), asked(syncstate.RemovalConfirmed)), plan.ClearAbsence, status.Collecting, ""},
		{"a kept view is looked for once a day", plantest.With(plantest.Published(plantest.AScene(3)), gone(2), func(s *plan.Scene) { s.Record.Verified = plantest.Noon.Add(-25 * time.Hour) }), plan.Verify, status.Missing, ""},

		{"frames are read while a retry is waited for", plantest.With(plantest.AScene(3), unread, func(s *plan.Scene) {
			s.Record.Trouble = &syncstate.Trouble{Kind: syncstate.Retried, Cause: &status.Cause{Kind: status.Failed, Text: "no answer"}, At: plantest.Noon, Tries: syncstate.Tries{Next: plantest.Noon.Add(time.Minute)}}
		}), plan.Wait, status.Retrying, "no answer"},
		{"a retry waits for its time", plantest.With(plantest.AScene(3), func(s *plan.Scene) {
			s.Record.Trouble = &syncstate.Trouble{Kind: syncstate.Retried, Cause: &status.Cause{Kind: status.Failed, Text: "reset"}, Tries: syncstate.Tries{Next: plantest.Noon.Add(time.Minute)}}
		}), plan.Wait, status.Retrying, "reset"},
		{"a retry waits for a rest that a host asked for", plantest.With(plantest.AScene(3), func(s *plan.Scene) {
			s.Record.Trouble = &syncstate.Trouble{Kind: syncstate.Retried, Cause: &status.Cause{Kind: status.Failed, Text: "busy"}, Tries: syncstate.Tries{Next: plantest.Noon.Add(outcome.LongestPause)}}
		}), plan.Wait, status.Retrying, "busy"},
		{"a retry that a clock put off for years is due", plantest.With(plantest.AScene(3), func(s *plan.Scene) {
			s.Record.Trouble = &syncstate.Trouble{Kind: syncstate.Retried, Cause: &status.Cause{Kind: status.Failed, Text: "reset"}, Tries: syncstate.Tries{Next: plantest.Noon.AddDate(10, 0, 0)}}
		}), plan.FindProject, status.Uploading, ""},
		{"a retry is due when the clock was set back since", plantest.With(plantest.AScene(3), func(s *plan.Scene) {
			s.Record.Trouble = &syncstate.Trouble{Kind: syncstate.Retried, Cause: &status.Cause{Kind: status.Failed, Text: "reset"}, At: plantest.Noon.Add(10 * time.Minute), Tries: syncstate.Tries{Next: plantest.Noon.Add(11 * time.Minute)}}
		}), plan.FindProject, status.Uploading, ""},
		{"a matter that a person is told of and that is tried again ends with another listing", plantest.With(plantest.AScene(3), func(s *plan.Scene) {
			s.Record.Trouble = &syncstate.Trouble{Cause: &status.Cause{Kind: status.Failed, Text: "refused"}, Kind: syncstate.RetriedAndTold, At: plantest.Noon, Tries: syncstate.Tries{Next: plantest.Noon.Add(time.Minute)}, Content: "another"}
		}), plan.FindProject, status.Uploading, ""},
		{"a person's matter ends with another listing", plantest.With(plantest.AScene(3), func(s *plan.Scene) {
			s.Record.Trouble = &syncstate.Trouble{Cause: &status.Cause{Kind: status.Failed, Text: "refused"}, Kind: syncstate.NeedsPerson, Content: "another"}
		}), plan.FindProject, status.Uploading, ""},
		{"a video is one image", plantest.With(plantest.AScene(0), func(s *plan.Scene) { plantest.AddFrame(s, "turn.mp4") }, known(36)), plan.FindProject, status.Uploading, ""},
		{"a video beside images is a person's matter", plantest.With(plantest.AScene(1), func(s *plan.Scene) { plantest.AddFrame(s, "turn.mp4") }), plan.Idle, status.Attention, "video"},
		{"names that fall together are a person's matter", plantest.With(plantest.AScene(1), func(s *plan.Scene) { plantest.AddFrame(s, "FRAME_01.jpg") }), plan.Idle, status.Attention, "FRAME_01.jpg"},
		{"a product.toml that cannot be read is tried again", plantest.With(plantest.AScene(3), func(s *plan.Scene) { s.Facts.Unidentified = plan.UnreadError{Err: errors.New("input/output error")} }), plan.Wait, status.Retrying, "input/output"},
		{"a root that went away is waited for", plantest.With(plantest.AScene(3), func(s *plan.Scene) {
			s.Around.Offline = &status.Cause{Kind: status.RootOffline, Text: "the root went away"}
		}), plan.Wait, status.Retrying, "went away"},
		{"a published folder of a root that went away stays published", plantest.With(plantest.Published(plantest.AScene(3)), func(s *plan.Scene) {
			s.Around.Offline = &status.Cause{Kind: status.RootOffline, Text: "the root went away"}
		}), plan.Idle, status.Published, ""},
		{"a wrong product.toml is a person's matter", plantest.With(plantest.AScene(3), func(s *plan.Scene) { s.Facts.Unidentified = errors.New("product.toml: line 1") }), plan.Idle, status.Attention, "line 1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := plan.Next(plantest.Judged(test.scene))
			shown := test.scene.Shown(got)
			silent := test.says == "" && test.state == status.Published
			if silent && shown.Cause != nil || got.Action != test.action || shown.State != string(test.state) || !strings.Contains(plantest.Said(shown.Cause), test.says) {
				t.Errorf("plan = %s, %s, %q; want %s, %s, …%q…", got.Action, shown.State, plantest.Said(shown.Cause), test.action, test.state, test.says)
			}
		})
	}
}

func unread(s *plan.Scene) { clear(s.Facts.Readings) }

func notSeenAtRest(s *plan.Scene) {
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

func verified(s *plan.Scene) { s.Record.Verified = plantest.Noon.Add(-time.Hour) }

// asked gives the scene a question to a person that was put while the folder was gone, and answered
// or not.
func asked(r syncstate.Removal) func(*plan.Scene) {
	return func(s *plan.Scene) {
		s.Record.Removal = r
		verified(s)
	}
}

// Whatever the folder looks like, the set is finished only when every frame in it is settled,
// whole, sent as it is, and announced in the right number.
func TestFinishIsNeverPlannedForAnythingButTheSetThatWasSent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := plantest.AScene(rapid.IntRange(0, 6).Draw(t, "frames"))
		sent := rapid.IntRange(0, len(s.Facts.Snapshot.Frames)).Draw(t, "sent")
		s = plantest.Running(s, sent, rapid.IntRange(0, 7).Draw(t, "announced"))
		s.Facts.Rules.Frames = rapid.IntRange(0, 7).Draw(t, "known")
		s.Facts.Snapshot.Changed = plantest.Noon.Add(-rapid.SampledFrom([]time.Duration{0, quiet, time.Hour}).Draw(t, "still for"))
		for i := range s.Facts.Snapshot.Frames {
			switch rapid.SampledFrom([]string{"", "", "", "moves", "breaks", "changes", "did not arrive"}).Draw(t, "frame") {
			case "did not arrive":
				if i < sent {
					s.Record.Run.Frames[i].Uploaded = false
				}
			case "moves":
				s.Facts.Snapshot.Frames[i].Still = false
			case "breaks":
				plantest.Break(&s, i, plantest.Noon)
			case "changes":
				plantest.Touch(&s, i, "new")
			}
		}
		if rapid.Bool().Draw(t, "a busy file") {
			age := rapid.SampledFrom([]time.Duration{0, time.Hour}).Draw(t, "busy for")
			stands := rapid.SampledFrom([]string{"", "frame_01.jpg"}).Draw(t, "it stands for")
			s.Facts.Snapshot.Busy = []watcher.Busy{{File: watcher.File{Name: "x.part", Since: plantest.Noon.Add(-age)}, Frame: stands}}
		}
		if plan.Next(plantest.Judged(s)).Action != plan.Finish {
			return
		}
		uploaded := map[string]syncstate.RunFrame{}
		for _, f := range s.Record.Run.Frames {
			uploaded[f.Name] = f
		}
		for _, f := range s.Facts.Snapshot.Frames {
			if sent := uploaded[f.Name]; !sent.Uploaded || !f.Still || !sent.Same(plan.FileOf(f)) {
				t.Fatalf("finish is planned although %s was not sent as it is", f.Name)
			}
		}
		if slices.ContainsFunc(s.Facts.Snapshot.Busy, func(b watcher.Busy) bool { return b.Frame != "" && b.Since.Equal(plantest.Noon) }) {
			t.Fatal("finish is planned while a program writes a frame")
		}
		if len(uploaded) != len(s.Facts.Snapshot.Frames) || s.Record.Run.Images != len(uploaded) {
			t.Fatalf("finish is planned for %v although %d images were announced", slices.Sorted(maps.Keys(uploaded)), s.Record.Run.Images)
		}
	})
}
