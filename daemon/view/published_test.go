package view

import (
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

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
		run.Carry = map[string]map[string]string{"frame_01.jpg": {"de": "Schuh"}}
		s.Record.Published.Frames[0].AltSet = map[string]string{"en": "Shoe"}
		s.Record.Late.AltIntent = map[int64]map[string]string{1: {"it": "Scarpa", "fr": "Botte"}}
		texts := map[string]string{"en": "Shoe", "it": "Scarpa", "fr": "Chaussure"}
		images := []apiclient.Image{
			{ID: 8, Ordial: 2, Source: "a/002_frame_01.jpg", Row: 2, ImageGroup: "g", StorageVersion: 3, MediaURL: "m", ThumbnailURL: "t", AltTexts: texts},
			{ID: 7, Ordial: 1, Source: "a/001_frame_02.jpg"},
		}
		want := &syncstate.Published{
			Revision: 2, At: time.Now().UTC(), Images: 2, Bytes: 2000, Marker: syncstate.File{Name: "done.txt"},
			Frames: []syncstate.Frame{
				{File: second.File, Stored: second.Stored, Digest: second.Digest, ImageID: 7, Ordial: 1, Source: "a/001_frame_02.jpg", AltSet: map[string]string{}},
				{
					File: first.File, Stored: first.Stored, Digest: first.Digest, Captured: plantest.Noon,
					ImageID: 8, Ordial: 2, Source: "a/002_frame_01.jpg", Row: 2, Group: "g", StorageVersion: 3, MediaURL: "m", ThumbnailURL: "t",
					Alt: texts, AltSet: map[string]string{"en": "Shoe", "it": "Scarpa"}, AltCarry: map[string]string{"de": "Schuh"},
				},
			},
		}
		if diff := cmp.Diff(want, PublishedOf(s, images)); diff != "" {
			t.Error(diff)
		}
	})
}

// The texts of others go with their photo: under another name, in another place, and not to another
// photo that has its name now. A photo that was taken again under its name keeps them. Where it is
// not known which photos the images show, the names decide.
func TestTextsGoWithTheirPhotos(t *testing.T) {
	digest := func(photo string) []byte { return []byte("digest of " + photo) }
	for name, test := range map[string]struct {
		before    map[string]string // photos by name
		forgotten bool
		now, want map[string]string // whose text it is
		kept      map[string]string // whose text the service left on the images of these names
		stray     []string          // names whose kept text is withdrawn
	}{
		"as they were":           {before: words{"1": "a", "2": "b"}, now: words{"1": "a", "2": "b"}, want: words{"1": "a", "2": "b"}},
		"swapped":                {before: words{"1": "a", "2": "b"}, now: words{"1": "b", "2": "a"}, want: words{"1": "b", "2": "a"}},
		"under another name":     {before: words{"1": "a", "2": "b"}, now: words{"1": "a", "3": "b"}, want: words{"1": "a", "3": "b"}},
		"moved up":               {before: words{"1": "a", "2": "b", "3": "c"}, now: words{"1": "b", "2": "c"}, want: words{"1": "b", "2": "c"}},
		"another in its place":   {before: words{"1": "a"}, now: words{"1": "x", "2": "a"}, want: words{"2": "a"}},
		"taken again":            {before: words{"1": "a", "2": "b"}, now: words{"1": "x", "2": "b"}, want: words{"1": "a", "2": "b"}},
		"copied":                 {before: words{"1": "a"}, now: words{"1": "a", "2": "a"}, want: words{"1": "a"}},
		"of images not known":    {before: words{"1": "a", "2": "b"}, forgotten: true, now: words{"1": "b", "2": "a"}, want: words{"1": "a", "2": "b"}},
		"left where it was":      {before: words{"1": "a"}, now: words{"1": "x", "2": "a"}, kept: words{"1": "a"}, want: words{"2": "a"}, stray: []string{"1"}},
		"left, and taken again":  {before: words{"1": "a"}, now: words{"1": "x"}, kept: words{"1": "a"}, want: words{"1": "a"}},
		"left on swapped photos": {before: words{"1": "a", "2": "b"}, now: words{"1": "b", "2": "a"}, kept: words{"1": "a", "2": "b"}, want: words{"1": "b", "2": "a"}, stray: []string{"1", "2"}},
	} {
		s := plantest.AScene(0)
		s.Record.Published = &syncstate.Published{}
		s.Record.Run = &syncstate.Run{Seen: seen(2), Carry: map[string]map[string]string{}}
		for name, photo := range test.before {
			f := syncstate.Frame{File: syncstate.File{Name: name}, Digest: digest(photo), ImageID: 1}
			s.Record.Published.Frames = append(s.Record.Published.Frames, f)
			s.Record.Run.Carry[name] = words{"fr": photo}
		}
		if test.forgotten {
			ForgetImages(s.Record.Published)
		}
		var images []apiclient.Image
		for name, photo := range test.now {
			s.Record.Run.Frames = append(s.Record.Run.Frames, syncstate.RunFrame{File: syncstate.File{Name: name}, Digest: digest(photo)})
			image := apiclient.Image{ID: 2, Source: name, AltTexts: words{}}
			if text := test.kept[name]; text != "" {
				image.AltTexts["fr"] = text
			}
			images = append(images, image)
		}
		published := PublishedOf(s, images)
		got, stray := words{}, []string(nil)
		for _, f := range published.Frames {
			if len(f.AltSet) > 0 {
				stray = append(stray, f.Name)
			}
			if f.Alt["fr"] != "" {
				got[f.Name] = f.Alt["fr"]
			}
		}
		for _, c := range (plan.Texts{}).Changes(published) {
			delete(got, published.Frames[c.Frame].Name)
			if text := c.Want["fr"]; text != "" {
				got[published.Frames[c.Frame].Name] = text
			}
		}
		if diff := cmp.Diff(test.want, got) + cmp.Diff(test.stray, stray); diff != "" {
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
	ForgetImages(r.Published)
	if err := NoteImages(&r, images[:1]); err == nil {
		t.Error("a list without an image is taken")
	}
}

type words = map[string]string

// TestImagesAreForgotten: frames whose images may have become others keep no ids.
func TestImagesAreForgotten(t *testing.T) {
	ForgetImages(nil)
	p := plantest.Published(plantest.AScene(2)).Record.Published
	ForgetImages(p)
	for _, f := range p.Frames {
		if f.ImageID != 0 {
			t.Errorf("%s is still image %d", f.Name, f.ImageID)
		}
	}
	want := syncstate.Progress{Revision: 3, Status: "finished"}
	if got := ProgressOf(apiclient.Status{SourceRevision: 3, ImageStatus: "finished"}); got != want {
		t.Errorf("the progress is %+v", got)
	}
}
