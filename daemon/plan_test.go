package daemon

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

var noon = time.Date(2027, 1, 2, 12, 0, 0, 0, time.UTC)

const quiet = 30 * time.Second

// TestQuietIsForeseen: people are told when a folder has been quiet for long enough, from when its
// last frame came on, where that is what it waits for.
func TestQuietIsForeseen(t *testing.T) {
	stirred := func(s *scene) { s.snapshot.Changed = noon.Add(-time.Second) }
	moving := func(s *scene) { s.snapshot.Frames[0].Still = false }
	end := noon.Add(quiet - time.Second)
	for name, test := range map[string]struct {
		scene scene
		want  time.Time
	}{
		"still frames":     {with(aScene(3), stirred), end},
		"a changing frame": {with(aScene(3), stirred, moving), end},
		"a marker":         {with(aScene(3), stirred, moving, func(s *scene) { s.rules.marker = "done.txt" }), time.Time{}},
		"a broken frame":   {with(aScene(3), stirred, moving, func(s *scene) { s.breakFrame(1, noon) }), time.Time{}},
	} {
		if next := plan(test.scene); next.state != Collecting || !next.quiet.Equal(test.want) {
			t.Errorf("%s: %s until %s, %s", name, next.state, next.quiet, said(next.cause))
		}
	}
}

// TestFramesThatMustBeStill: of a published folder in which one frame is shot again the others are
// not said to change.
func TestFramesThatMustBeStill(t *testing.T) {
	s := aScene(3).published()
	for i := range s.snapshot.Frames {
		s.snapshot.Frames[i].Still = false
	}
	s.snapshot.Frames[1].Size++
	want := "waiting for frame_02.jpg (still changing), frame_01.jpg (looked at again), frame_03.jpg (looked at again)"
	if next := plan(s); said(next.cause) != want {
		t.Errorf("%s, want %s", said(next.cause), want)
	}
}

// aScene is a folder with n settled and whole frames that has been quiet for long.
func aScene(n int) scene {
	s := scene{
		now:      noon,
		rules:    rules{project: "Summer", order: manifest.Name, settle: 5 * time.Second, quiet: quiet, locale: "en"},
		snapshot: watcher.Snapshot{Root: "/shoots", Folder: "SKU-1", Present: true, Changed: noon.Add(-time.Hour)},
		readings: map[string]reading{},
		wanted:   product{project: "Summer", title: "SKU-1", sku: "SKU-1"},

		nameInShell: "SKU-1",
		texts:       alttext.Texts{},

		longestPoll: time.Minute,
	}
	for i := range n {
		s.addFrame(fmt.Sprintf("frame_%02d.jpg", i+1))
	}
	return s
}

func (s *scene) addFrame(name string) {
	f := watcher.File{Name: name, Size: 1000, ModTime: noon.Add(-2 * time.Hour), ID: volume.FileID(len(s.snapshot.Frames) + 1), Still: true}
	s.snapshot.Frames = append(s.snapshot.Frames, f)
	s.readings[name] = reading{file: identity(f), whole: true, since: noon.Add(-time.Hour)}
}

// touch gives a frame another time, as a copy over itself does, and says what a reading would find.
func (s *scene) touch(i int, content string) {
	f := &s.snapshot.Frames[i]
	f.ModTime = f.ModTime.Add(time.Minute)
	s.readings[f.Name] = reading{file: identity(*f), whole: true, digest: digestOf(content)}
}

// published makes the frames as they stand the published revision.
func (s scene) published() scene {
	s.record.Project = syncstate.Project{UUID: "project", Title: "Summer"}
	s.record.Product = s.wanted.record("product")
	p := &syncstate.Published{Revision: 1, At: noon.Add(-time.Hour), Images: len(s.snapshot.Frames)}
	for i, f := range s.snapshot.Frames {
		p.Frames = append(p.Frames, syncstate.Frame{
			File: identity(f), Digest: digestOf(f.Name), ImageID: int64(i + 1), Ordial: i + 1, MediaURL: "https://media.example.com/" + f.Name,
		})
	}
	s.record.Published = p
	s.readings = map[string]reading{}
	return s
}

// running gives the scene a run with the first sent of its frames uploaded.
func (s scene) running(sent, images int) scene {
	s.record.Project = syncstate.Project{UUID: "project", Title: "Summer"}
	s.record.Product = s.wanted.record("product")
	run := &syncstate.Run{Images: images, Form: &syncstate.Form{Path: "p"}, Started: noon.Add(-time.Minute)}
	for _, f := range s.snapshot.Frames[:sent] {
		run.Frames = append(run.Frames, syncstate.RunFrame{File: identity(f), Uploaded: true, Digest: digestOf(f.Name)})
	}
	s.record.Run = run
	return s
}

func digestOf(content string) []byte {
	sum := sha256.Sum256([]byte(content))
	return sum[:]
}

func with(s scene, changes ...func(*scene)) scene {
	for _, change := range changes {
		change(&s)
	}
	return s
}

