package plan

import (
	"testing"
	"time"
)

// TestForetellFirstUpload: what is half sent for the first time is seen through; what replaces a
// view is told as a reupload.
func TestForetellFirstUpload(t *testing.T) {
	first := AScene(3).Running(1, 3)
	adopted := AScene(3).Running(1, 3)
	adopted.Record.Run.Reupload = true
	for want, s := range map[string]Scene{"finish": first, "reupload": adopted} {
		if does, detail := Foretell(s, Next(s)); does != want {
			t.Errorf("told as %q (%s), want %q", does, detail, want)
		}
	}
}

// TestForetellWhatNobodyRead: beside a frame that certainly changed, those of another time and the
// same size are told as what they are.
func TestForetellWhatNobodyRead(t *testing.T) {
	for _, test := range []struct {
		touched int
		want    string
	}{
		{0, "3 frames, 1 of them new or changed, 0 removed"},
		{2, "3 frames, 1 of them new or changed and 2 perhaps, 0 removed"},
	} {
		s := AScene(3).Published()
		s.Snapshot.Frames[0].Size++
		s.Readings["frame_01.jpg"] = Reading{File: FileOf(s.Snapshot.Frames[0]), Whole: true}
		for i := range test.touched {
			f := &s.Snapshot.Frames[i+1]
			f.ModTime = f.ModTime.Add(time.Minute)
			s.Readings[f.Name] = Reading{File: FileOf(*f), Whole: true}
		}
		if does, detail := Foretell(s, Next(s)); does != "reupload" || detail != test.want {
			t.Errorf("told as %s, %q, want %q", does, detail, test.want)
		}
	}
}
