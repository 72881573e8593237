package view

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spinsync/apiclient"
	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/syncstate"
)

// The position in a stored name does not identify a frame, where spinsync put it there.
func TestFramesThatChangedPlacesKeepTheirImages(t *testing.T) {
	images := []apiclient.Image{
		{ID: 1, Source: "001_img8.jpg"}, {ID: 2, Source: "002_img9.jpg"},
		{ID: 3, Source: "003_img10.jpg"}, {ID: 4, Source: "001__.jpg"}, {ID: 5, Source: "002__.jpg"},
	}
	for name, test := range map[string]struct {
		stored map[string]string
		want   map[string]int64
	}{
		"one in the middle is gone": {
			map[string]string{"img8.jpg": "001_img8.jpg", "img10.jpg": "002_img10.jpg"},
			map[string]int64{"img8.jpg": 1, "img10.jpg": 3}},
		"the first is gone and a last one is new": {
			map[string]string{"img9.jpg": "001_img9.jpg", "img10.jpg": "002_img10.jpg", "img11.jpg": "003_img11.jpg"},
			map[string]int64{"img9.jpg": 2, "img10.jpg": 3}},
		"two differ only in a character that a stored name may not have": {
			map[string]string{"#.jpg": "001__.jpg", "?.jpg": "002__.jpg"},
			map[string]int64{"#.jpg": 4, "?.jpg": 5}},
		"the numbers are those of the photographer": {
			map[string]string{"001_img8.jpg": "001_img8.jpg", "002_img10.jpg": "002_img10.jpg"},
			map[string]int64{"001_img8.jpg": 1}},
	} {
		got := map[string]int64{}
		var frames []syncstate.Frame
		for name, stored := range test.stored {
			frames = append(frames, syncstate.Frame{File: syncstate.File{Name: name}, Stored: stored})
		}
		matched := matchFrames(frames, images)
		for file, stored := range test.stored {
			if image, ok := matched[stored]; ok {
				got[file] = image.ID
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestAltTextsOfOthersAreCarried: before a run the texts of others are read from the images, each
// with the photo that its image shows.
func TestAltTextsOfOthersAreCarried(t *testing.T) {
	image := func(id int64, source string, revision int64, texts map[string]string) apiclient.Image {
		return apiclient.Image{ID: id, Ordial: int(id), Source: source, SourceRevision: revision, AltTexts: texts}
	}
	theirs := map[string]string{"fr": "Le leur"}
	ours := func(s *plan.Scene) { s.Record.Published.Frames[0].AltSet = map[string]string{"en": "Ours"} }
	sources := func(s *plan.Scene) {
		for i := range s.Record.Published.Frames {
			s.Record.Published.Frames[i].Source = fmt.Sprintf("%d.jpg", i+1)
		}
	}
	carrying := func(s *plan.Scene) {
		sources(s)
		s.Record.Run = &syncstate.Run{Before: syncstate.Before{Frames: slices.Clone(s.Record.Published.Frames)}}
		s.Record.Run.Before.Frames[0].Alt = theirs
	}
	gone := func(s *plan.Scene) {
		s.Record.Run = &syncstate.Run{}
		s.Record.Run.Before.Frames = []syncstate.Frame{{ImageID: 1, Source: "frame_09.jpg", Alt: theirs}}
	}
	// A run whose finish arrived, of these photos, and what it found.
	unrecorded := func(photos ...string) func(*plan.Scene) {
		return func(s *plan.Scene) {
			if s.Record.Run == nil {
				s.Record.Run = &syncstate.Run{}
			}
			for i, photo := range photos {
				s.Record.Run.Frames = append(s.Record.Run.Frames, syncstate.RunFrame{
					File: syncstate.File{Name: fmt.Sprintf("frame_%02d.jpg", i+1)}, Digest: plantest.DigestOf(photo),
				})
			}
		}
	}
	sent := func(s *plan.Scene) {
		s.Record.Published = plantest.Published(plantest.AScene(2)).Record.Published
		s.Record.Published.Frames[1].AltCarry = theirs
	}
	of := func(before plan.Scene) func(*plan.Scene) {
		run := &syncstate.Run{}
		for _, f := range before.Set.Whole {
			run.Frames = append(run.Frames, syncstate.RunFrame{File: plan.FileOf(f), Stored: before.Set.Stored[f.Name]})
		}
		return func(s *plan.Scene) { s.Record.Run = run }
	}
	shows := func(photos ...string) func(*plan.Scene) {
		return func(s *plan.Scene) {
			for i, photo := range photos {
				s.Record.Published.Frames[i].Digest = plantest.DigestOf(photo)
			}
		}
	}
	for name, test := range map[string]struct {
		scene  plan.Scene
		images []apiclient.Image
		want   map[string]map[string]string
	}{
		"ours are not theirs": {plantest.With(plantest.Published(plantest.AScene(1)), ours),
			[]apiclient.Image{image(1, "x.jpg", 1, map[string]string{"en": "Ours", "fr": "Le leur"})},
			map[string]map[string]string{"frame_01.jpg": theirs}},
		"what they took away in the meantime stays away": {plantest.With(plantest.Published(plantest.AScene(1)), carrying),
			[]apiclient.Image{image(1, "1.jpg", 1, nil)},
			map[string]map[string]string{}},
		"an image of a revision that nobody recorded, under the old id": {plantest.With(plantest.Published(plantest.AScene(1)), carrying),
			[]apiclient.Image{image(1, "x.jpg", 2, map[string]string{"de": "Ihrer"})},
			map[string]map[string]string{"frame_01.jpg": {"fr": "Le leur", "de": "Ihrer"}}},
		"an image of the published revision, under another id": {plantest.With(plantest.Published(plantest.AScene(1)), carrying),
			[]apiclient.Image{image(7, "frame_01.jpg", 1, map[string]string{"de": "Ihrer"})},
			map[string]map[string]string{"frame_01.jpg": {"fr": "Le leur", "de": "Ihrer"}}},
		"an image of a revision that nobody recorded, under another id": {plantest.With(plantest.Published(plantest.AScene(1)), ours),
			[]apiclient.Image{image(7, "frame_01.jpg", 2, map[string]string{"en": "Ours", "fr": "Le leur"})},
			map[string]map[string]string{"frame_01.jpg": theirs}},
		// The first photo was taken out, and the service gave the third one the id of the second, and kept its text by name.
		"ids of other photos, of a revision that nobody recorded": {
			plantest.With(plantest.Published(plantest.AScene(3)), shows("a", "b", "c"), carrying, unrecorded("b", "c")),
			[]apiclient.Image{image(1, "x.jpg", 2, theirs), image(2, "y.jpg", 2, map[string]string{"de": "Ihrer"})},
			map[string]map[string]string{"frame_02.jpg": {"de": "Ihrer"}}},
		"on the way to a view that others replaced": {
			plantest.With(plantest.Published(plantest.AScene(1)), func(s *plan.Scene) { s.Record.Published.Frames[0].AltCarry = theirs }),
			[]apiclient.Image{image(7, "x.jpg", 2, nil)},
			map[string]map[string]string{"frame_01.jpg": theirs}},
		"a product that the state file does not know": {plantest.AScene(2),
			[]apiclient.Image{image(7, "2/1/frame_02.jpg", 1, theirs)},
			map[string]map[string]string{"frame_02.jpg": theirs}},
		"a frame that is gone, beside one that kept its name": {plantest.AScene(2),
			[]apiclient.Image{image(7, "frame_01.jpg", 1, nil), image(8, "frame_09.jpg", 1, theirs)},
			map[string]map[string]string{"": theirs}},
		"a photo that the run did not send any more, in an upload that nobody recorded": {
			plantest.With(plantest.AScene(1), sent, unrecorded("a")),
			[]apiclient.Image{image(7, "frame_01.jpg", 2, nil)},
			map[string]map[string]string{}},
		"sources of any name, of another number: no photo is known to be gone": {plantest.AScene(2),
			[]apiclient.Image{image(7, "f3.jpg", 1, theirs), image(8, "a9.jpg", 1, theirs), image(9, "b1.jpg", 1, theirs)},
			map[string]map[string]string{}},
		"a photo that was gone before an upload that nobody recorded": {plantest.With(plantest.AScene(1), gone),
			[]apiclient.Image{image(7, "frame_01.jpg", 2, nil)},
			map[string]map[string]string{}},
		"sources of any name": {plantest.AScene(2),
			[]apiclient.Image{image(7, "f3.jpg", 1, nil), image(8, "a9.jpg", 1, theirs)},
			map[string]map[string]string{"frame_02.jpg": theirs}},
		"sources of any name, of a run before another frame came": {plantest.With(plantest.AScene(3), of(plantest.AScene(2))),
			[]apiclient.Image{image(7, "f3.jpg", 1, nil), image(8, "a9.jpg", 1, theirs)},
			map[string]map[string]string{"frame_02.jpg": theirs}},
	} {
		t.Run(name, func(t *testing.T) {
			got := map[string]map[string]string{}
			for _, f := range FramesBefore(test.scene, test.images) {
				if texts := textsOfOthers(f); len(texts) > 0 {
					got[f.Name] = texts
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A text that others wrote in a view that nobody recorded goes from the photo that has its place now, where
// the service kept it, to its own.
func TestTextsKeptByPlaceLeaveAPhotoThatCameInBetween(t *testing.T) {
	theirs := map[string]string{"fr": "Le leur"}
	image := func(ordial int, source string, texts map[string]string) apiclient.Image {
		return apiclient.Image{ID: int64(ordial), Ordial: ordial, Source: source, AltTexts: texts}
	}
	first, last := image(1, "001_frame_01.jpg", nil), image(2, "002_frame_03.jpg", theirs)
	for name, old := range map[string][]apiclient.Image{
		"a photo came":                   {first, last},
		"a photo came, beside a picture": {first, last, image(3, "picture.jpg", nil)},
		"two photos changed places":      {first, last, image(3, "003_frame_02.jpg", nil)},
	} {
		s := plantest.AScene(3)
		for i, f := range s.Set.Whole {
			s.Set.Stored[f.Name] = fmt.Sprintf("%03d_%s", i+1, f.Name)
		}
		run := &syncstate.Run{Seen: seen(2)}
		run.Before.Frames = FramesBefore(s, old)
		s.Record.Run = run
		var images []apiclient.Image
		for i, f := range s.Set.Whole {
			run.Frames = append(run.Frames, syncstate.RunFrame{File: plan.FileOf(f), Stored: s.Set.Stored[f.Name]})
			images = append(images, image(11+i, s.Set.Stored[f.Name], nil))
		}
		images[1].AltTexts = theirs
		run.Before.Frames = FramesBefore(s, old) // which the finish reads once more
		published, got := PublishedOf(s, images), map[string]string{}
		for _, c := range (plan.Texts{}).Changes(published) {
			got[published.Frames[c.Frame].Name] = c.Want["fr"]
		}
		if diff := cmp.Diff(map[string]string{"frame_02.jpg": "", "frame_03.jpg": "Le leur"}, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// Where a photo was taken out of a view that nobody recorded, a text that others wrote on a photo
// behind it goes from the one that has its place now, where the service kept it, to its own.
func TestTextsKeptByPlaceLeaveAPhotoBehindOneThatIsGone(t *testing.T) {
	image := func(ordial int, source, text string) apiclient.Image {
		texts := map[string]string{}
		if text != "" {
			texts["fr"] = text
		}
		return apiclient.Image{ID: int64(ordial), Ordial: ordial, Source: source, AltTexts: texts}
	}
	for name, test := range map[string]struct {
		texts []string // of the photo that is gone, and of those behind it
		want  map[string]string
	}{
		"of a photo that stays": {[]string{"", "Le premier", "Le second"}, map[string]string{"frame_01.jpg": "Le premier", "frame_02.jpg": "Le second"}},
		"of the one that went":  {[]string{"Le leur", "", ""}, map[string]string{"frame_01.jpg": "", "frame_02.jpg": ""}},
	} {
		s := plantest.AScene(2)
		old := []apiclient.Image{
			image(1, "frame_00.jpg", test.texts[0]), image(2, "frame_01.jpg", test.texts[1]), image(3, "frame_02.jpg", test.texts[2]),
		}
		run := &syncstate.Run{Seen: seen(2)}
		run.Before.Frames = FramesBefore(s, old)
		s.Record.Run = run
		var images []apiclient.Image
		for i, f := range s.Set.Whole {
			run.Frames = append(run.Frames, syncstate.RunFrame{File: plan.FileOf(f), Stored: s.Set.Stored[f.Name]})
			images = append(images, image(11+i, f.Name, test.texts[i]))
		}
		run.Before.Frames = FramesBefore(s, old) // which the finish reads once more
		published, got := PublishedOf(s, images), map[string]string{}
		for i, f := range published.Frames {
			got[f.Name] = images[i].AltTexts["fr"]
		}
		for _, c := range (plan.Texts{}).Changes(published) {
			got[published.Frames[c.Frame].Name] = c.Want["fr"]
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// A text of others on a photo that was gone when a run began stays with it where the photo is back
// when the view is compared: its image is no other one's.
func TestTextsOfAPhotoThatIsBackAreItsOwn(t *testing.T) {
	s := plantest.AScene(2)
	image := func(id int64, source, text string) apiclient.Image {
		return apiclient.Image{ID: id, Ordial: int(id), Source: source, AltTexts: map[string]string{"fr": text}}
	}
	images := []apiclient.Image{image(1, "frame_01.jpg", "Le premier"), image(2, "frame_02.jpg", "Le second")}
	began := plantest.AScene(1)
	s.Record.Run = &syncstate.Run{}
	s.Record.Run.Before.Frames = FramesBefore(began, images)
	before, _ := FramesUnder(s.Record, images)
	run := &syncstate.Run{Seen: seen(1), Before: syncstate.Before{Frames: before}}
	for _, f := range s.Set.Whole {
		run.Frames = append(run.Frames, syncstate.RunFrame{File: plan.FileOf(f)})
	}
	s.Record.Run = run
	if changes := (plan.Texts{}).Changes(PublishedOf(s, images)); len(changes) > 0 {
		t.Errorf("the texts are changed: %v", changes)
	}
}

// A photo that comes after a run began, to a view that nobody recorded, has the texts of its image
// there, too.
func TestTextsOfAPhotoThatComesAfterTheBeginning(t *testing.T) {
	image := func(id int64, source, text string) apiclient.Image {
		return apiclient.Image{ID: id, Ordial: int(id), Source: source, AltTexts: map[string]string{"fr": text}}
	}
	published := func(r *syncstate.Record) {
		r.Published = &syncstate.Published{Frames: []syncstate.Frame{{
			File: syncstate.File{Name: "frame_02.jpg"}, AltSet: map[string]string{"en": "Ours"},
			AltCarry: map[string]string{"de": "Ihrer"},
		}}}
	}
	for name, test := range map[string]struct {
		sources [2]string
		record  func(*syncstate.Record)
		want    map[string]string
	}{
		"by its name":                 {[2]string{"frame_01.jpg", "frame_02.jpg"}, nil, map[string]string{"fr": "Le second"}},
		"by order, without any names": {[2]string{"f3.jpg", "a9.jpg"}, nil, map[string]string{"fr": "Le second"}},
		"and those that the record knows": {[2]string{"frame_01.jpg", "frame_02.jpg"}, published,
			map[string]string{"fr": "Le second", "de": "Ihrer"}},
	} {
		images := []apiclient.Image{image(1, test.sources[0], "Le premier"), image(2, test.sources[1], "Le second")}
		began, s := plantest.AScene(1), plantest.AScene(2)
		if test.record != nil {
			test.record(&began.Record)
		}
		s.Record = began.Record
		s.Record.Run = &syncstate.Run{}
		s.Record.Run.Before.Frames = FramesBefore(began, images)
		var got []map[string]string
		for _, f := range FramesBefore(s, images) {
			if f.Name == "frame_02.jpg" {
				got = append(got, textsOfOthers(f))
			}
		}
		if diff := cmp.Diff([]map[string]string{test.want}, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// A text that somebody took away from a view that nobody recorded, after a run had begun and read it there,
// stays away.
func TestTextsThatAreTakenAwayBeforeTheFinishStayAway(t *testing.T) {
	image := func(id int64, source, group, text string) apiclient.Image {
		return apiclient.Image{ID: id, Ordial: int(id), Source: source, ImageGroup: group, AltTexts: map[string]string{"fr": text}}
	}
	picture := image(9, "picture.jpg", "picture", "")
	for name, test := range map[string]struct{ beside, added []apiclient.Image }{
		"beside a picture":               {[]apiclient.Image{image(2, "frame_02.jpg", "rotation", ""), picture}, nil},
		"before a picture came":          {[]apiclient.Image{image(2, "frame_02.jpg", "rotation", "")}, []apiclient.Image{picture}},
		"where a photo came":             {nil, nil},
		"beside a photo that is gone":    {[]apiclient.Image{image(2, "frame_09.jpg", "rotation", "")}, nil},
		"beside two photos, one is gone": {[]apiclient.Image{image(2, "frame_02.jpg", "rotation", ""), image(3, "frame_09.jpg", "rotation", "")}, nil},
	} {
		s, images := plantest.AScene(2), append([]apiclient.Image{image(1, "frame_01.jpg", "rotation", "Le leur")}, test.beside...)
		s.Record.Run = &syncstate.Run{}
		s.Record.Run.Before.Frames = FramesBefore(s, images)
		if texts := textsOfOthers(s.Record.Run.Before.Frames[0]); texts["fr"] != "Le leur" {
			t.Errorf("%s: the run found %v", name, texts)
		}
		images[0].AltTexts = nil
		for _, f := range FramesBefore(s, append(images, test.added...)) {
			if texts := textsOfOthers(f); texts["fr"] != "" {
				t.Errorf("%s: %s has %v again", name, f.Name, texts)
			}
		}
	}
}

// Texts of ours that had no answer stay ours while they do not show, on images that a new revision
// kept. The request may still arrive.
func TestTextsMayArriveAfterANewRevision(t *testing.T) {
	r := &syncstate.Record{Late: syncstate.LateTexts{
		AltIntent: map[int64]map[string]string{1: {"en": "Shoe", "de": "Schuh"}, 2: {"en": "Hat"}},
		AltLate:   map[int64]map[string]string{3: {"en": "Bag"}},
	}}
	images := []apiclient.Image{{ID: 1, AltTexts: map[string]string{"de": "Schuh"}}, {ID: 3}, {ID: 4}}
	want := map[int64]map[string]string{1: {"en": "Shoe"}, 3: {"en": "Bag"}}
	if diff := cmp.Diff(want, StillLate(r, images)); diff != "" {
		t.Error(diff)
	}
}
