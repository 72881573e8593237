package view

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spinsync/apiclient"
	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/syncstate"
)

// TestWhatIsRecordedAsPublished: the record has each frame as it was sent, in the order of the
// stored names, with the image that it became, and the texts of ours and of others.
func TestWhatIsRecordedAsPublished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := plantest.Running(plantest.Published(plantest.AScene(2)), 2, 2)
		run := s.Record.Run
		run.Seen, run.Marker = seen(2), syncstate.File{Name: "done.txt"}
		first, second := &run.Frames[0], &run.Frames[1]
		first.Stored, second.Stored = "002_frame_01.jpg", "001_frame_02.jpg"
		first.Captured = plantest.Noon
		run.Before.Frames = s.Record.Published.Frames
		run.Before.Frames[0].AltSet, run.Before.Frames[0].AltCarry = words{"en": "Shoe"}, words{"de": "Schuh"}
		s.Record.Late.AltIntent = map[int64]map[string]string{1: {"it": "Scarpa", "fr": "Botte"}}
		texts := map[string]string{"en": "Shoe", "it": "Scarpa", "fr": "Chaussure"}
		images := []apiclient.Image{
			{ID: 8, Ordial: 2, Source: "a/002_frame_01.jpg", Row: 2, ImageGroup: "g", StorageVersion: 3, MediaURL: "m", ThumbnailURL: "t", AltTexts: texts},
			{ID: 7, Ordial: 1, Source: "a/001_frame_02.jpg"},
		}
		want := &syncstate.Published{
			Revision: 2, At: time.Now().UTC(), Images: 2, Bytes: 2000, Marker: syncstate.File{Name: "done.txt"},
			Frames: []syncstate.Frame{
				{File: second.File, Stored: second.Stored, Digest: second.Digest, ImageID: 7, Ordial: 1, Source: "a/001_frame_02.jpg"},
				{
					File: first.File, Stored: first.Stored, Digest: first.Digest, Captured: plantest.Noon,
					ImageID: 8, Ordial: 2, Source: "a/002_frame_01.jpg", Row: 2, Group: "g", StorageVersion: 3, MediaURL: "m", ThumbnailURL: "t",
					Alt: texts, AltSet: map[string]string{"en": "Shoe", "it": "Scarpa"}, AltCarry: map[string]string{"de": "Schuh"},
				},
			},
		}
		if diff := cmp.Diff(want, PublishedOf(s, images), cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	})
}

