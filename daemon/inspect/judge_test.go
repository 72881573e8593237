package inspect

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/watcher/frame"
)

// named is a set of such names, without pictures.
func named(names ...string) Set {
	var s Set
	for _, name := range names {
		s.Frames = append(s.Frames, Observation{Name: name, Info: frame.Info{ContentType: "image/jpeg"}})
	}
	return s
}

// foundIn is a line for each finding in a set: its kind and frames.
func foundIn(s Set) string {
	var lines []string
	for _, f := range Judge(s) {
		lines = append(lines, fmt.Sprint(f.Kind, " ", strings.Join(f.Frames, " ")))
	}
	return strings.Join(lines, "\n")
}

// TestNumbers: a number that is left out is found, and nothing else is taken for one.
func TestNumbers(t *testing.T) {
	for _, test := range []struct{ names, want string }{
		{"f_001.jpg f_002.jpg f_004.jpg", "missing f_002.jpg f_004.jpg"},
		{"1.jpg 2.jpg 3.jpg 5.jpg 10.jpg 11.jpg 12.jpg", "missing 3.jpg 5.jpg\nmissing 5.jpg 10.jpg"},
		{"10.jpg 1.jpg 2.jpg 3.jpg 5.jpg 6.jpg 7.jpg 8.jpg 9.jpg", "missing 3.jpg 5.jpg"},
		{"a 000.jpg a 010.jpg a 020.jpg a 040.jpg", "missing a 020.jpg a 040.jpg"},
		{"shoe_001of036.jpg shoe_002of036.jpg shoe_004of036.JPG", "missing shoe_002of036.jpg shoe_004of036.JPG"},
		{"f_008.jpg f_009.jpg f_010.jpg", ""},
		{"000.jpg 010.jpg 020.jpg", ""},
		{"000.jpg 007.jpg 015.jpg 022.jpg 030.jpg", ""}, // each 7.5°
		{"1.jpg 4.jpg", ""},
		{"1.jpg 4.jpg 5.jpg 9.jpg", ""},
		{"1.jpg 01.jpg 3.jpg", ""},
		{"a1.jpg a2.jpg b4.jpg", ""},
		{"row1_01.jpg row1_02.jpg row2_04.jpg", ""},
		{"front.jpg back.jpg", ""},
		{"1.jpg 2.jpg 99999999999999999999.jpg", ""},
		{"1.jpg 2.jpg 4.mp4", ""},
		{"", ""},
	} {
		set := named(strings.Fields(strings.ReplaceAll(test.names, "a ", "a_"))...)
		if diff := cmp.Diff(strings.ReplaceAll(test.want, "a ", "a_"), foundIn(set)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.names, diff)
		}
	}
}

// TestVideo: a set with a video has no findings.
func TestVideo(t *testing.T) {
	set := named("1.jpg", "2.jpg", "4.jpg", "turn.mp4")
	set.Frames[3].Info.ContentType = "video/mp4"
	if got := foundIn(set); got != "" {
		t.Error(got)
	}
}

