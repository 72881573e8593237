package inspect_test

import (
	"fmt"
	"time"

	"spinsync/daemon/inspect"
	"spinsync/watcher/frame"
)

// A set is judged by what is known of its frames. Without pictures these are names and EXIF.
func ExampleJudge() {
	var set inspect.Set
	began := time.Date(2026, 3, 4, 10, 0, 0, 500_000_000, time.UTC)
	for i := range 36 {
		info := frame.Info{ContentType: "image/jpeg", Captured: began.Add(time.Duration(i) * 2 * time.Second)}
		info.Shot.ISO = 100
		set.Frames = append(set.Frames, inspect.Observation{Name: fmt.Sprintf("frame_%02d.jpg", i+1), Info: info})
	}
	set.Frames[30].Info.Shot.ISO = 400
	for i := 9; i < 36; i++ { // the table turned, and the camera did not fire
		set.Frames[i].Info.Captured = set.Frames[i].Info.Captured.Add(2 * time.Second)
	}
	for _, f := range inspect.Judge(set) {
		fmt.Println(f.Kind, f.Frames, f.Text)
	}
	// Output:
	// camera [frame_31.jpg] frame_31: ISO 400; most frames: ISO 100. Set the camera to manual, and shoot again.
	// missing [frame_09.jpg frame_10.jpg] frame_10 came 4.0 s after frame_09, the others after 2.0 s: a shot is missing there. Shoot again from frame_10.
}