// The texts of others go with their photo: under another name, in another place, and not to another
// photo that has its name or its place now. A photo that was taken again under its name keeps them.
// Where it is not known which photos the images show, the names decide. Photos are called by their
// bytes and their text, which may be "-" for none.
func TestTextsGoWithTheirPhotos(t *testing.T) {
	for name, test := range map[string]struct {
		before          words // photos by name
		forgotten, ours bool
		now, kept, want words // photos, and texts that the service left on their images, and those in the end
	}{
		"as they were":            {before: words{"1": "a-x", "2": "b-y"}, now: words{"1": "a", "2": "b"}, want: words{"1": "x", "2": "y"}},
		"swapped":                 {before: words{"1": "a-x", "2": "b-y"}, now: words{"1": "b", "2": "a"}, want: words{"1": "y", "2": "x"}},
		"under another name":      {before: words{"1": "a-x", "2": "b-y"}, now: words{"1": "a", "3": "b"}, want: words{"1": "x", "3": "y"}},
		"moved up":                {before: words{"1": "a-x", "2": "b-y", "3": "c-z"}, now: words{"1": "b", "2": "c"}, want: words{"1": "y", "2": "z"}},
		"another in its place":    {before: words{"1": "a-x"}, now: words{"1": "b", "2": "a"}, want: words{"2": "x"}},
		"taken again":             {before: words{"1": "a-x", "2": "b-y"}, now: words{"1": "c", "2": "b"}, want: words{"1": "x", "2": "y"}},
		"copied":                  {before: words{"1": "a-x"}, now: words{"1": "a", "2": "a"}, want: words{"1": "x"}},
		"alike, and all renamed":  {before: words{"1": "a-x", "2": "a-y"}, now: words{"3": "a", "4": "a"}, want: words{"3": "x", "4": "y"}},
		"of images not known":     {before: words{"1": "a-x", "2": "b-y"}, forgotten: true, now: words{"1": "b", "2": "a"}, want: words{"1": "x", "2": "y"}},
		"left where it was":       {before: words{"1": "a-x"}, now: words{"1": "b", "2": "a"}, kept: words{"1": "x"}, want: words{"2": "x"}},
		"left, and taken again":   {before: words{"1": "a-x"}, now: words{"1": "b"}, kept: words{"1": "x"}, want: words{"1": "x"}},
		"left on swapped photos":  {before: words{"1": "a-x", "2": "b-y"}, now: words{"1": "b", "2": "a"}, kept: words{"1": "x", "2": "y"}, want: words{"1": "y", "2": "x"}},
		"left by place":           {before: words{"1": "a-x", "2": "b-y", "3": "c-z"}, now: words{"2": "b", "3": "c"}, kept: words{"2": "x", "3": "y"}, want: words{"2": "y", "3": "z"}},
		"left on one without":     {before: words{"1": "a-x", "2": "b"}, now: words{"2": "b"}, kept: words{"2": "x"}, want: words{}},
		"all the same":            {before: words{"1": "a-x", "2": "b-x", "3": "c-x"}, now: words{"1": "b", "2": "c"}, kept: words{"1": "x", "2": "x"}, want: words{"1": "x", "2": "x"}},
		"written in the meantime": {before: words{"1": "a-x", "2": "b"}, now: words{"1": "a", "2": "b"}, kept: words{"1": "x", "2": "x"}, want: words{"1": "x", "2": "x"}},
		"ours, left by name":      {before: words{"1": "a-x", "2": "b-y"}, ours: true, now: words{"1": "b"}, kept: words{"1": "x"}, want: words{}},
		"ours, left by place":     {before: words{"1": "a-x", "2": "b-y"}, ours: true, now: words{"2": "b"}, kept: words{"2": "x"}, want: words{}},
	} {
		s := plantest.AScene(0)
		s.Record.Run = &syncstate.Run{Seen: seen(2)}
		before := &s.Record.Run.Before.Frames
		for i, name := range slices.Sorted(maps.Keys(test.before)) {
			photo, text, described := strings.Cut(test.before[name], "-")
			f := syncstate.Frame{File: syncstate.File{Name: name}, Digest: []byte(photo), ImageID: int64(1 + i)}
			if described {
				f.Alt = words{"fr": text}
			}
			if test.ours {
				f.AltSet = f.Alt
			}
			*before = append(*before, f)
		}
		if test.forgotten {
			ForgetImages(*before)
		}
		var images []apiclient.Image
		for name, photo := range test.now {
			s.Record.Run.Frames = append(s.Record.Run.Frames, syncstate.RunFrame{File: syncstate.File{Name: name}, Digest: []byte(photo)})
			image := apiclient.Image{ID: 9, Source: name, AltTexts: words{}}
			if text := test.kept[name]; text != "" {
				image.AltTexts["fr"] = text
			}
			images = append(images, image)
		}
		published, got := PublishedOf(s, images), words{}
		for _, f := range published.Frames {
			got[f.Name] = f.Alt["fr"]
		}
		for _, c := range (plan.Texts{}).Changes(published) {
			got[published.Frames[c.Frame].Name] = c.Want["fr"]
		}
		maps.DeleteFunc(got, isBlank)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// TestImagesOfFrames: an image belongs to the frame of its source's name. Only where the names do
// not serve, and the numbers agree, the order decides.
func TestImagesOfFrames(t *testing.T) {
	stored := []string{"1.jpg", "2.jpg"}
	for name, test := range map[string]struct {
		images []apiclient.Image
		want   map[string]int64
	}{
		"by name":              {[]apiclient.Image{{ID: 7, Source: "2.jpg", Ordial: 1}, {ID: 8, Source: "1.jpg", Ordial: 2}}, map[string]int64{"1.jpg": 8, "2.jpg": 7}},
		"by order":             {[]apiclient.Image{{ID: 7, Source: "a", Ordial: 2}, {ID: 8, Source: "b", Ordial: 1}}, map[string]int64{"1.jpg": 8, "2.jpg": 7}},
		"one by name":          {[]apiclient.Image{{ID: 7, Source: "1.jpg", Ordial: 2}, {ID: 8, Source: "b", Ordial: 1}}, map[string]int64{"1.jpg": 8, "2.jpg": 7}},
		"one of two":           {[]apiclient.Image{{ID: 7, Source: "2.jpg"}}, map[string]int64{"2.jpg": 7}},
		"one of another name":  {[]apiclient.Image{{ID: 7, Source: "a"}}, map[string]int64{}},
		"by name, and another": {[]apiclient.Image{{ID: 7, Source: "1.jpg"}, {ID: 8, Source: "2.jpg"}, {ID: 9, Source: "3.jpg"}}, map[string]int64{"1.jpg": 7, "2.jpg": 8}},
		"three of other names": {[]apiclient.Image{{ID: 7, Source: "a"}, {ID: 8, Source: "b"}, {ID: 9, Source: "c"}}, map[string]int64{}},
	} {
		got := map[string]int64{}
		for name, image := range matchImages(stored, test.images) {
			got[name] = image.ID
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestImagesAreNoted: the record follows the images of the published revision, and keeps our texts
// that were sent and do not show yet. Images that are not its own end that.
func TestImagesAreNoted(t *testing.T) {
	r := plantest.Published(plantest.AScene(2)).Record
	r.Published.Frames[0].ThumbnailURL = "thumb/1"
	r.Published.Frames[0].AltCarry = words{"en": "Theirs before", "fr": "Le leur"}
	r.Late.AltIntent = map[int64]map[string]string{1: {"en": "Shoe"}}
	r.Late.AltLate = map[int64]map[string]string{2: {"en": "Side", "de": "Seite"}}
	images := []apiclient.Image{
		{ID: 71, Ordial: 3, Source: "frame_01.jpg", SourceRevision: 1, MediaURL: "m", ThumbnailURL: "t", AltTexts: words{"en": "Theirs"}},
		{ID: 2, Ordial: 4, Source: "other.jpg", SourceRevision: 9, MediaURL: "n", ThumbnailURL: "u", AltTexts: words{"en": "Side"}},
	}
	r.Published.Frames[1].Source = "other.jpg" // and its revision rose when another form was asked for
	was := r.Published.Frames[1]
	if err := NoteImages(&r, images); err != nil {
		t.Fatal(err)
	}
	first := r.Published.Frames[0]
	if first.ImageID != 71 || first.Ordial != 3 || first.Source != "frame_01.jpg" || first.MediaURL != "m" || first.ThumbnailURL != "t" || !maps.Equal(first.AltCarry, words{"fr": "Le leur"}) {
		t.Errorf("the first is recorded as %+v", first)
	}
	was.Alt, was.AltSet = words{"en": "Side"}, words{"en": "Side"}
	if diff := cmp.Diff(was, r.Published.Frames[1]); diff != "" {
		t.Errorf("the second: %s", diff)
	}
	if diff := cmp.Diff(map[int64]map[string]string{71: {"en": "Shoe"}, 2: {"de": "Seite"}}, r.Late.AltLate); diff != "" || r.Late.AltIntent != nil {
		t.Errorf("what is late: %s; intended: %v", diff, r.Late.AltIntent)
	}
	images[0].ID, images[0].MediaURL, images[0].ThumbnailURL = 72, "", ""
	r.Late.AltLate, r.Published.Frames[1].AltSet = nil, words{"de": "Taken away"}
	if err := NoteImages(&r, images); err != nil || r.Published.Frames[0].MediaURL != "m" || r.Published.Frames[0].ThumbnailURL != "t" || len(r.Late.AltLate) > 0 {
		t.Errorf("without media: %+v, late %v, %v", r.Published.Frames[0], r.Late.AltLate, err)
	}
	if set := r.Published.Frames[1].AltSet; set["de"] != "Taken away" {
		t.Errorf("what was set before is %v", set)
	}
	ForgetImages(r.Published.Frames)
	if err := NoteImages(&r, images[:1]); err == nil {
		t.Error("a list without an image is taken")
	}
}

type words = map[string]string

// TestImagesAreForgotten: frames whose images may have become others keep no ids.
func TestImagesAreForgotten(t *testing.T) {
	frames := plantest.Published(plantest.AScene(2)).Record.Published.Frames
	ForgetImages(frames)
	for _, f := range frames {
		if f.ImageID != 0 {
			t.Errorf("%s is still image %d", f.Name, f.ImageID)
		}
	}
	want := syncstate.Progress{Revision: 3, Status: "finished"}
	if got := ProgressOf(apiclient.Status{SourceRevision: 3, ImageStatus: "finished"}); got != want {
		t.Errorf("the progress is %+v", got)
	}
}