func TestPlan(t *testing.T) {
	known := func(n int) func(*scene) { return func(s *scene) { s.rules.frames = n } }
	whenQuiet := func(s *scene) { s.record.AsIs = syncstate.AsIsWhenQuiet }
	stirred := func(s *scene) { s.snapshot.Changed = noon.Add(-time.Second) }
	fresh := func(age time.Duration) func(*scene) {
		return func(s *scene) {
			last := &s.snapshot.Frames[len(s.snapshot.Frames)-1]
			last.Still, last.Since, s.hurry = false, noon.Add(-age), true
		}
	}
	early := func(s *scene) { s.markEarly(4) }
	stood := func(s *scene) {
		s.hurry, s.snapshot.Modified, s.snapshot.Changed = true, noon.Add(-time.Hour), noon
		for i := range s.snapshot.Frames {
			s.snapshot.Frames[i].Still, s.snapshot.Frames[i].Since = false, noon
		}
	}
	wasTouched := func(before, now int64) func(*scene) {
		return func(s *scene) {
			s.touches = map[string]touch{"frame_05.jpg": {changed: before, stood: true}}
			s.snapshot.Frames[4].Changed = now
			delete(s.readings, "frame_05.jpg")
		}
	}
	temporary := func(name, stands string, age time.Duration) func(*scene) {
		return func(s *scene) {
			s.snapshot.Busy = []watcher.Busy{{File: watcher.File{Name: name, Since: noon.Add(-age)}, Frame: stands, Reason: "download"}}
		}
	}
	marked := func(s *scene) { s.rules.marker, s.snapshot.Marker = "done.txt", &watcher.File{Name: "done.txt"} }
	named := func(names ...string) func(*scene) {
		return func(s *scene) {
			for _, name := range names {
				s.addFrame(name)
			}
		}
	}
	moving := func(s *scene) { s.snapshot.Frames[0].Still = false }
	stopped := func(cause status.Cause) func(*scene) {
		return func(s *scene) { s.stopped, s.record.State, s.record.Cause = true, string(Attention), &cause }
	}
	broken := func(name string) status.Cause {
		return status.Cause{Kind: status.BrokenFrame, Name: name, Said: "ends early"}
	}
	fewOfFour := status.Cause{Kind: status.TooFew, Count: 3, Of: 4}
	tests := []struct {
		name   string
		scene  scene
		action action
		state  State
		says   string
	}{
		{"an empty folder waits for frames", aScene(0), rest, Collecting, "no frames"},
		{"a moving folder of unknown count waits for quiet", with(aScene(3), stirred), wait, Collecting, "quiet for 30s"},
		{"a quiet folder looks for its project", aScene(3), findProject, Uploading, ""},
		{"unread frames are read first", with(aScene(3), func(s *scene) { clear(s.readings) }), read, Collecting, "3 frames"},
		{"one busy frame holds back the whole folder", with(aScene(3), moving), wait, Collecting, "frame_01.jpg"},
		{"a temporary name holds back the whole folder", with(aScene(3), temporary("x.part", "", 0)), wait, Collecting, "x.part"},
		{"a temporary file of ten minutes ago holds nothing up", with(aScene(3), temporary("x.part", "", busyPatience)), findProject, Uploading, ""},
		{"on a network drive the temporary file of a frame holds a set a minute longer", with(with(aScene(3), known(3), temporary("frame_02.jpg.part", "frame_02.jpg", quiet)).running(3, 3), func(s *scene) {
			s.network = true
		}), wait, Collecting, "frame_02.jpg.part"},
		{"a temporary file of nine minutes ago holds up a set of unknown count", with(aScene(3), temporary("x.part", "", busyPatience-time.Minute)), wait, Collecting, "x.part"},
		{"a temporary file holds up a set that is not all there", with(aScene(3), known(4), temporary("x.tmp", "", time.Minute)).running(3, 4), wait, Collecting, "x.tmp"},
		{"a temporary file that stands for no frame holds up no counted set", with(aScene(3), known(3), temporary("x.tmp", "", 0)).running(3, 3), finish, Uploading, ""},
		{"one that stands for a frame holds up a counted set", with(aScene(3), known(3), temporary("frame_02.jpg.part", "frame_02.jpg", quiet-time.Second)).running(3, 3), wait, Collecting, "frame_02.jpg.part"},
		{"it does so until it was quiet", with(aScene(3), known(3), temporary("frame_02.jpg.part", "frame_02.jpg", quiet)).running(3, 3), finish, Uploading, ""},
		{"a count in the names is a known one", with(aScene(0), named("a_01of02.jpg", "a_02of02.jpg"), temporary("x.tmp", "", 0)).running(2, 2), finish, Uploading, ""},
		{"a temporary file that stands for no frame holds up no marked set", with(aScene(3), marked, temporary("x.tmp", "", 0)).running(3, 3), finish, Uploading, ""},
		{"one that stands for a frame holds up a marked set", with(aScene(3), marked, temporary("frame_02.jpg.part", "frame_02.jpg", 0)), wait, Collecting, "frame_02.jpg.part"},
		{"what was left behind beside published frames changes nothing", with(aScene(3), temporary("x.part", "", busyPatience)).published(), rest, Published, ""},
		{"a broken frame is waited for at first", with(aScene(3), func(s *scene) { s.breakFrame(1, noon.Add(-time.Second)) }), wait, Collecting, "frame_02.jpg"},
		{"a broken frame that stays is named", with(aScene(3), func(s *scene) { s.breakFrame(1, noon.Add(-time.Hour)) }), rest, Attention, "frame_02.jpg"},

		{"what a person was told is told while the same frames are not seen at rest again", with(aScene(3), known(4), notSeenAtRest, stopped(fewOfFour)), wait, Attention, "too few"},
		{"what a person was told is told while the same frames are read again", with(aScene(3), unread, stopped(fewOfFour)), read, Attention, "too few"},
		{"what a person was told of frames that are too few is told again before it is quiet", with(aScene(3), known(4), stirred, stopped(fewOfFour)).running(3, 4), rest, Attention, "too few"},
		{"what a person was told of a broken frame is told again at once", with(aScene(3), stirred, stopped(broken("frame_02.jpg")), func(s *scene) {
			s.breakFrame(1, noon)
		}), rest, Attention, "frame_02.jpg: ends early"},
		{"a broken frame of which a person was told something else is waited for", with(aScene(3), stirred, stopped(broken("frame_01.jpg")), func(s *scene) {
			s.breakFrame(1, noon)
		}), wait, Collecting, "waiting for frame_02.jpg"},
		{"what a person was told is not told of frames that are found to be well", with(aScene(3), stirred, stopped(fewOfFour)), wait, Collecting, "quiet for 30s"},
		{"what a person was told holds up nothing", with(aScene(3), stopped(fewOfFour)), findProject, Uploading, ""},

		{"a known count starts with the first frame", with(aScene(1), known(36), stirred), findProject, Uploading, ""},
		{"a known count sends what is there", with(aScene(5), known(36), stirred).running(3, 36), upload, Uploading, "3 of 36"},
		{"a known count waits for the rest", with(aScene(5), known(36), stirred).running(5, 36), wait, Collecting, "5 of 36"},
		{"a frame that just appeared is left alone for a moment", with(aScene(5), known(36), stirred, fresh(earlyPause/2), func(s *scene) {
			delete(s.readings, "frame_05.jpg")
		}).running(4, 36), wait, Collecting, "frame_05.jpg"},
		{"a frame that stood for a moment is read", with(aScene(5), known(36), stirred, fresh(time.Second), func(s *scene) {
			delete(s.readings, "frame_05.jpg")
		}).running(4, 36), read, Collecting, "frame_05.jpg"},
		{"a whole frame is sent early", with(aScene(5), known(36), stirred, fresh(time.Second)).running(4, 36), upload, Uploading, "of 36"},
		{"a frame is sent early only where that is wanted", with(aScene(5), known(36), stirred, fresh(time.Second), func(s *scene) {
			s.hurry = false
		}).running(4, 36), wait, Collecting, "frame_05.jpg"},
		{"a set that is not known waits for rest", with(aScene(5), stirred, fresh(time.Second)).running(4, 5), wait, Collecting, "frame_05.jpg"},
		{"what was sent early is waited for", with(with(aScene(5), known(36), stirred, fresh(time.Second)).running(5, 36), early), wait, Collecting, "frame_05.jpg"},
		{"what was sent early is read at rest", with(with(aScene(5), known(5), stirred).running(5, 5), early), read, Uploading, "comparing 1 frame with what was sent"},
		{"what was sent early as it came to rest is finished", with(with(aScene(5), known(5), stirred).running(5, 5), early, func(s *scene) {
			s.readAgain(4, "frame_05.jpg")
		}), finish, Uploading, ""},
		{"what was sent early and came to rest otherwise is sent again", with(with(aScene(5), known(5), stirred).running(5, 5), early, func(s *scene) {
			s.readAgain(4, "new")
		}), upload, Uploading, "4 of 5"},
		{"what was sent early and became another file is sent again", with(with(aScene(5), known(5), stirred).running(5, 5), early, func(s *scene) {
			s.touch(4, "new")
		}), upload, Uploading, "4 of 5"},
		{"what may have been sent early and became another file needs a new form", with(with(aScene(5), known(5), stirred).running(5, 5), early, func(s *scene) {
			s.record.Run.Frames[4].Uploaded = false
			s.touch(4, "new")
		}), reupload, Uploading, ""},
		{"what was sent early and is gone needs a new form", with(with(aScene(5), known(5), stirred).running(5, 5), early, func(s *scene) {
			s.snapshot.Frames = s.snapshot.Frames[:4]
			s.rules.frames = 4
		}), reupload, Uploading, ""},
		{"what was sent before its set was known to be still, and was not touched, is finished", with(with(aScene(5), known(5), stirred).running(5, 5), early,
			wasTouched(7, 7)), finish, Uploading, ""},
		{"what was sent before its set was known to be still, and was touched, is read at rest", with(with(aScene(5), known(5), stirred).running(5, 5), early,
			wasTouched(7, 8)), read, Uploading, "comparing 1 frame with what was sent"},
		{"a frame that was sent early is read at rest while others are still to come", with(with(aScene(5), known(6), stirred).running(5, 6), early,
			wasTouched(7, 8)), read, Collecting, "checking 1 frame"},
		{"what nobody can tell to be untouched is read at rest", with(with(aScene(5), known(5), stirred).running(5, 5), early,
			wasTouched(0, 0)), read, Uploading, "comparing 1 frame with what was sent"},
		{"a set that stood before anybody looked is begun at once", with(aScene(5), known(5), stood), findProject, Uploading, ""},
		{"a set that stood is read first", with(aScene(5), known(5), stood, unread), read, Collecting, "5 frames"},
		{"a set that stood is sent at once", with(with(aScene(5), known(5)).running(0, 5), stood), upload, Uploading, "0 of 5"},
		{"a set that stood and was sent is watched", with(with(aScene(5), known(5)).running(5, 5), stood), wait, Uploading, "watched until"},
		{"a set that stood and was sent, and of which a frame is broken now, is not said to be sent", with(with(aScene(5), known(5)).running(5, 5), stood, func(s *scene) {
			s.touch(4, "")
			s.breakFrame(4, noon)
		}), wait, Collecting, "5 of 5 frames, watched until"},
		{"a set that stood and was sent, and beside which somebody writes, is not said to be sent", with(with(aScene(5), known(5)).running(5, 5), stood, temporary("frame_02.jpg.part", "frame_02.jpg", 0)), wait, Collecting, "waiting for frame_02.jpg.part"},
		{"a set that was sent and is known to be still waits for its marker, and for nothing else", with(with(aScene(5), known(5)).running(5, 5), func(s *scene) {
			s.hurry, s.rules.marker = true, "done.txt"
		}), rest, Collecting, "5 of 5 frames, waiting for done.txt"},
		{"a frame too many is not sent when the others were sent before they were known to be still", with(with(aScene(6), known(5)).running(5, 5), stood),
			wait, Collecting, "6 of 5 frames, watched until"},
		{"what may still be on its way is not overtaken by what its frame became", with(with(aScene(5), known(5)).running(5, 5), stood, early, func(s *scene) {
			s.record.Run.Frames[4].Uploaded = false
			s.touch(4, "new")
		}), wait, Collecting, "watched until"},
		{"what arrived is sent again as its frame became", with(with(aScene(5), known(5)).running(5, 5), stood, early, func(s *scene) {
			s.touch(4, "new")
		}), upload, Uploading, "5 of 5"},
		{"a set into which a name came a moment ago did not stand", with(aScene(5), known(5), stood, func(s *scene) {
			s.snapshot.Modified = noon.Add(-time.Second)
		}), wait, Collecting, "frame_01.jpg"},
		{"a set with a frame of a moment ago did not stand", with(aScene(5), known(5), stood, func(s *scene) {
			s.touch(4, "new")
			s.snapshot.Frames[4].ModTime = noon
		}), wait, Collecting, "frame_01.jpg"},
		{"a set of the future did not stand", with(aScene(5), known(5), stood, func(s *scene) {
			s.snapshot.Modified = noon.Add(time.Hour)
		}), wait, Collecting, "frame_01.jpg"},
		{"a set that stood is not begun when a frame is missing", with(aScene(5), known(6), stood), wait, Collecting, "5 of 6 frames, watched until"},
		{"a set that stood is not begun when a frame is broken", with(aScene(5), known(5), stood, func(s *scene) {
			s.breakFrame(1, noon)
		}), wait, Collecting, "5 of 5 frames, watched until"},
		{"what waits for a broken frame says so, though all had stood", with(aScene(5), known(5), stood, func(s *scene) {
			s.snapshot.Frames[1].Still = true
			s.breakFrame(1, noon)
		}), wait, Collecting, "waiting for frame_01.jpg"},
		{"a set that stood is not begun while somebody writes beside it", with(aScene(5), known(5), stood, temporary("frame_02.jpg.part", "frame_02.jpg", 0)), wait, Collecting, "frame_01.jpg"},
		{"a set of unknown count is not begun before it is quiet", with(aScene(5), stood), wait, Collecting, "5 frames, watched until they have been still for 5s"},
		{"a known count finishes right after the last", with(aScene(36), known(36), stirred).running(36, 36), finish, Uploading, ""},
		{"too few frames are waited for, and not said to be complete when quiet", with(with(aScene(5), known(36)).running(5, 36), stirred),
			wait, Collecting, "5 of 36 frames, waiting for the rest"},
		{"too few frames are a person's matter when quiet", with(aScene(5), known(36)).running(5, 36), rest, Attention, "too few"},
		{"too many frames are a person's matter at once", with(aScene(37), known(36), stirred), rest, Attention, "too many"},
		{"a person may accept fewer", with(aScene(5), known(36), func(s *scene) { s.record.AsIs = 5 }), findProject, Uploading, ""},
		{"what a person accepted while it arrived waits for quiet", with(aScene(5), known(36), stirred, whenQuiet).running(5, 36), wait, Collecting, "5 of 36"},
		{"what a person accepted while it arrived is taken when quiet", with(aScene(5), known(36), whenQuiet).running(5, 36), reupload, Uploading, ""},
		{"more than announced that a person accepted wait for quiet", with(aScene(37), known(36), stirred, whenQuiet), wait, Collecting, "37 of 36"},
		{"fewer than announced need a new form", with(aScene(5), known(36), func(s *scene) { s.record.AsIs = 5 }).running(5, 36), reupload, Uploading, ""},

		{"a marker is waited for", with(aScene(3), func(s *scene) { s.rules.marker = "done.txt" }), rest, Collecting, "done.txt"},
		{"a marker makes complete at once", with(aScene(3), stirred, func(s *scene) {
			s.rules.marker, s.snapshot.Marker = "done.txt", &watcher.File{Name: "done.txt"}
		}), findProject, Uploading, ""},
		{"a marker does not excuse a wrong count", with(aScene(3), known(4), func(s *scene) {
			s.rules.marker, s.snapshot.Marker = "done.txt", &watcher.File{Name: "done.txt"}
		}), rest, Attention, "3 of 4"},

		{"a product folder without a product creates it", with(aScene(3), func(s *scene) { s.record.Project.UUID = "project" }), create, Uploading, ""},
		{"all frames sent and quiet finishes", aScene(3).running(3, 3), finish, Uploading, ""},
		{"a frame that changed after it was sent voids the form", with(aScene(3).running(2, 3), func(s *scene) { s.touch(0, "new") }), reupload, Uploading, ""},
		{"a frame that vanished after it was sent voids the form", with(aScene(3).running(3, 3), func(s *scene) {
			s.snapshot.Frames = s.snapshot.Frames[1:]
		}), reupload, Uploading, ""},
		{"an expired form is dropped while frames are missing", with(aScene(3).running(2, 3), func(s *scene) {
			s.record.Run.Form.Expires = noon
		}), endForm, Uploading, "too old"},
		{"a dropped form is asked for anew", with(aScene(3).running(2, 3), func(s *scene) { s.record.Run.Form = nil }), reupload, Uploading, ""},
		{"an expired form does no harm when all is sent", with(aScene(3).running(3, 3), func(s *scene) {
			s.record.Run.Form.Expires = noon
		}), finish, Uploading, ""},
		{"a sent finish is confirmed, whatever the folder does", with(aScene(3).running(3, 3), moving, func(s *scene) {
			s.record.Run.FinishSent = noon
		}), confirmFinish, Processing, ""},
		{"processing is polled when due", with(aScene(3).running(3, 3), func(s *scene) {
			s.record.Run.FinishSent, s.record.Run.FinishAcked = noon, noon
		}), poll, Processing, ""},
		{"processing is not polled before", with(aScene(3).running(3, 3), func(s *scene) {
			s.record.Run.FinishSent, s.record.Run.FinishAcked, s.record.Run.NextPoll = noon, noon, noon.Add(time.Second)
		}), wait, Processing, ""},
		{"a poll that a clock put off for years is due", with(aScene(3).running(3, 3), func(s *scene) {
			s.record.Run.FinishSent, s.record.Run.FinishAcked, s.record.Run.NextPoll = noon, noon, noon.AddDate(10, 0, 0)
		}), poll, Processing, ""},
		{"a finished revision is read back", with(aScene(3).running(3, 3), func(s *scene) {
			s.record.Run.FinishSent, s.record.Run.FinishAcked, s.record.Run.Finished = noon, noon, 1
		}), collect, Processing, ""},

		{"a published folder rests", aScene(3).published(), rest, Published, ""},
		{"a number of frames that is given later is told", with(aScene(3).published(), known(5)), rest, Published, "published with 3 of 5 frames"},
		{"a published video has no number of frames", with(with(aScene(0), func(s *scene) { s.addFrame("turn.mp4") }).published(), known(36)), rest, Published, ""},
		{"a published folder that is seen again stays published", with(aScene(3).published(), notSeenAtRest), wait, Published, ""},
		{"a published folder in which one frame changes is collecting", with(aScene(3).published(), notSeenAtRest, func(s *scene) {
			s.touch(1, "new")
		}), wait, Collecting, "frame_02.jpg (still changing)"},
		{"a published folder into which somebody writes is collecting", with(aScene(3).published(), notSeenAtRest, temporary("frame_02.jpg.part", "frame_02.jpg", 0)), wait, Collecting, "frame_02.jpg.part"},
		{"what a backup calls published is held against the service first", with(aScene(3).published(), notSeenAtRest, func(s *scene) {
			s.record.Unreconciled = true
		}), wait, Collecting, "looked at again"},
		{"a published folder is compared with the service first", with(aScene(3).published(), func(s *scene) {
			s.record.Unreconciled = true
		}), reconcile, Processing, ""},
		{"a finish without an answer that a backup tells of is not sent again", with(aScene(3).running(3, 3), func(s *scene) {
			s.record.Run.FinishSent, s.record.Unreconciled = noon, true
		}), reconcile, Processing, ""},
		{"one that was answered is followed to its end", with(aScene(3).running(3, 3), func(s *scene) {
			s.record.Run.FinishSent, s.record.Run.FinishAcked, s.record.Unreconciled = noon, noon, true
		}), poll, Processing, ""},
		{"no project is looked for before that", with(aScene(3), func(s *scene) { s.record.Unreconciled = true }), reconcile, Processing, ""},
		{"touched files are compared", with(aScene(3).published(), func(s *scene) { s.touch(1, ""); clear(s.readings); s.markRead(1) }), read, Collecting, "comparing"},
		{"touched files of the same content cost no request", with(aScene(3).published(), func(s *scene) { s.touch(1, "frame_02.jpg") }), note, Published, ""},
		{"another content is uploaded again", with(aScene(3).published(), func(s *scene) { s.touch(1, "new") }), reupload, Uploading, ""},
		{"a few new frames wait for quiet although the count is right", with(aScene(3).published(), known(3), stirred, func(s *scene) {
			s.touch(1, "new")
		}), wait, Collecting, "quiet"},
		{"a full set of new frames needs no quiet", with(aScene(2).published(), known(2), stirred, func(s *scene) {
			s.touch(0, "new 1")
			s.touch(1, "new 2")
		}), reupload, Uploading, ""},
		{"a folder whose drive is away waits for it, or for a person", with(aScene(3).published(), func(s *scene) {
			s.snapshot.Root, s.snapshot.Err = "/srv/shoots", &watcher.MountError{Dir: "/srv/shoots/Summer", Why: "lacks its drive"}
		}), rest, Retrying, "/srv/shoots/Summer lacks its drive: connect the drive; if it is right as it is, accept it with `spinsync retry /srv/shoots`"},
		{"an emptied folder keeps its view", with(aScene(3).published(), func(s *scene) { s.snapshot.Frames = nil }), rest, Collecting, "no frames"},
		{"another title is updated without an upload", with(aScene(3).published(), func(s *scene) { s.wanted.title = "New" }), update, Processing, ""},
		{"sidecars are read before alt texts are judged", with(aScene(3).published(), func(s *scene) { s.texts = nil }), readTexts, Processing, ""},
		{"alt texts that differ are set", with(aScene(3).published(), func(s *scene) {
			s.texts = alttext.Texts{"frame_01.jpg": {"en": {Value: "A shoe"}}}
		}), describe, Processing, "1 frame"},

		{"a gone folder keeps its view", with(aScene(3).published(), gone(2), verified), wait, Missing, "kept"},
		{"a gone folder that was never published has no view to keep", with(aScene(3).running(1, 3), gone(2), verified), wait, Missing, "before it was published"},
		{"a folder that never came to anything is forgotten", with(aScene(0), gone(1)), forget, Missing, ""},
		{"a gone folder whose create was not answered looks for its view", with(aScene(3), gone(1), func(s *scene) {
			s.record.Intent = &syncstate.Intent{Title: "SKU-1", Sent: true}
		}), abandon, Processing, "was created"},
		{"delete waits for a second read", with(aScene(3).published(), gone(1), deleting), rest, Missing, "stays away"},
		{"delete acts after two reads", with(aScene(3).published(), gone(2), deleting), remove, Processing, ""},
		{"a folder that came back after a delete looks for its view", with(aScene(3).published(), func(s *scene) {
			s.snapshot.Idle, s.record.DeleteSent = true, noon
		}), reclaim, Processing, "back"},
		{"delete asks before it acts on many", with(aScene(3).published(), gone(2), deleting, func(s *scene) { s.manyGone = true }), ask, Missing, ""},
		{"what was asked waits for a person, however few are left", with(aScene(3).published(), gone(2), deleting, asked(syncstate.RemovalAsked)), rest, Attention, "deleted with `spinsync retry`"},
		{"delete acts on one of many that a person named", with(aScene(3).published(), gone(2), deleting, asked(syncstate.RemovalConfirmed), func(s *scene) { s.manyGone = true }), remove, Processing, ""},
		{"a confirmation ends with the folder's return", with(aScene(3).published(), asked(syncstate.RemovalConfirmed)), welcome, Collecting, ""},
		{"a kept view is looked for once a day", with(aScene(3).published(), gone(2), func(s *scene) { s.record.Verified = noon.Add(-25 * time.Hour) }), verify, Missing, ""},

		{"a pause holds everything", with(aScene(3), func(s *scene) { s.record.Paused = true }), rest, Paused, ""},
		{"paused frames are read", with(aScene(3), unread, func(s *scene) { s.record.Paused = true }), read, Paused, "resume"},
		{"paused frames that cannot be read have time", with(aScene(3), unread, func(s *scene) {
			s.record.Paused, s.blindUntil = true, noon.Add(time.Second)
		}), rest, Paused, ""},
		{"frames are read while a retry is waited for", with(aScene(3), unread, func(s *scene) {
			s.record.Trouble = &syncstate.Trouble{Cause: &status.Cause{Kind: status.Failed, Said: "no answer"}, At: noon, NextTry: noon.Add(time.Minute)}
		}), read, Retrying, "no answer"},
		{"a retry waits for its time", with(aScene(3), func(s *scene) {
			s.record.Trouble = &syncstate.Trouble{Cause: &status.Cause{Kind: status.Failed, Said: "reset"}, NextTry: noon.Add(time.Minute)}
		}), wait, Retrying, "reset"},
		{"a retry waits for a rest that a host asked for", with(aScene(3), func(s *scene) {
			s.record.Trouble = &syncstate.Trouble{Cause: &status.Cause{Kind: status.Failed, Said: "busy"}, NextTry: noon.Add(outcome.LongestRest)}
		}), wait, Retrying, "busy"},
		{"a retry that a clock put off for years is due", with(aScene(3), func(s *scene) {
			s.record.Trouble = &syncstate.Trouble{Cause: &status.Cause{Kind: status.Failed, Said: "reset"}, NextTry: noon.AddDate(10, 0, 0)}
		}), findProject, Uploading, ""},
		{"a retry is due when the clock was set back since", with(aScene(3), func(s *scene) {
			s.record.Trouble = &syncstate.Trouble{Cause: &status.Cause{Kind: status.Failed, Said: "reset"}, At: noon.Add(10 * time.Minute), NextTry: noon.Add(11 * time.Minute)}
		}), findProject, Uploading, ""},
		{"a person's matter ends with another listing", with(aScene(3), func(s *scene) {
			s.record.Trouble = &syncstate.Trouble{Cause: &status.Cause{Kind: status.Failed, Said: "refused"}, Listing: "another"}
		}), findProject, Uploading, ""},
		{"a video is one image", with(aScene(0), func(s *scene) { s.addFrame("turn.mp4") }, known(36)), findProject, Uploading, ""},
		{"a video beside images is a person's matter", with(aScene(1), func(s *scene) { s.addFrame("turn.mp4") }), rest, Attention, "video"},
		{"names that fall together are a person's matter", with(aScene(1), func(s *scene) { s.addFrame("FRAME_01.jpg") }), rest, Attention, "FRAME_01.jpg"},
		{"a product.toml that cannot be read is tried again", with(aScene(3), func(s *scene) { s.unreadable = errors.New("input/output error") }), wait, Retrying, "input/output"},
		{"a root that went away is waited for", with(aScene(3), func(s *scene) { s.offline = &status.Cause{Kind: status.RootOffline, Said: "the root went away"} }), wait, Retrying, "went away"},
		{"a published folder of a root that went away stays published", with(aScene(3).published(), func(s *scene) { s.offline = &status.Cause{Kind: status.RootOffline, Said: "the root went away"} }), rest, Published, ""},
		{"a wrong product.toml is a person's matter", with(aScene(3), func(s *scene) { s.mistake = &status.Cause{Kind: status.Mistake, Said: "product.toml: line 1"} }), rest, Attention, "line 1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := plan(test.scene)
			silent := test.says == "" && test.state == Published
			if silent && got.cause != nil || got.action != test.action || got.state != test.state || !strings.Contains(said(got.cause), test.says) {
				t.Errorf("plan = %s, %s, %q; want %s, %s, …%q…", got.action, got.state, said(got.cause), test.action, test.state, test.says)
			}
			reword(t)
			if again := plan(test.scene); again.action != got.action || !again.until.Equal(got.until) || !again.cause.Same(got.cause) {
				t.Errorf("told in other words the plan is %s, %+v", again.action, again.cause)
			}
		})
	}
}

