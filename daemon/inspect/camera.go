package inspect

import (
	"fmt"
	"strings"

	"spinsync/watcher/frame"
)

// settings are what a camera keeps for a whole set. A value that is missing is "".
var settings = []struct {
	name   string
	of     func(frame.Info) string
	remedy string
}{
	{"size", func(i frame.Info) string { return known(i.Width > 0, "%d × %d pixels", i.Width, i.Height) }, reshoot},
	{"orientation", func(i frame.Info) string { return known(i.Orientation > 0, "orientation %d", i.Orientation) },
		"Turn off automatic rotation in the camera, and turn the photo"},
	{"camera", func(i frame.Info) string { return i.Shot.Camera }, reshoot},
	{"lens", func(i frame.Info) string { return i.Shot.Lens }, reshoot},
	{"exposure", func(i frame.Info) string { return known(i.Shot.Exposure > 0, "%s", seconds(i.Shot.Exposure)) }, manual},
	{"aperture", func(i frame.Info) string { return known(i.Shot.Aperture > 0, "f/%.3g", i.Shot.Aperture) }, manual},
	{"ISO", func(i frame.Info) string { return known(i.Shot.ISO > 0, "ISO %d", i.Shot.ISO) }, manual},
	{"white balance", func(i frame.Info) string {
		return known(i.Shot.WhiteBalance != "", "%s white balance", i.Shot.WhiteBalance)
	}, manual},
}

const (
	reshoot = "Shoot again with the same camera and settings"
	manual  = "Set the camera to manual, and shoot again"
)

func known(is bool, format string, values ...any) string {
	if !is {
		return ""
	}
	return fmt.Sprintf(format, values...)
}

func seconds(s float64) string {
	if s < 0.4 {
		return fmt.Sprintf("1/%.0f s", 1/s)
	}
	return fmt.Sprintf("%.2g s", s)
}

// camera finds frames with other settings than most. A setting that changes all the time makes one finding.
func (j *judge) camera() {
	for _, s := range settings {
		counts := map[string]int{}
		most := ""
		all := 0
		for _, f := range j.set.Frames {
			value := s.of(f.Info)
			if value == "" {
				continue
			}
			all++
			if counts[value]++; counts[value] > counts[most] {
				most = value
			}
		}
		var others []int
		for i, f := range j.set.Frames {
			if value := s.of(f.Info); value != "" && value != most {
				others = append(others, i)
			}
		}
		switch {
		case len(others) == 0:
		case 2*counts[most] <= all:
			j.tell(Camera, fmt.Sprintf("The %s changes all the time. %s.", s.name, s.remedy), others...)
		default:
			j.tell(Camera, fmt.Sprintf("%s: %s; most frames: %s. %s.",
				j.stems(others), s.of(j.set.Frames[others[0]].Info), most, s.remedy), others...)
		}
	}
}

// stems lists frames as people call them, the first three by name.
func (j *judge) stems(frames []int) string {
	const named = 3
	var names []string
	for _, i := range frames[:min(len(frames), named)] {
		names = append(names, j.stem(i))
	}
	if more := len(frames) - named; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
