package manifest

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// numbered splits a name without its extension at its last number.
var numbered = regexp.MustCompile(`^(.*?)(\d{1,9})(\D*)$`)

// Gap names the frames between which a number is missing, as in 1, 2, 4. It is empty for names that
// count on without a gap, or in even steps as angles do, and for names that do not count.
func Gap(names []string) string {
	frames, ok := inNumbers(names)
	if !ok {
		return ""
	}
	step, gaps, after := frames[1].number-frames[0].number, 0, 0
	for i := range frames[1:] {
		step = min(step, frames[i+1].number-frames[i].number)
	}
	for i := len(frames) - 2; i >= 0; i-- {
		if frames[i+1].number-frames[i].number > step {
			gaps, after = gaps+1, i
		}
	}
	if step == 0 || gaps == 0 || 2*gaps >= len(frames) {
		return ""
	}
	return fmt.Sprintf("perhaps a frame is missing: the numbers jump from %q to %q", frames[after].name, frames[after+1].name)
}

type numberedFrame struct {
	name   string
	number int
}

// inNumbers sorts names that differ in one number alone. It reports whether all do, and are enough
// to find a step.
func inNumbers(names []string) (frames []numberedFrame, ok bool) {
	around := ""
	for _, name := range names {
		ext := path.Ext(name)
		parts := numbered.FindStringSubmatch(strings.TrimSuffix(name, ext))
		if parts == nil {
			return nil, false
		}
		number, _ := strconv.Atoi(parts[2]) // of nine digits at most
		other := parts[1] + "*" + parts[3] + ext
		if around = cmp.Or(around, other); around != other {
			return nil, false
		}
		frames = append(frames, numberedFrame{name, number})
	}
	slices.SortFunc(frames, func(a, b numberedFrame) int { return a.number - b.number })
	return frames, len(frames) > 2
}
