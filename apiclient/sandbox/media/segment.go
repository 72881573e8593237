package media

import (
	"fmt"
	"image"
	"math"
	"strconv"
	"strings"
)

const (
	// freeSide is how far an image may be enlarged, in pixels of its longer side: a 4K screen.
	freeSide = 4096
	// maxSide is the longest side that WebP can store.
	maxSide = 16383
)

// box is the room a resize segment leaves; 0 is an open side.
type box struct{ width, height int }

func parseSegments(segments []string) ([]box, error) {
	var boxes []box
	for _, segment := range segments {
		box, err := parseResize(segment)
		if err != nil {
			return nil, err
		}
		boxes = append(boxes, box)
	}
	return boxes, nil
}

// parseResize reads "resize;w_800,h_600".
func parseResize(segment string) (box, error) {
	var b box
	list, ok := strings.CutPrefix(segment, "resize;")
	if !ok {
		return b, fmt.Errorf("%w: segment %q (only resize;w_<pixels>,h_<pixels> is)", ErrRequest, segment)
	}
	for option := range strings.SplitSeq(list, ",") {
		if err := b.set(option); err != nil {
			return b, fmt.Errorf("%w: segment %q: %v", ErrRequest, segment, err)
		}
	}
	return b, nil
}

func (b *box) set(option string) error {
	name, value, _ := strings.Cut(option, "_")
	pixels, err := strconv.ParseUint(value, 10, 31)
	if err != nil || pixels == 0 {
		return fmt.Errorf("%q is not w_<pixels> or h_<pixels>", option)
	}
	side := map[string]*int{"w": &b.width, "h": &b.height}[name]
	if side == nil {
		return fmt.Errorf("%q is neither w nor h", name)
	}
	if *side != 0 {
		return fmt.Errorf("%q is given twice", name)
	}
	*side = int(pixels)
	return nil
}

// fit returns the largest size in the box that keeps the ratio of size. The
// longer side does not grow beyond freeSide.
func (b box) fit(size image.Point) image.Point {
	limit := min(max(freeSide, size.X, size.Y), maxSide)
	width, height := limit, limit
	if b.width > 0 {
		width = min(width, b.width)
	}
	if b.height > 0 {
		height = min(height, b.height)
	}
	scale := min(float64(width)/float64(size.X), float64(height)/float64(size.Y))
	return image.Pt(scaledSide(size.X, scale), scaledSide(size.Y, scale))
}

func scaledSide(pixels int, scale float64) int {
	return max(1, int(math.Round(float64(pixels)*scale)))
}
