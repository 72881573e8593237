package plan

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"spinsync/daemon/alttext"
	"spinsync/daemon/manifest"
	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
	"spinsync/watcher/volume"
)

var Noon = time.Date(2027, 1, 2, 12, 0, 0, 0, time.UTC)

const quiet = 30 * time.Second

// TestQuietIsForeseen: people are told when a folder has been quiet for long enough, from when its
// last frame came on, where that is what it waits for.
func TestQuietIsForeseen(t *testing.T) {
	stirred := func(s *Scene) { s.Snapshot.Changed = Noon.Add(-time.Second) }
	moving := func(s *Scene) { s.Snapshot.Frames[0].Still = false }
	end := Noon.Add(quiet - time.Second)
	for name, test := range map[string]struct {
		scene Scene
		want  time.Time
	}{
		"still frames":     {With(AScene(3), stirred), end},
		"a changing frame": {With(AScene(3), stirred, moving), end},
		"a marker":         {With(AScene(3), stirred, moving, func(s *Scene) { s.Rules.Marker = "done.txt" }), time.Time{}},
		"a broken frame":   {With(AScene(3), stirred, moving, func(s *Scene) { s.BreakFrame(1, Noon) }), time.Time{}},
	} {
		if next := Next(test.scene); next.State != status.Collecting || !next.Quiet.Equal(test.want) {
			t.Errorf("%s: %s until %s, %s", name, next.State, next.Quiet, Said(next.Cause))
		}
	}
}

// TestFramesThatMustBeStill: of a published folder in which one frame is shot again the others are
// not said to change.
func TestFramesThatMustBeStill(t *testing.T) {
	s := AScene(3).Published()
	for i := range s.Snapshot.Frames {
		s.Snapshot.Frames[i].Still = false
	}
	s.Snapshot.Frames[1].Size++
	want := "waiting for frame_02.jpg (still changing), frame_01.jpg (looked at again), frame_03.jpg (looked at again)"
	if next := Next(s); Said(next.Cause) != want {
		t.Errorf("%s, want %s", Said(next.Cause), want)
	}
}

// AScene is a folder with n settled and whole frames that has been quiet for long.
func AScene(n int) Scene {
	s := Scene{
		Now:      Noon,
		Rules:    Rules{Project: "Summer", Order: manifest.Name, Settle: 5 * time.Second, Quiet: quiet, Locale: "en"},
		Snapshot: watcher.Snapshot{Root: "/shoots", Folder: "SKU-1", Present: true, Changed: Noon.Add(-time.Hour)},
		Readings: map[string]Reading{},
		Wanted:   Product{Project: "Summer", Title: "SKU-1", SKU: "SKU-1"},

		NameInShell: "SKU-1",
		Texts:       alttext.Texts{},

		LongestPoll: time.Minute,
	}
	for i := range n {
		s.addFrame(fmt.Sprintf("frame_%02d.jpg", i+1))
	}
	return s
}

func (s *Scene) addFrame(name string) {
	f := watcher.File{Name: name, Size: 1000, ModTime: Noon.Add(-2 * time.Hour), ID: volume.FileID(len(s.Snapshot.Frames) + 1), Still: true}
	s.Snapshot.Frames = append(s.Snapshot.Frames, f)
	s.Readings[name] = Reading{File: FileOf(f), Whole: true, Since: Noon.Add(-time.Hour)}
}

// touch gives a frame another time, as a copy over itself does, and says what a reading would find.
func (s *Scene) touch(i int, content string) {
	f := &s.Snapshot.Frames[i]
	f.ModTime = f.ModTime.Add(time.Minute)
	s.Readings[f.Name] = Reading{File: FileOf(*f), Whole: true, Digest: digestOf(content)}
}

// Published makes the frames as they stand the published revision.
func (s Scene) Published() Scene {
	s.Record.Project = syncstate.Project{UUID: "project", Title: "Summer"}
	s.Record.Product = s.Wanted.Record("product")
	p := &syncstate.Published{Revision: 1, At: Noon.Add(-time.Hour), Images: len(s.Snapshot.Frames)}
	for i, f := range s.Snapshot.Frames {
		p.Frames = append(p.Frames, syncstate.Frame{
			File: FileOf(f), Digest: digestOf(f.Name), ImageID: int64(i + 1), Ordial: i + 1, MediaURL: "https://media.example.com/" + f.Name,
		})
	}
	s.Record.Published = p
	s.Readings = map[string]Reading{}
	return s
}

// Running gives the scene a run with the first sent of its frames uploaded.
func (s Scene) Running(sent, images int) Scene {
	s.Record.Project = syncstate.Project{UUID: "project", Title: "Summer"}
	s.Record.Product = s.Wanted.Record("product")
	run := &syncstate.Run{Images: images, Form: &syncstate.Form{Path: "p"}, Started: Noon.Add(-time.Minute)}
	for _, f := range s.Snapshot.Frames[:sent] {
		run.Frames = append(run.Frames, syncstate.RunFrame{File: FileOf(f), Uploaded: true, Digest: digestOf(f.Name)})
	}
	s.Record.Run = run
	return s
}

func digestOf(content string) []byte {
	sum := sha256.Sum256([]byte(content))
	return sum[:]
}

func With(s Scene, changes ...func(*Scene)) Scene {
	for _, change := range changes {
		change(&s)
	}
	return s
}

