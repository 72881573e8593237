package view

import (
	"slices"
	"testing"

	"spinsync/apiclient"
	"spinsync/daemon/plan/plantest"
	"spinsync/syncstate"
)

// someImages are ready images of a revision.
func someImages(n int, revision int64) []apiclient.Image {
	images := make([]apiclient.Image, n)
	for i := range images {
		images[i] = apiclient.Image{
			ID: int64(i + 1), Source: "frame.jpg", SourceRevision: revision,
			MediaReady: true, MediaURL: "https://media.example.com/frame.jpg",
		}
	}
	return images
}

// Only ready images of the run's own revision, one for each frame, are published.
func TestDoubt(t *testing.T) {
	run := &syncstate.Run{Frames: make([]syncstate.RunFrame, 2), Seen: seen(5)}
	for name, test := range map[string]struct {
		count   int
		change  func(*apiclient.Image)
		doubted bool
	}{
		"as it was sent":         {2, func(*apiclient.Image) {}, false},
		"one too few":            {1, func(*apiclient.Image) {}, true},
		"one too many":           {3, func(*apiclient.Image) {}, true},
		"of the revision before": {2, func(i *apiclient.Image) { i.SourceRevision = 4 }, true},
		"of the revision after":  {2, func(i *apiclient.Image) { i.SourceRevision = 6 }, true},
		"not ready":              {2, func(i *apiclient.Image) { i.MediaReady = false }, true},
		"without an address":     {2, func(i *apiclient.Image) { i.MediaURL = "" }, true},
	} {
		images := someImages(test.count, 5)
		test.change(&images[len(images)-1])
		if doubt := Doubt(images, run); (doubt != "") != test.doubted {
			t.Errorf("%s: %q", name, doubt)
		}
	}
}

// Other images than at the beginning of the run are somebody else's. Those on their way under other
// names may be the run's own, and those under the names of its frames somebody else's.
func TestOvertaken(t *testing.T) {
	before := someImages(2, 5)
	frame := syncstate.RunFrame{File: syncstate.File{Name: "frame.jpg"}}
	run := &syncstate.Run{Before: syncstate.Before{Print: Fingerprint(before)}, Frames: []syncstate.RunFrame{frame, frame}}
	for name, test := range map[string]struct {
		change           func(*apiclient.Image)
		overtaken, doubt bool
	}{
		"the same images":       {func(*apiclient.Image) {}, false, false},
		"another text":          {func(i *apiclient.Image) { i.AltTexts = map[string]string{"en": "Theirs"} }, false, false},
		"another id":            {func(i *apiclient.Image) { i.ID = 9 }, true, false},
		"another source":        {func(i *apiclient.Image) { i.Source = "theirs.jpg" }, true, false},
		"another address":       {func(i *apiclient.Image) { i.MediaURL += "?2" }, true, false},
		"on their way":          {func(i *apiclient.Image) { i.MediaURL, i.MediaReady = "", false }, false, false},
		"others on their way":   {func(i *apiclient.Image) { i.ID, i.MediaReady = 9, false }, false, true},
		"photos of other names": {func(i *apiclient.Image) { i.Source, i.MediaReady = "theirs.jpg", false }, false, true},
	} {
		images := someImages(2, 5)
		test.change(&images[1])
		if overtaken, doubt := Overtaken(run, images); overtaken != test.overtaken || doubt != test.doubt {
			t.Errorf("%s: %t, in doubt %t", name, overtaken, doubt)
		}
	}
	again := &syncstate.Run{Before: run.Before, Setbacks: syncstate.Setbacks{Overtaken: 1}}
	moved := someImages(2, 5)
	moved[1].MediaURL += "?2"
	if overtaken, doubt := Overtaken(again, moved); overtaken || !doubt {
		t.Errorf("another address, as at the announcement before: %t, in doubt %t", overtaken, doubt)
	}
	slices.Reverse(before)
	for name, test := range map[string]struct {
		run    *syncstate.Run
		images []apiclient.Image
		want   bool
	}{
		"the same images in another order": {run, before, false},
		"none in place of some":            {run, nil, true},
		"some in place of none":            {new(syncstate.Run), before, true},
		"none in place of none":            {new(syncstate.Run), nil, false},
	} {
		if overtaken, doubt := Overtaken(test.run, test.images); overtaken != test.want || doubt {
			t.Errorf("%s: %t, in doubt %t", name, overtaken, doubt)
		}
	}
}

func seen(revision int64) *syncstate.Progress { return &syncstate.Progress{Revision: revision} }

// One upload leads one revision farther. Where no revision is known, none is too far.
func TestBeyond(t *testing.T) {
	before := syncstate.Before{Revision: new(int64(5))}
	for name, test := range map[string]struct {
		run      syncstate.Run
		revision int64
		beyond   bool
	}{
		"the revision before":                     {syncstate.Run{Before: before}, 5, false},
		"the run's own":                           {syncstate.Run{Before: before}, 6, false},
		"one farther":                             {syncstate.Run{Before: before}, 7, true},
		"as it was seen last":                     {syncstate.Run{Seen: seen(5)}, 5, false},
		"one farther than seen last":              {syncstate.Run{Seen: seen(5)}, 6, false},
		"two farther than seen last":              {syncstate.Run{Seen: seen(5)}, 7, true},
		"farther than the first one":              {syncstate.Run{Seen: seen(0)}, 2, true},
		"the first that is ever seen":             {syncstate.Run{}, 7, false},
		"seen last, and one is known from before": {syncstate.Run{Before: before, Seen: seen(6)}, 7, true},
	} {
		if got := Beyond(&test.run, apiclient.Status{SourceRevision: test.revision}); got != test.beyond {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// A view shows a published revision with exactly its images.
func TestShowsAs(t *testing.T) {
	published := plantest.Published(plantest.AScene(2)).Record.Published
	another := someImages(2, published.Revision)
	another[0].ID = 7
	for name, test := range map[string]struct {
		images []apiclient.Image
		shows  bool
	}{
		"its images":           {someImages(2, published.Revision), true},
		"one too few":          {someImages(1, published.Revision), false},
		"one too many":         {someImages(3, published.Revision), false},
		"of the next revision": {someImages(2, published.Revision+1), false},
		"another image":        {another, false},
		"no images":            {nil, false},
	} {
		if got := ShowsAs(published, test.images); got != test.shows {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// Pictures that others add to a turn do not make it another upload. Where there are no images of a
// turn, every image counts.
func TestFingerprintIsOfTheTurn(t *testing.T) {
	turn := []apiclient.Image{{ID: 1, ImageGroup: "rotation"}, {ID: 2, ImageGroup: "rotation"}}
	picture := apiclient.Image{ID: 3, ImageGroup: "gallery"}
	if Fingerprint(append(turn, picture)) != Fingerprint(turn) {
		t.Error("a picture makes it another upload")
	}
	if Fingerprint([]apiclient.Image{picture}) == "" || Fingerprint(turn[:1]) == Fingerprint(turn) {
		t.Error("images play no part")
	}
}