func unread(s *scene) { clear(s.readings) }

func notSeenAtRest(s *scene) {
	for i := range s.snapshot.Frames {
		s.snapshot.Frames[i].Still = false
	}
}

func (s *scene) breakFrame(i int, since time.Time) {
	f := s.snapshot.Frames[i]
	s.readings[f.Name] = reading{file: identity(f), broken: "ends early", since: since}
}

func (s *scene) markRead(i int) {
	f := s.snapshot.Frames[i]
	s.readings[f.Name] = reading{file: identity(f), whole: true}
}

func gone(reads int) func(*scene) {
	return func(s *scene) {
		s.snapshot = watcher.Snapshot{Root: "/shoots", Folder: "SKU-1", Absent: watcher.Absence{Since: noon.Add(-time.Minute), Reads: reads}}
	}
}

// markEarly marks a frame of the run, if it is one, as sent before it was still.
func (s *scene) markEarly(i int) {
	if i < len(s.record.Run.Frames) {
		s.record.Run.Frames[i].Early = true
	}
}

// readAgain says what reading a frame at rest finds.
func (s *scene) readAgain(i int, content string) {
	f := s.snapshot.Frames[i]
	s.readings[f.Name] = reading{file: identity(f), whole: true, since: noon, digest: digestOf(content)}
}