func TestPlan(t *testing.T) {
	known := func(n int) func(*Scene) { return func(s *Scene) { s.Rules.Frames = n } }
	whenQuiet := func(s *Scene) { s.Record.AsIs = syncstate.AsIsWhenQuiet }
	stirred := func(s *Scene) { s.Snapshot.Changed = Noon.Add(-time.Second) }
	fresh := func(age time.Duration) func(*Scene) {
		return func(s *Scene) {
			last := &s.Snapshot.Frames[len(s.Snapshot.Frames)-1]
			last.Still, last.Since, s.Hurry = false, Noon.Add(-age), true
		}
	}
	early := func(s *Scene) { s.markEarly(4) }
	stood := func(s *Scene) {
		s.Hurry, s.Snapshot.Modified, s.Snapshot.Changed = true, Noon.Add(-time.Hour), Noon
		for i := range s.Snapshot.Frames {
			s.Snapshot.Frames[i].Still, s.Snapshot.Frames[i].Since = false, Noon
		}
	}
	wasTouched := func(before, now int64) func(*Scene) {
		return func(s *Scene) {
			s.Touches = map[string]Touch{"frame_05.jpg": {Changed: before, Stood: true}}
			s.Snapshot.Frames[4].Changed = now
			delete(s.Readings, "frame_05.jpg")
		}
	}
	temporary := func(name, stands string, age time.Duration) func(*Scene) {
		return func(s *Scene) {
			s.Snapshot.Busy = []watcher.Busy{{File: watcher.File{Name: name, Since: Noon.Add(-age)}, Frame: stands, Reason: "download"}}
		}
	}
	marked := func(s *Scene) { s.Rules.Marker, s.Snapshot.Marker = "done.txt", &watcher.File{Name: "done.txt"} }
	named := func(names ...string) func(*Scene) {
		return func(s *Scene) {
			for _, name := range names {
				s.addFrame(name)
			}
		}
	}
	moving := func(s *Scene) { s.Snapshot.Frames[0].Still = false }
	stopped := func(cause status.Cause) func(*Scene) {
		return func(s *Scene) { s.Stopped, s.Record.State, s.Record.Cause = true, string(status.Attention), &cause }
	}
	broken := func(name string) status.Cause {
		return status.Cause{Kind: status.BrokenFrame, Name: name, Said: "ends early"}
	}
	fewOfFour := status.Cause{Kind: status.TooFew, Count: 3, Of: 4}
	tests := []struct {
		name   string
		scene  Scene
		action Action
		state  status.State
		says   string
	}{
		{"an empty folder waits for frames", AScene(0), Rest, status.Collecting, "no frames"},
		{"a moving folder of unknown count waits for quiet", With(AScene(3), stirred), Wait, status.Collecting, "quiet for 30s"},
		{"a quiet folder looks for its project", AScene(3), FindProject, status.Uploading, ""},
		{"unread frames are read first", With(AScene(3), func(s *Scene) { clear(s.Readings) }), Read, status.Collecting, "3 frames"},
		{"one busy frame holds back the whole folder", With(AScene(3), moving), Wait, status.Collecting, "frame_01.jpg"},
		{"a temporary name holds back the whole folder", With(AScene(3), temporary("x.part", "", 0)), Wait, status.Collecting, "x.part"},
		{"a temporary file of ten minutes ago holds nothing up", With(AScene(3), temporary("x.part", "", busyPatience)), FindProject, status.Uploading, ""},
		{"on a network drive the temporary file of a frame holds a set a minute longer", With(With(AScene(3), known(3), temporary("frame_02.jpg.part", "frame_02.jpg", quiet)).Running(3, 3), func(s *Scene) {
			s.Network = true
		}), Wait, status.Collecting, "frame_02.jpg.part"},
		{"a temporary file of nine minutes ago holds up a set of unknown count", With(AScene(3), temporary("x.part", "", busyPatience-time.Minute)), Wait, status.Collecting, "x.part"},
		{"a temporary file holds up a set that is not all there", With(AScene(3), known(4), temporary("x.tmp", "", time.Minute)).Running(3, 4), Wait, status.Collecting, "x.tmp"},
		{"a temporary file that stands for no frame holds up no counted set", With(AScene(3), known(3), temporary("x.tmp", "", 0)).Running(3, 3), Finish, status.Uploading, ""},
		{"one that stands for a frame holds up a counted set", With(AScene(3), known(3), temporary("frame_02.jpg.part", "frame_02.jpg", quiet-time.Second)).Running(3, 3), Wait, status.Collecting, "frame_02.jpg.part"},
		{"it does so until it was quiet", With(AScene(3), known(3), temporary("frame_02.jpg.part", "frame_02.jpg", quiet)).Running(3, 3), Finish, status.Uploading, ""},
		{"a count in the names is a known one", With(AScene(0), named("a_01of02.jpg", "a_02of02.jpg"), temporary("x.tmp", "", 0)).Running(2, 2), Finish, status.Uploading, ""},
		{"a temporary file that stands for no frame holds up no marked set", With(AScene(3), marked, temporary("x.tmp", "", 0)).Running(3, 3), Finish, status.Uploading, ""},
		{"one that stands for a frame holds up a marked set", With(AScene(3), marked, temporary("frame_02.jpg.part", "frame_02.jpg", 0)), Wait, status.Collecting, "frame_02.jpg.part"},
		{"what was left behind beside published frames changes nothing", With(AScene(3), temporary("x.part", "", busyPatience)).Published(), Rest, status.Published, ""},
		{"a broken frame is waited for at first", With(AScene(3), func(s *Scene) { s.BreakFrame(1, Noon.Add(-time.Second)) }), Wait, status.Collecting, "frame_02.jpg"},
		{"a broken frame that stays is named", With(AScene(3), func(s *Scene) { s.BreakFrame(1, Noon.Add(-time.Hour)) }), Rest, status.Attention, "frame_02.jpg"},

		{"what a person was told is told while the same frames are not seen at rest again", With(AScene(3), known(4), notSeenAtRest, stopped(fewOfFour)), Wait, status.Attention, "too few"},
		{"what a person was told is told while the same frames are read again", With(AScene(3), unread, stopped(fewOfFour)), Read, status.Attention, "too few"},
		{"what a person was told of frames that are too few is told again before it is quiet", With(AScene(3), known(4), stirred, stopped(fewOfFour)).Running(3, 4), Rest, status.Attention, "too few"},
		{"what a person was told of a broken frame is told again at once", With(AScene(3), stirred, stopped(broken("frame_02.jpg")), func(s *Scene) {
			s.BreakFrame(1, Noon)
		}), Rest, status.Attention, "frame_02.jpg: ends early"},
		{"a broken frame of which a person was told something else is waited for", With(AScene(3), stirred, stopped(broken("frame_01.jpg")), func(s *Scene) {
			s.BreakFrame(1, Noon)
		}), Wait, status.Collecting, "waiting for frame_02.jpg"},
		{"what a person was told is not told of frames that are found to be well", With(AScene(3), stirred, stopped(fewOfFour)), Wait, status.Collecting, "quiet for 30s"},
		{"what a person was told holds up nothing", With(AScene(3), stopped(fewOfFour)), FindProject, status.Uploading, ""},

		{"a known count starts with the first frame", With(AScene(1), known(36), stirred), FindProject, status.Uploading, ""},
		{"a known count sends what is there", With(AScene(5), known(36), stirred).Running(3, 36), Upload, status.Uploading, "3 of 36"},
		{"a known count waits for the rest", With(AScene(5), known(36), stirred).Running(5, 36), Wait, status.Collecting, "5 of 36"},
		{"a frame that just appeared is left alone for a moment", With(AScene(5), known(36), stirred, fresh(EarlyPause/2), func(s *Scene) {
			delete(s.Readings, "frame_05.jpg")
		}).Running(4, 36), Wait, status.Collecting, "frame_05.jpg"},
		{"a frame that stood for a moment is read", With(AScene(5), known(36), stirred, fresh(time.Second), func(s *Scene) {
			delete(s.Readings, "frame_05.jpg")
		}).Running(4, 36), Read, status.Collecting, "frame_05.jpg"},
		{"a whole frame is sent early", With(AScene(5), known(36), stirred, fresh(time.Second)).Running(4, 36), Upload, status.Uploading, "of 36"},
		{"a frame is sent early only where that is wanted", With(AScene(5), known(36), stirred, fresh(time.Second), func(s *Scene) {
			s.Hurry = false
		}).Running(4, 36), Wait, status.Collecting, "frame_05.jpg"},
		{"a set that is not known waits for rest", With(AScene(5), stirred, fresh(time.Second)).Running(4, 5), Wait, status.Collecting, "frame_05.jpg"},
		{"what was sent early is waited for", With(With(AScene(5), known(36), stirred, fresh(time.Second)).Running(5, 36), early), Wait, status.Collecting, "frame_05.jpg"},
		{"what was sent early is read at rest", With(With(AScene(5), known(5), stirred).Running(5, 5), early), Read, status.Uploading, "comparing 1 frame with what was sent"},
		{"what was sent early as it came to rest is finished", With(With(AScene(5), known(5), stirred).Running(5, 5), early, func(s *Scene) {
			s.readAgain(4, "frame_05.jpg")
		}), Finish, status.Uploading, ""},
		{"what was sent early and came to rest otherwise is sent again", With(With(AScene(5), known(5), stirred).Running(5, 5), early, func(s *Scene) {
			s.readAgain(4, "new")
		}), Upload, status.Uploading, "4 of 5"},
		{"what was sent early and became another file is sent again", With(With(AScene(5), known(5), stirred).Running(5, 5), early, func(s *Scene) {
			s.touch(4, "new")
		}), Upload, status.Uploading, "4 of 5"},
		{"what may have been sent early and became another file needs a new form", With(With(AScene(5), known(5), stirred).Running(5, 5), early, func(s *Scene) {
			s.Record.Run.Frames[4].Uploaded = false
			s.touch(4, "new")
		}), Reupload, status.Uploading, ""},
		{"what was sent early and is gone needs a new form", With(With(AScene(5), known(5), stirred).Running(5, 5), early, func(s *Scene) {
			s.Snapshot.Frames = s.Snapshot.Frames[:4]
			s.Rules.Frames = 4
		}), Reupload, status.Uploading, ""},
		{"what was sent before its set was known to be still, and was not touched, is finished", With(With(AScene(5), known(5), stirred).Running(5, 5), early,
			wasTouched(7, 7)), Finish, status.Uploading, ""},
		{"what was sent before its set was known to be still, and was touched, is read at rest", With(With(AScene(5), known(5), stirred).Running(5, 5), early,
			wasTouched(7, 8)), Read, status.Uploading, "comparing 1 frame with what was sent"},
		{"a frame that was sent early is read at rest while others are still to come", With(With(AScene(5), known(6), stirred).Running(5, 6), early,
			wasTouched(7, 8)), Read, status.Collecting, "checking 1 frame"},
		{"what nobody can tell to be untouched is read at rest", With(With(AScene(5), known(5), stirred).Running(5, 5), early,
			wasTouched(0, 0)), Read, status.Uploading, "comparing 1 frame with what was sent"},
		{"a set that stood before anybody looked is begun at once", With(AScene(5), known(5), stood), FindProject, status.Uploading, ""},
		{"a set that stood is read first", With(AScene(5), known(5), stood, unread), Read, status.Collecting, "5 frames"},
		{"a set that stood is sent at once", With(With(AScene(5), known(5)).Running(0, 5), stood), Upload, status.Uploading, "0 of 5"},
		{"a set that stood and was sent is watched", With(With(AScene(5), known(5)).Running(5, 5), stood), Wait, status.Uploading, "watched until"},
		{"a set that stood and was sent, and of which a frame is broken now, is not said to be sent", With(With(AScene(5), known(5)).Running(5, 5), stood, func(s *Scene) {
			s.touch(4, "")
			s.BreakFrame(4, Noon)
		}), Wait, status.Collecting, "5 of 5 frames, watched until"},
		{"a set that stood and was sent, and beside which somebody writes, is not said to be sent", With(With(AScene(5), known(5)).Running(5, 5), stood, temporary("frame_02.jpg.part", "frame_02.jpg", 0)), Wait, status.Collecting, "waiting for frame_02.jpg.part"},
		{"a set that was sent and is known to be still waits for its marker, and for nothing else", With(With(AScene(5), known(5)).Running(5, 5), func(s *Scene) {
			s.Hurry, s.Rules.Marker = true, "done.txt"
		}), Rest, status.Collecting, "5 of 5 frames, waiting for done.txt"},
		{"a frame too many is not sent when the others were sent before they were known to be still", With(With(AScene(6), known(5)).Running(5, 5), stood),
			Wait, status.Collecting, "6 of 5 frames, watched until"},
		{"what may still be on its way is not overtaken by what its frame became", With(With(AScene(5), known(5)).Running(5, 5), stood, early, func(s *Scene) {
			s.Record.Run.Frames[4].Uploaded = false
			s.touch(4, "new")
		}), Wait, status.Collecting, "watched until"},
		{"what arrived is sent again as its frame became", With(With(AScene(5), known(5)).Running(5, 5), stood, early, func(s *Scene) {
			s.touch(4, "new")
		}), Upload, status.Uploading, "5 of 5"},
		{"a set into which a name came a moment ago did not stand", With(AScene(5), known(5), stood, func(s *Scene) {
			s.Snapshot.Modified = Noon.Add(-time.Second)
		}), Wait, status.Collecting, "frame_01.jpg"},
		{"a set with a frame of a moment ago did not stand", With(AScene(5), known(5), stood, func(s *Scene) {
			s.touch(4, "new")
			s.Snapshot.Frames[4].ModTime = Noon
		}), Wait, status.Collecting, "frame_01.jpg"},
		{"a set of the future did not stand", With(AScene(5), known(5), stood, func(s *Scene) {
			s.Snapshot.Modified = Noon.Add(time.Hour)
		}), Wait, status.Collecting, "frame_01.jpg"},
		{"a set that stood is not begun when a frame is missing", With(AScene(5), known(6), stood), Wait, status.Collecting, "5 of 6 frames, watched until"},
		{"a set that stood is not begun when a frame is broken", With(AScene(5), known(5), stood, func(s *Scene) {
			s.BreakFrame(1, Noon)
		}), Wait, status.Collecting, "5 of 5 frames, watched until"},
		{"what waits for a broken frame says so, though all had stood", With(AScene(5), known(5), stood, func(s *Scene) {
			s.Snapshot.Frames[1].Still = true
			s.BreakFrame(1, Noon)
		}), Wait, status.Collecting, "waiting for frame_01.jpg"},
		{"a set that stood is not begun while somebody writes beside it", With(AScene(5), known(5), stood, temporary("frame_02.jpg.part", "frame_02.jpg", 0)), Wait, status.Collecting, "frame_01.jpg"},
		{"a set of unknown count is not begun before it is quiet", With(AScene(5), stood), Wait, status.Collecting, "5 frames, watched until they have been still for 5s"},
		{"a known count finishes right after the last", With(AScene(36), known(36), stirred).Running(36, 36), Finish, status.Uploading, ""},
		{"too few frames are waited for, and not said to be complete when quiet", With(With(AScene(5), known(36)).Running(5, 36), stirred),
			Wait, status.Collecting, "5 of 36 frames, waiting for the rest"},
		{"too few frames are a person's matter when quiet", With(AScene(5), known(36)).Running(5, 36), Rest, status.Attention, "too few"},
		{"too many frames are a person's matter at once", With(AScene(37), known(36), stirred), Rest, status.Attention, "too many"},
		{"a person may accept fewer", With(AScene(5), known(36), func(s *Scene) { s.Record.AsIs = 5 }), FindProject, status.Uploading, ""},
		{"what a person accepted while it arrived waits for quiet", With(AScene(5), known(36), stirred, whenQuiet).Running(5, 36), Wait, status.Collecting, "5 of 36"},
		{"what a person accepted while it arrived is taken when quiet", With(AScene(5), known(36), whenQuiet).Running(5, 36), Reupload, status.Uploading, ""},
		{"more than announced that a person accepted wait for quiet", With(AScene(37), known(36), stirred, whenQuiet), Wait, status.Collecting, "37 of 36"},
		{"fewer than announced need a new form", With(AScene(5), known(36), func(s *Scene) { s.Record.AsIs = 5 }).Running(5, 36), Reupload, status.Uploading, ""},

		{"a marker is waited for", With(AScene(3), func(s *Scene) { s.Rules.Marker = "done.txt" }), Rest, status.Collecting, "done.txt"},
		{"a marker makes complete at once", With(AScene(3), stirred, func(s *Scene) {
			s.Rules.Marker, s.Snapshot.Marker = "done.txt", &watcher.File{Name: "done.txt"}
		}), FindProject, status.Uploading, ""},
		{"a marker does not excuse a wrong count", With(AScene(3), known(4), func(s *Scene) {
			s.Rules.Marker, s.Snapshot.Marker = "done.txt", &watcher.File{Name: "done.txt"}
		}), Rest, status.Attention, "3 of 4"},

		{"a product folder without a product creates it", With(AScene(3), func(s *Scene) { s.Record.Project.UUID = "project" }), Create, status.Uploading, ""},
		{"all frames sent and quiet finishes", AScene(3).Running(3, 3), Finish, status.Uploading, ""},
		{"a frame that changed after it was sent voids the form", With(AScene(3).Running(2, 3), func(s *Scene) { s.touch(0, "new") }), Reupload, status.Uploading, ""},
		{"a frame that vanished after it was sent voids the form", With(AScene(3).Running(3, 3), func(s *Scene) {
			s.Snapshot.Frames = s.Snapshot.Frames[1:]
		}), Reupload, status.Uploading, ""},
		{"an expired form is dropped while frames are missing", With(AScene(3).Running(2, 3), func(s *Scene) {
			s.Record.Run.Form.Expires = Noon
		}), EndForm, status.Uploading, "too old"},
		{"a dropped form is asked for anew", With(AScene(3).Running(2, 3), func(s *Scene) { s.Record.Run.Form = nil }), Reupload, status.Uploading, ""},
		{"an expired form does no harm when all is sent", With(AScene(3).Running(3, 3), func(s *Scene) {
			s.Record.Run.Form.Expires = Noon
		}), Finish, status.Uploading, ""},
		{"a sent finish is confirmed, whatever the folder does", With(AScene(3).Running(3, 3), moving, func(s *Scene) {
			s.Record.Run.FinishSent = Noon
		}), ConfirmFinish, status.Processing, ""},
		{"processing is polled when due", With(AScene(3).Running(3, 3), func(s *Scene) {
			s.Record.Run.FinishSent, s.Record.Run.FinishAcked = Noon, Noon
		}), Poll, status.Processing, ""},
		{"processing is not polled before", With(AScene(3).Running(3, 3), func(s *Scene) {
			s.Record.Run.FinishSent, s.Record.Run.FinishAcked, s.Record.Run.NextPoll = Noon, Noon, Noon.Add(time.Second)
		}), Wait, status.Processing, ""},
		{"a poll that a clock put off for years is due", With(AScene(3).Running(3, 3), func(s *Scene) {
			s.Record.Run.FinishSent, s.Record.Run.FinishAcked, s.Record.Run.NextPoll = Noon, Noon, Noon.AddDate(10, 0, 0)
		}), Poll, status.Processing, ""},
		{"a finished revision is read back", With(AScene(3).Running(3, 3), func(s *Scene) {
			s.Record.Run.FinishSent, s.Record.Run.FinishAcked, s.Record.Run.Finished = Noon, Noon, 1
		}), Collect, status.Processing, ""},

		{"a published folder rests", AScene(3).Published(), Rest, status.Published, ""},
		{"a number of frames that is given later is told", With(AScene(3).Published(), known(5)), Rest, status.Published, "published with 3 of 5 frames"},
		{"a published video has no number of frames", With(With(AScene(0), func(s *Scene) { s.addFrame("turn.mp4") }).Published(), known(36)), Rest, status.Published, ""},
		{"a published folder that is seen again stays published", With(AScene(3).Published(), notSeenAtRest), Wait, status.Published, ""},
		{"a published folder in which one frame changes is collecting", With(AScene(3).Published(), notSeenAtRest, func(s *Scene) {
			s.touch(1, "new")
		}), Wait, status.Collecting, "frame_02.jpg (still changing)"},
		{"a published folder into which somebody writes is collecting", With(AScene(3).Published(), notSeenAtRest, temporary("frame_02.jpg.part", "frame_02.jpg", 0)), Wait, status.Collecting, "frame_02.jpg.part"},
		{"what a backup calls published is held against the service first", With(AScene(3).Published(), notSeenAtRest, func(s *Scene) {
			s.Record.Unreconciled = true
		}), Wait, status.Collecting, "looked at again"},
		{"a published folder is compared with the service first", With(AScene(3).Published(), func(s *Scene) {
			s.Record.Unreconciled = true
		}), Reconcile, status.Processing, ""},
		{"a finish without an answer that a backup tells of is not sent again", With(AScene(3).Running(3, 3), func(s *Scene) {
			s.Record.Run.FinishSent, s.Record.Unreconciled = Noon, true
		}), Reconcile, status.Processing, ""},
		{"one that was answered is followed to its end", With(AScene(3).Running(3, 3), func(s *Scene) {
			s.Record.Run.FinishSent, s.Record.Run.FinishAcked, s.Record.Unreconciled = Noon, Noon, true
		}), Poll, status.Processing, ""},
		{"no project is looked for before that", With(AScene(3), func(s *Scene) { s.Record.Unreconciled = true }), Reconcile, status.Processing, ""},
		{"touched files are compared", With(AScene(3).Published(), func(s *Scene) { s.touch(1, ""); clear(s.Readings); s.markRead(1) }), Read, status.Collecting, "comparing"},
		{"touched files of the same content cost no request", With(AScene(3).Published(), func(s *Scene) { s.touch(1, "frame_02.jpg") }), Note, status.Published, ""},
		{"another content is uploaded again", With(AScene(3).Published(), func(s *Scene) { s.touch(1, "new") }), Reupload, status.Uploading, ""},
		{"a few new frames wait for quiet although the count is right", With(AScene(3).Published(), known(3), stirred, func(s *Scene) {
			s.touch(1, "new")
		}), Wait, status.Collecting, "quiet"},
		{"a full set of new frames needs no quiet", With(AScene(2).Published(), known(2), stirred, func(s *Scene) {
			s.touch(0, "new 1")
			s.touch(1, "new 2")
		}), Reupload, status.Uploading, ""},
		{"a folder whose drive is away waits for it, or for a person", With(AScene(3).Published(), func(s *Scene) {
			s.Snapshot.Root, s.Snapshot.Err = "/srv/shoots", &watcher.MountError{Dir: "/srv/shoots/Summer", Why: "lacks its drive"}
		}), Rest, status.Retrying, "/srv/shoots/Summer lacks its drive: connect the drive; if it is right as it is, accept it with `spinsync retry /srv/shoots`"},
		{"an emptied folder keeps its view", With(AScene(3).Published(), func(s *Scene) { s.Snapshot.Frames = nil }), Rest, status.Collecting, "no frames"},
		{"another title is updated without an upload", With(AScene(3).Published(), func(s *Scene) { s.Wanted.Title = "New" }), Update, status.Processing, ""},
		{"sidecars are read before alt texts are judged", With(AScene(3).Published(), func(s *Scene) { s.Texts = nil }), ReadTexts, status.Processing, ""},
		{"alt texts that differ are set", With(AScene(3).Published(), func(s *Scene) {
			s.Texts = alttext.Texts{"frame_01.jpg": {"en": {Value: "A shoe"}}}
		}), Describe, status.Processing, "1 frame"},

		{"a gone folder keeps its view", With(AScene(3).Published(), gone(2), verified), Wait, status.Missing, "kept"},
		{"a gone folder that was never published has no view to keep", With(AScene(3).Running(1, 3), gone(2), verified), Wait, status.Missing, "before it was published"},
		{"a folder that never came to anything is forgotten", With(AScene(0), gone(1)), Forget, status.Missing, ""},
		{"a gone folder whose create was not answered looks for its view", With(AScene(3), gone(1), func(s *Scene) {
			s.Record.Intent = &syncstate.Intent{Title: "SKU-1", Sent: true}
		}), Abandon, status.Processing, "was created"},
		{"delete waits for a second read", With(AScene(3).Published(), gone(1), deleting), Rest, status.Missing, "stays away"},
		{"delete acts after two reads", With(AScene(3).Published(), gone(2), deleting), Remove, status.Processing, ""},
		{"a folder that came back after a delete looks for its view", With(AScene(3).Published(), func(s *Scene) {
			s.Snapshot.Idle, s.Record.DeleteSent = true, Noon
		}), Reclaim, status.Processing, "back"},
		{"delete asks before it acts on many", With(AScene(3).Published(), gone(2), deleting, func(s *Scene) { s.ManyGone = true }), Ask, status.Missing, ""},
		{"what was asked waits for a person, however few are left", With(AScene(3).Published(), gone(2), deleting, asked(syncstate.RemovalAsked)), Rest, status.Attention, "deleted with `spinsync retry`"},
		{"delete acts on one of many that a person named", With(AScene(3).Published(), gone(2), deleting, asked(syncstate.RemovalConfirmed), func(s *Scene) { s.ManyGone = true }), Remove, status.Processing, ""},
		{"a confirmation ends with the folder's return", With(AScene(3).Published(), asked(syncstate.RemovalConfirmed)), Welcome, status.Collecting, ""},
		{"a kept view is looked for once a day", With(AScene(3).Published(), gone(2), func(s *Scene) { s.Record.Verified = Noon.Add(-25 * time.Hour) }), Verify, status.Missing, ""},

		{"a pause holds everything", With(AScene(3), func(s *Scene) { s.Record.Paused = true }), Rest, status.Paused, ""},
		{"paused frames are read", With(AScene(3), unread, func(s *Scene) { s.Record.Paused = true }), Read, status.Paused, "resume"},
		{"paused frames that cannot be read have time", With(AScene(3), unread, func(s *Scene) {
			s.Record.Paused, s.BlindUntil = true, Noon.Add(time.Second)
		}), Rest, status.Paused, ""},
		{"frames are read while a retry is waited for", With(AScene(3), unread, func(s *Scene) {
			s.Record.Trouble = &syncstate.Trouble{Cause: &status.Cause{Kind: status.Failed, Said: "no answer"}, At: Noon, NextTry: Noon.Add(time.Minute)}
		}), Read, status.Retrying, "no answer"},
		{"a retry waits for its time", With(AScene(3), func(s *Scene) {
			s.Record.Trouble = &syncstate.Trouble{Cause: &status.Cause{Kind: status.Failed, Said: "reset"}, NextTry: Noon.Add(time.Minute)}
		}), Wait, status.Retrying, "reset"},
		{"a retry waits for a rest that a host asked for", With(AScene(3), func(s *Scene) {
			s.Record.Trouble = &syncstate.Trouble{Cause: &status.Cause{Kind: status.Failed, Said: "busy"}, NextTry: Noon.Add(outcome.LongestRest)}
		}), Wait, status.Retrying, "busy"},
		{"a retry that a clock put off for years is due", With(AScene(3), func(s *Scene) {
			s.Record.Trouble = &syncstate.Trouble{Cause: &status.Cause{Kind: status.Failed, Said: "reset"}, NextTry: Noon.AddDate(10, 0, 0)}
		}), FindProject, status.Uploading, ""},
		{"a retry is due when the clock was set back since", With(AScene(3), func(s *Scene) {
			s.Record.Trouble = &syncstate.Trouble{Cause: &status.Cause{Kind: status.Failed, Said: "reset"}, At: Noon.Add(10 * time.Minute), NextTry: Noon.Add(11 * time.Minute)}
		}), FindProject, status.Uploading, ""},
		{"a person's matter ends with another listing", With(AScene(3), func(s *Scene) {
			s.Record.Trouble = &syncstate.Trouble{Cause: &status.Cause{Kind: status.Failed, Said: "refused"}, Listing: "another"}
		}), FindProject, status.Uploading, ""},
		{"a video is one image", With(AScene(0), func(s *Scene) { s.addFrame("turn.mp4") }, known(36)), FindProject, status.Uploading, ""},
		{"a video beside images is a person's matter", With(AScene(1), func(s *Scene) { s.addFrame("turn.mp4") }), Rest, status.Attention, "video"},
		{"names that fall together are a person's matter", With(AScene(1), func(s *Scene) { s.addFrame("FRAME_01.jpg") }), Rest, status.Attention, "FRAME_01.jpg"},
		{"a product.toml that cannot be read is tried again", With(AScene(3), func(s *Scene) { s.Unreadable = errors.New("input/output error") }), Wait, status.Retrying, "input/output"},
		{"a root that went away is waited for", With(AScene(3), func(s *Scene) { s.Offline = &status.Cause{Kind: status.RootOffline, Said: "the root went away"} }), Wait, status.Retrying, "went away"},
		{"a published folder of a root that went away stays published", With(AScene(3).Published(), func(s *Scene) { s.Offline = &status.Cause{Kind: status.RootOffline, Said: "the root went away"} }), Rest, status.Published, ""},
		{"a wrong product.toml is a person's matter", With(AScene(3), func(s *Scene) { s.Mistake = &status.Cause{Kind: status.Mistake, Said: "product.toml: line 1"} }), Rest, status.Attention, "line 1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := Next(test.scene)
			silent := test.says == "" && test.state == status.Published
			if silent && got.Cause != nil || got.Action != test.action || got.State != test.state || !strings.Contains(Said(got.Cause), test.says) {
				t.Errorf("plan = %s, %s, %q; want %s, %s, …%q…", got.Action, got.State, Said(got.Cause), test.action, test.state, test.says)
			}
			daemon.Reword(t)
			if again := Next(test.scene); again.Action != got.Action || !again.Until.Equal(got.Until) || !again.Cause.Same(got.Cause) {
				t.Errorf("told in other words the plan is %s, %+v", again.Action, again.Cause)
			}
		})
	}
}