// TestTimes: a machine's rhythm shows a missing shot, and exchanged names. A person's does not, and a photo
// that is shot again is no fault.
func TestTimes(t *testing.T) {
	at := func(seconds string) Set {
		var names []string
		fields := strings.Fields(seconds)
		for i := range fields {
			names = append(names, fmt.Sprintf("%d.jpg", i+1))
		}
		set := named(names...)
		for i, s := range fields {
			d, err := time.ParseDuration(s + "s")
			if err != nil {
				t.Fatal(err)
			}
			set.Frames[i].Info.Captured = time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC).Add(d)
		}
		return set
	}
	for name, test := range map[string]struct{ seconds, want string }{
		"steady":                         {"1.1 3.1 5.1 7.1 9.1 11.1 13.1 15.1 17.1", ""},
		"a shot is missing":              {"1.1 3.1 5.1 9.1 11.1 13.1 15.1 17.1 19.1", "missing 3.jpg 4.jpg"},
		"whole seconds":                  {"1 3 5 9 11 13 15 17 19", "missing 3.jpg 4.jpg"},
		"within a second":                {"1 2 3 5 6 7 8 9 10", ""},
		"a shot comes early":             {"1.1 3.1 5.1 5.6 7.6 9.6 11.6 13.6 15.6", ""},
		"two are longer":                 {"1.1 3.1 5.1 9.1 11.1 15.1 17.1 19.1 21.1", ""},
		"by hand":                        {"1.1 3.9 5.1 9.1 10.2 13.1 15.8 16.2 19.1", ""},
		"a break":                        {"1.1 3.1 5.1 65.1 67.1 69.1 71.1 73.1 75.1", ""},
		"exchanged":                      {"1.1 3.1 7.1 5.1 9.1 11.1 13.1 15.1 17.1", "swapped 3.jpg 4.jpg"},
		"the first two are exchanged":    {"3.1 1.1 5.1 7.1 9.1 11.1 13.1 15.1 17.1", "swapped 1.jpg 2.jpg"},
		"shot again":                     {"1.1 3.1 90.1 7.1 9.1 11.1 13.1 15.1 17.1", ""},
		"the one before the last, again": {"1.1 3.1 5.1 7.1 9.1 11.1 13.1 90.1 17.1", ""},
		"begun elsewhere":                {"11.1 13.1 15.1 17.1 1.1 3.1 5.1 7.1 9.1", ""},
		"turned the other way":           {"17.1 15.1 13.1 11.1 9.1 7.1 5.1 3.1 1.1", ""},
		"few frames":                     {"1.1 3.1 7.1 5.1 9.1", ""},
	} {
		if diff := cmp.Diff(test.want, foundIn(at(test.seconds))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	untimed := at("1.1 3.1 5.1 9.1 11.1 13.1 15.1 17.1 19.1")
	untimed.Frames[8].Info.Captured = time.Time{}
	if got := foundIn(untimed); got != "" {
		t.Errorf("a photo without a time: %s", got)
	}
	shot := at("1.1 3.1 5.1 65.1 67.1 69.1 71.1 73.1 75.1")
	for i := range shot.Frames {
		shot.Frames[i].Info.Shot.Lens = "50mm"
	}
	shot.Frames[3].Info.Shot.Lens = "85mm"
	if got, want := foundIn(shot), "camera 4.jpg\nmixed 3.jpg 4.jpg"; got != want {
		t.Errorf("a break, and another lens: %q, want %q", got, want)
	}
}

// TestCameraTexts: the text names what differs and what to do. A setting that changes all the time makes one finding.
func TestCameraTexts(t *testing.T) {
	names := make([]string, 6)
	for i := range names {
		names[i] = fmt.Sprintf("%d.jpg", i+1)
	}
	texts := func(change func(i int, info *frame.Info)) []string {
		set := named(names...)
		for i := range set.Frames {
			info := &set.Frames[i].Info
			info.Width, info.Height, info.Orientation = 6000, 4000, 1
			info.Shot = frame.Shot{Camera: "Z 8", Lens: "50mm", Exposure: 1.0 / 125, Aperture: 8, ISO: 100, WhiteBalance: "manual"}
			change(i, info)
		}
		var texts []string
		for _, f := range Judge(set) {
			texts = append(texts, f.Text)
		}
		return texts
	}
	for _, test := range []struct {
		change func(i int, info *frame.Info)
		want   []string
	}{
		{func(int, *frame.Info) {}, nil},
		{func(i int, info *frame.Info) {
			if i == 2 {
				info.Shot = frame.Shot{}
			}
		}, nil},
		{func(i int, info *frame.Info) {
			if i == 2 {
				info.Width, info.Height = 3000, 2000
			}
		}, []string{"3: 3000 × 2000 pixels; most frames: 6000 × 4000 pixels. Shoot again with the same camera and settings."}},
		{func(i int, info *frame.Info) {
			if i > 3 {
				info.Shot.Exposure, info.Shot.WhiteBalance = 0.5, "auto"
			}
		}, []string{
			"5, 6: 0.5 s; most frames: 1/125 s. Set the camera to manual, and shoot again.",
			"5, 6: auto white balance; most frames: manual white balance. Set the camera to manual, and shoot again.",
		}},
		{func(i int, info *frame.Info) { info.Shot.ISO = int64(100 + i/2) },
			[]string{"The ISO changes all the time. Set the camera to manual, and shoot again."}},
	} {
		if diff := cmp.Diff(test.want, texts(test.change)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
