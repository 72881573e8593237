package inspect

import (
	"image"
	"slices"
	"testing"
)

// shown is a set of pictures of a faint stripe, at these places of 32, in a light of so many percent.
func shown(light int, places ...int) []Observation {
	var frames []Observation
	for i, at := range places {
		img := image.NewYCbCr(image.Rect(0, 0, side, side), image.YCbCrSubsampleRatio444)
		for k := range img.Y {
			img.Y[k], img.Cb[k], img.Cr[k] = 200, 128, 128
			if x := k % side; x >= at && x < at+4 {
				img.Y[k] = 170
			}
			if i%2 == 1 {
				img.Y[k] = uint8(int(img.Y[k]) * light / 100)
			}
		}
		frames = append(frames, Observation{Picture: Measure(img)})
	}
	return frames
}

// stops are the steps in which the table did not turn.
func stops(frames []Observation) (stops []int) {
	r := newRing(frames)
	for i := range frames {
		if r.stood(i) {
			stops = append(stops, i)
		}
	}
	return stops
}

// TestStood: a table that stood is seen in a light that flickers, over the end of the turn as well. An object
// that looks the same before and after a step hides it.
func TestStood(t *testing.T) {
	for _, test := range []struct {
		name   string
		light  int
		places []int
		want   []int
	}{
		{"turns", 100, []int{0, 4, 8, 12, 16, 20, 24, 28}, nil},
		{"stands once", 100, []int{0, 4, 8, 12, 12, 16, 20, 24, 28}, []int{3}},
		{"stands in a flicker", 97, []int{0, 4, 8, 12, 12, 16, 20, 24, 28}, []int{3}},
		{"ends where it began", 104, []int{0, 4, 8, 12, 16, 20, 24, 28, 0}, []int{8}},
		{"faces the camera", 100, []int{12, 8, 4, 0, 0, 4, 8, 12, 16, 20, 24, 20, 16}, nil},
		{"looks the same from all sides", 100, []int{4, 4, 4, 4, 4, 4, 4, 4, 4}, nil},
	} {
		if got := stops(shown(test.light, test.places...)); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
	torn := shown(100, 0, 4, 8, 12, 12, 16, 20, 24, 28)
	torn[4].Picture = nil
	if got := stops(torn); got != nil {
		t.Errorf("without a picture: %v", got)
	}
}