func unread(s *Scene) { clear(s.Readings) }

func notSeenAtRest(s *Scene) {
	for i := range s.Snapshot.Frames {
		s.Snapshot.Frames[i].Still = false
	}
}

func (s *Scene) BreakFrame(i int, since time.Time) {
	f := s.Snapshot.Frames[i]
	s.Readings[f.Name] = Reading{File: FileOf(f), Broken: "ends early", Since: since}
}

func (s *Scene) markRead(i int) {
	f := s.Snapshot.Frames[i]
	s.Readings[f.Name] = Reading{File: FileOf(f), Whole: true}
}

func gone(reads int) func(*Scene) {
	return func(s *Scene) {
		s.Snapshot = watcher.Snapshot{Root: "/shoots", Folder: "SKU-1", Absent: watcher.Absence{Since: Noon.Add(-time.Minute), Reads: reads}}
	}
}

// markEarly marks a frame of the run, if it is one, as sent before it was still.
func (s *Scene) markEarly(i int) {
	if i < len(s.Record.Run.Frames) {
		s.Record.Run.Frames[i].Early = true
	}
}

// readAgain says what reading a frame at rest finds.
func (s *Scene) readAgain(i int, content string) {
	f := s.Snapshot.Frames[i]
	s.Readings[f.Name] = Reading{File: FileOf(f), Whole: true, Since: Noon, Digest: digestOf(content)}
}