func deleting(s *scene) { s.rules.deleteGone = true }

func verified(s *scene) { s.record.Verified = noon.Add(-time.Hour) }

// asked gives the scene a question to a person that was put while the folder was gone, and answered
// or not.
func asked(r syncstate.Removal) func(*scene) {
	return func(s *scene) {
		s.record.Removal = r
		verified(s)
	}
}

// Whatever the folder looks like, the set is finished only when every frame in it is settled,
// whole, sent as it is, and announced in the right number.
func TestFinishIsNeverPlannedForAnythingButTheSetThatWasSent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := aScene(rapid.IntRange(0, 6).Draw(t, "frames"))
		sent := rapid.IntRange(0, len(s.snapshot.Frames)).Draw(t, "sent")
		s = s.running(sent, rapid.IntRange(0, 7).Draw(t, "announced"))
		s.rules.frames, s.touches = rapid.IntRange(0, 7).Draw(t, "known"), map[string]touch{}
		s.hurry, s.snapshot.Modified = rapid.Bool().Draw(t, "hurry"), noon.Add(-rapid.SampledFrom([]time.Duration{0, time.Hour}).Draw(t, "modified before"))
		s.snapshot.Changed = noon.Add(-rapid.SampledFrom([]time.Duration{0, quiet, time.Hour}).Draw(t, "still for"))
		for i := range s.snapshot.Frames {
			f := &s.snapshot.Frames[i]
			switch rapid.SampledFrom([]string{"", "", "", "moves", "breaks", "changes", "early", "early and read again", "early and changed", "early and stood"}).Draw(t, "frame") {
			case "early and stood":
				s.markEarly(i)
				f.Changed = rapid.Int64Range(0, 1).Draw(t, "changed")
				s.touches[f.Name] = touch{changed: rapid.Int64Range(0, 1).Draw(t, "changed when it was sent"), stood: true}
			case "early":
				s.markEarly(i)
			case "early and read again":
				s.markEarly(i)
				s.readAgain(i, s.snapshot.Frames[i].Name)
			case "early and changed":
				s.markEarly(i)
				s.readAgain(i, "new")
			case "moves":
				s.snapshot.Frames[i].Still = false
			case "breaks":
				s.breakFrame(i, noon)
			case "changes":
				s.touch(i, "new")
			}
		}
		if rapid.Bool().Draw(t, "a busy file") {
			age := rapid.SampledFrom([]time.Duration{0, time.Hour}).Draw(t, "busy for")
			stands := rapid.SampledFrom([]string{"", "frame_01.jpg"}).Draw(t, "it stands for")
			s.snapshot.Busy = []watcher.Busy{{File: watcher.File{Name: "x.part", Since: noon.Add(-age)}, Frame: stands}}
		}
		if plan(s).action != finish {
			return
		}
		uploaded := map[string]syncstate.RunFrame{}
		for _, f := range s.record.Run.Frames {
			uploaded[f.Name] = f
		}
		for _, f := range s.snapshot.Frames {
			if sent, ok := uploaded[f.Name]; !ok || !f.Still || !sent.Same(identity(f)) {
				t.Fatalf("finish is planned although %s was not sent as it is", f.Name)
			}
			if was := s.touches[f.Name]; was.stood && f.Changed != 0 && was.changed == f.Changed {
				continue
			}
			if uploaded[f.Name].Early && !bytes.Equal(s.readings[f.Name].digest, uploaded[f.Name].Digest) {
				t.Fatalf("finish is planned although nobody knows that %s came to rest as it was sent early", f.Name)
			}
		}
		if slices.ContainsFunc(s.snapshot.Busy, func(b watcher.Busy) bool { return b.Frame != "" && b.Since.Equal(noon) }) {
			t.Fatal("finish is planned while a program writes a frame")
		}
		if len(uploaded) != len(s.snapshot.Frames) || s.record.Run.Images != len(uploaded) {
			t.Fatalf("finish is planned for %v although %d images were announced", slices.Sorted(maps.Keys(uploaded)), s.record.Run.Images)
		}
	})
}

// A photo that replaces another of the same name does not inherit its place in the order of
// capture.
func TestCaptureTimeIsOfThisVeryFile(t *testing.T) {
	s := aScene(1).published()
	s.record.Published.Frames[0].Captured = noon
	if got := s.capturedAt(s.snapshot.Frames[0]); !got.Equal(noon) {
		t.Errorf("the published frame was captured at %v, want %v", got, noon)
	}
	s.touch(0, "another photo, without a time")
	if got := s.capturedAt(s.snapshot.Frames[0]); !got.IsZero() {
		t.Errorf("the frame that replaced it was captured at %v, want no time", got)
	}
}

// said is a cause in words.
func said(c *status.Cause) string { return status.Sentence(c, status.AnyFolder) }
