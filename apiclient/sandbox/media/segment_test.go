package media

import (
	"errors"
	"image"
	"strings"
	"testing"
)

func FuzzSegments(f *testing.F) {
	f.Add("resize;w_320", 1600, 1200)
	f.Add("resize;w_800,h_600/resize;h_1", 1, 9000)
	f.Add("resize;h_2147483647", 16383, 1)
	f.Add("resize;w_320;h_240", 10, 10)
	f.Add("crop;w_1", 10, 10)
	f.Fuzz(func(t *testing.T, path string, width, height int) {
		if width < 1 || height < 1 || width > maxSide || height > maxSide {
			t.Skip("no size of an image")
		}
		boxes, err := parseSegments(strings.Split(path, "/"))
		if err != nil {
			if !errors.Is(err, ErrRequest) {
				t.Fatalf("%q: error %v is no ErrRequest", path, err)
			}
			return
		}
		size := image.Pt(width, height)
		limit := max(freeSide, width, height)
		for _, box := range boxes {
			size = box.fit(size)
		}
		if size.X < 1 || size.Y < 1 || size.X > limit || size.Y > limit {
			t.Fatalf("%q makes %d × %d into %v", path, width, height, size)
		}
	})
}