func deleting(s *Scene) { s.Rules.DeleteGone = true }

func verified(s *Scene) { s.Record.Verified = Noon.Add(-time.Hour) }

// asked gives the scene a question to a person that was put while the folder was gone, and answered
// or not.
func asked(r syncstate.Removal) func(*Scene) {
	return func(s *Scene) {
		s.Record.Removal = r
		verified(s)
	}
}

// Whatever the folder looks like, the set is finished only when every frame in it is settled,
// whole, sent as it is, and announced in the right number.
func TestFinishIsNeverPlannedForAnythingButTheSetThatWasSent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := AScene(rapid.IntRange(0, 6).Draw(t, "frames"))
		sent := rapid.IntRange(0, len(s.Snapshot.Frames)).Draw(t, "sent")
		s = s.Running(sent, rapid.IntRange(0, 7).Draw(t, "announced"))
		s.Rules.Frames, s.Touches = rapid.IntRange(0, 7).Draw(t, "known"), map[string]Touch{}
		s.Hurry, s.Snapshot.Modified = rapid.Bool().Draw(t, "hurry"), Noon.Add(-rapid.SampledFrom([]time.Duration{0, time.Hour}).Draw(t, "modified before"))
		s.Snapshot.Changed = Noon.Add(-rapid.SampledFrom([]time.Duration{0, quiet, time.Hour}).Draw(t, "still for"))
		for i := range s.Snapshot.Frames {
			f := &s.Snapshot.Frames[i]
			switch rapid.SampledFrom([]string{"", "", "", "moves", "breaks", "changes", "early", "early and read again", "early and changed", "early and stood"}).Draw(t, "frame") {
			case "early and stood":
				s.markEarly(i)
				f.Changed = rapid.Int64Range(0, 1).Draw(t, "changed")
				s.Touches[f.Name] = Touch{Changed: rapid.Int64Range(0, 1).Draw(t, "changed when it was sent"), Stood: true}
			case "early":
				s.markEarly(i)
			case "early and read again":
				s.markEarly(i)
				s.readAgain(i, s.Snapshot.Frames[i].Name)
			case "early and changed":
				s.markEarly(i)
				s.readAgain(i, "new")
			case "moves":
				s.Snapshot.Frames[i].Still = false
			case "breaks":
				s.BreakFrame(i, Noon)
			case "changes":
				s.touch(i, "new")
			}
		}
		if rapid.Bool().Draw(t, "a busy file") {
			age := rapid.SampledFrom([]time.Duration{0, time.Hour}).Draw(t, "busy for")
			stands := rapid.SampledFrom([]string{"", "frame_01.jpg"}).Draw(t, "it stands for")
			s.Snapshot.Busy = []watcher.Busy{{File: watcher.File{Name: "x.part", Since: Noon.Add(-age)}, Frame: stands}}
		}
		if Next(s).Action != Finish {
			return
		}
		uploaded := map[string]syncstate.RunFrame{}
		for _, f := range s.Record.Run.Frames {
			uploaded[f.Name] = f
		}
		for _, f := range s.Snapshot.Frames {
			if sent, ok := uploaded[f.Name]; !ok || !f.Still || !sent.Same(FileOf(f)) {
				t.Fatalf("finish is planned although %s was not sent as it is", f.Name)
			}
			if was := s.Touches[f.Name]; was.Stood && f.Changed != 0 && was.Changed == f.Changed {
				continue
			}
			if uploaded[f.Name].Early && !bytes.Equal(s.Readings[f.Name].Digest, uploaded[f.Name].Digest) {
				t.Fatalf("finish is planned although nobody knows that %s came to rest as it was sent early", f.Name)
			}
		}
		if slices.ContainsFunc(s.Snapshot.Busy, func(b watcher.Busy) bool { return b.Frame != "" && b.Since.Equal(Noon) }) {
			t.Fatal("finish is planned while a program writes a frame")
		}
		if len(uploaded) != len(s.Snapshot.Frames) || s.Record.Run.Images != len(uploaded) {
			t.Fatalf("finish is planned for %v although %d images were announced", slices.Sorted(maps.Keys(uploaded)), s.Record.Run.Images)
		}
	})
}

// A photo that replaces another of the same name does not inherit its place in the order of
// capture.
func TestCaptureTimeIsOfThisVeryFile(t *testing.T) {
	s := AScene(1).Published()
	s.Record.Published.Frames[0].Captured = Noon
	if got := s.CapturedAt(s.Snapshot.Frames[0]); !got.Equal(Noon) {
		t.Errorf("the published frame was captured at %v, want %v", got, Noon)
	}
	s.touch(0, "another photo, without a time")
	if got := s.CapturedAt(s.Snapshot.Frames[0]); !got.IsZero() {
		t.Errorf("the frame that replaced it was captured at %v, want no time", got)
	}
}

// Said is a cause in words.
func Said(c *status.Cause) string { return status.Sentence(c, status.AnyFolder) }
