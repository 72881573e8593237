package plan_test

import (
	"testing"
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// TestWhenASetIsComplete: the marker or the count speaks for a first set at once, and for a later
// one only if it is new too. Otherwise only quiet does.
func TestWhenASetIsComplete(t *testing.T) {
	const findsProject = "find project: uploading, finding project"
	reuploads := func(n string) string { return "reupload: uploading, reuploading, " + n + " images" }
	earlierMarker := func(s *plan.Scene) {
		marked(s)
		s.Record.Published.Marker = plan.FileOf(*s.Facts.Snapshot.Marker)
	}
	anotherMarker := func(s *plan.Scene) {
		earlierMarker(s)
		s.Record.Published.Marker.Size++
	}
	sentAs := func(change func(*plan.Scene), names ...string) plan.Scene {
		return plantest.With(plantest.Running(fresh(0, adds(names...)), len(names), len(names)), change)
	}
	content := plan.ContentOf(watcher.Snapshot{Present: true}, "")
	another := plan.ContentOf(watcher.Snapshot{Present: true, Fingerprint: watcher.Fingerprint{1}}, "")
	const awaits = "wait: collecting, awaits quiet, 3 of 0, for 30s, until 30s, quiet at 30s, due 30s"
	const awaitsCounted = "wait: collecting, awaits quiet, 3 of 3, for 30s, until 30s, quiet at 30s, due 30s"
	sent := func(changes ...func(*plan.Scene)) plan.Scene {
		return plantest.With(plantest.Running(plantest.AScene(3), 3, 3), changes...)
	}
	mixed := func(s *plan.Scene) { s.Facts.Snapshot.Mixed = true }
	lookedFirst := stood(0, 1, 2)
	came := func(i int, ago time.Duration) func(*plan.Scene) {
		return func(s *plan.Scene) { s.Facts.Snapshot.Frames[i].Since = plantest.Noon.Add(-ago) }
	}
	found := func(modified ...time.Duration) func(*plan.Scene) {
		return func(s *plan.Scene) {
			for i, ago := range modified {
				s.Facts.Snapshot.Frames[i].ModTime = plantest.Noon.Add(-ago)
				plantest.ReadAgain(s, i, "new")
			}
		}
	}
	changesOf := func(frame1, frame2, frame3, marker int64) func(*plan.Scene) {
		return func(s *plan.Scene) {
			for i, at := range []int64{frame1, frame2, frame3} {
				s.Facts.Snapshot.Frames[i].Changed = at
				plantest.ReadAgain(s, i, "new")
			}
			s.Facts.Snapshot.Marker.Changed = marker
		}
	}
	written := func(ago, modified time.Duration) func(*plan.Scene) {
		return func(s *plan.Scene) {
			m := s.Facts.Snapshot.Marker
			m.Since, m.ModTime = plantest.Noon.Add(-ago), plantest.Noon.Add(-modified)
		}
	}
	rows{
		"quiet for long enough":  {fresh(3, changed(quiet)), findsProject},
		"quiet for less":         {fresh(3, changed(quiet-1)), "wait: collecting, awaits quiet, 3 of 0, for 30s, until 1ns, quiet at 1ns, due 1ns"},
		"counted":                {fresh(3, changed(0), turn(3)), findsProject},
		"one photo":              {fresh(1, changed(0), turn(1)), findsProject},
		"a video":                {fresh(0, changed(0), adds("turn.mp4")), findsProject},
		"one too few":            {fresh(3, turn(4)), "idle: attention, too few, 3 of 4"},
		"one too many":           {fresh(2, turn(1), changed(0)), "idle: attention, too many, 2 of 1"},
		"too few beside others":  {fresh(1, turn(4), others(1)), "idle: attention, too few, 1 of 4, 1 parts"},
		"too few by the marker":  {fresh(3, turn(4), marked, changed(0)), "idle: attention, too few, 3 of 4"},
		"without its marker":     {fresh(3, awaitsMarker), "idle: collecting, awaits marker, 3 of 0"},
		"with its marker":        {fresh(3, marked, changed(0)), findsProject},
		"accepted":               {fresh(3, turn(4), changed(0), asIs(content)), findsProject},
		"one accepted":           {fresh(1, turn(4), changed(0), asIs(content)), findsProject},
		"one accepted, and sent": {plantest.With(plantest.Running(plantest.AScene(1), 1, 1), turn(4), changed(0), asIs(content)), "finish: uploading, all sent, 01"},
		// The word was about a shoot before, of as many frames.
		"another content accepted": {fresh(3, turn(4), asIs(another)), "idle: attention, too few, 3 of 4"},
		"another one, and counted": {fresh(3, turn(3), changed(0), asIs(another)), findsProject},
		"accepted when quiet":      {fresh(3, turn(4), asIs(syncstate.AsIsWhenQuiet)), findsProject},
		"accepted, and not quiet": {fresh(5, turn(4), changed(0), asIs(syncstate.AsIsWhenQuiet)),
			"wait: collecting, awaits quiet, 5 of 4, for 30s, until 30s, quiet at 30s, due 30s"},
		"too few, and not quiet": {view(turn(4), changed(0), reshot(0)),
			"wait: collecting, awaits rest, 3 of 4, until 30s, quiet at 30s, due 30s"},

		"counted by the names":              {sentAs(changed(0), "shoe_1of2.jpg", "shoe_2of2.jpg"), "finish: uploading, all sent, shoe_1of2, shoe_2of2"},
		"too few by the names, and a cover": {fresh(0, adds("cover.jpg", "shoe_1of3.jpg", "shoe_2of3.jpg")), "idle: attention, too few, 3 of 4"},
		"counted by the names, and a cover": {sentAs(changed(0), "cover.jpg", "shoe_1of2.jpg", "shoe_2of2.jpg"),
			"wait: collecting, awaits quiet, 3 of 3, for 30s, until 30s, quiet at 30s, due 30s"},
		"the same, before it is sent": {fresh(0, changed(0), adds("cover.jpg", "shoe_1of2.jpg", "shoe_2of2.jpg")),
			"wait: collecting, awaits quiet, 3 of 3, for 30s, until 30s, quiet at 30s, due 30s"},
		"the same, and quiet": {sentAs(changed(quiet), "cover.jpg", "shoe_1of2.jpg", "shoe_2of2.jpg"),
			"finish: uploading, all sent, cover, shoe_1of2, shoe_2of2"},

		"a view's frames, all shot again":   {view(turn(3), changed(0), reshot(0, 1, 2)), reuploads("3")},
		"a view's frames, one shot again":   {view(turn(3), changed(0), reshot(0)), awaitsCounted},
		"a view with a new marker":          {view(anotherMarker, changed(0), reshot(0)), reuploads("3")},
		"a view of before its marker":       {view(marked, changed(0), reshot(0)), awaits},
		"a view with its marker":            {view(earlierMarker, changed(0), reshot(0)), awaits},
		"a counted view with its marker":    {view(turn(3), earlierMarker, changed(0), reshot(0, 1, 2)), awaitsCounted},
		"a view with its marker, and quiet": {view(earlierMarker, reshot(0)), reuploads("3")},
		"a view of one frame less":          {view(remains(2)), reuploads("2")},

		"counted, and written over in part":  {sent(turn(3), changed(0), mixed), awaitsCounted},
		"a mix, and quiet":                   {sent(turn(3), mixed), "finish: uploading, all sent, 01, 02, 03"},
		"a view's frames, shot again twice":  {view(turn(3), changed(0), mixed, reshot(0, 1, 2)), awaitsCounted},
		"counted, and known from before":     {fresh(3, turn(3), changed(0), lookedFirst), awaitsCounted},
		"known, and all were sent":           {sent(turn(3), changed(0), lookedFirst), "finish: uploading, all sent, 01, 02, 03"},
		"a view's, one shot again, all sent": {plantest.With(plantest.Running(view(turn(3), reshot(0)), 3, 3), changed(0), lookedFirst), "finish: uploading, all sent, 01, 02, 03"},
		"known, and all but one were sent":   {plantest.With(plantest.Running(plantest.AScene(3), 2, 3), turn(3), changed(0), lookedFirst), awaitsCounted},
		"known, and each is another":         {sent(turn(3), changed(0), reshot(0, 1, 2), lookedFirst), awaitsCounted},
		"the same, and each came since":      {sent(turn(3), changed(0), lookedFirst, reshot(0, 1, 2)), reuploads("3")},
		"the same, but for one":              {sent(turn(3), changed(0), reshot(2), lookedFirst, reshot(0, 1)), awaitsCounted},
		"found in the order of time":         {fresh(3, turn(3), changed(0), found(time.Hour, 2, 1)), findsProject},
		"found, and the second shot again":   {fresh(3, turn(3), changed(0), found(time.Hour, 0, time.Hour)), awaitsCounted},
		"a view's, found in that order":      {view(turn(3), changed(0), lookedFirst, reshot(0, 1, 2), found(time.Hour, 2, 1)), reuploads("3")},
		"a view's, the second shot again":    {view(turn(3), changed(0), lookedFirst, reshot(0, 1, 2), found(time.Hour, 0, time.Hour)), awaitsCounted},
		"the same, and all were sent":        {plantest.With(plantest.Running(view(turn(3), changed(0), reshot(0, 1, 2), found(time.Hour, 0, time.Hour)), 3, 3)), "finish: uploading, all sent, 01, 02, 03"},
		"found, but for one between":         {fresh(3, turn(3), changed(0), found(0, time.Hour, time.Hour), came(1, -1)), awaitsCounted},
		"found, and in one settle":           {fresh(3, turn(3), changed(0), found(time.Hour, time.Second, 2*time.Second)), findsProject},
		"a marker after the last frame":      {fresh(3, marked, written(0, 3*time.Hour), came(2, 1), changed(0)), findsProject},
		"a marker found with the frames":     {fresh(3, marked, written(1, 2*time.Hour), came(0, 1), came(1, 1), came(2, 1), changed(0)), findsProject},
		"the same, of an earlier time":       {fresh(3, marked, written(1, 2*time.Hour+1), came(0, 2), came(1, 2), came(2, 1), changed(0)), awaits},
		"found together, as it was marked":   {fresh(3, marked, written(1, 0), came(0, 1), came(1, 1), came(2, 1), changesOf(5, 6, 4, 6), changed(0)), findsProject},
		"found together, and written on":     {fresh(3, marked, written(1, 0), came(0, 1), came(1, 1), came(2, 1), changesOf(5, 7, 4, 6), changed(0)), awaits},
		"a marker whose change nobody knows": {fresh(3, marked, written(1, 0), came(0, 1), came(1, 1), came(2, 1), changesOf(5, 7, 4, 0), changed(0)), findsProject},
		"a marker before the last frame":     {fresh(3, marked, written(1, 0), came(2, 0), changed(0)), awaits},
		"the same, and quiet for long":       {fresh(3, marked, written(1, 0), came(2, 0)), findsProject},
		"a new marker before a frame":        {view(anotherMarker, written(1, 0), reshot(0), came(0, 0), changed(0)), awaits},
		"a new marker for nothing":           {view(anotherMarker), "note: published"},
		"a first marker for nothing":         {view(marked), "note: published"},
		"an earlier marker":                  {view(earlierMarker), "idle: published"},

		"no frames":                  {fresh(0), "idle: collecting, no frames"},
		"no frames any more":         {view(remains(0)), "idle: collecting, no frames left"},
		"only others":                {fresh(0, others(1)), "idle: attention, only not taken, 1 parts"},
		"only others any more":       {view(remains(0), others(1)), "idle: attention, only not taken, 1 parts"},
		"only others, and not quiet": {fresh(0, others(1), changed(0)), "wait: collecting, none taken, 1 parts, until 30s, quiet at 30s, due 30s"},
		"only others, without a quiet time": {fresh(0, others(1), changed(0), func(s *plan.Scene) { s.Facts.Rules.Quiet = 0 }),
			"idle: attention, only not taken, 1 parts"},
	}.check(t)
}

// TestWhatHoldsASetUp: everything that moves or is broken is named, with the first time at which
// that alone may change the plan. Only a set that waits for nothing but time shows when it will be
// quiet.
func TestWhatHoldsASetUp(t *testing.T) {
	network := func(s *plan.Scene) { s.Facts.Network = true }
	sent := func(changes ...func(*plan.Scene)) plan.Scene {
		return plantest.With(plantest.Running(plantest.AScene(3), 3, 3), changes...)
	}
	lasting := func(s *plan.Scene) {
		s.Facts.Snapshot.Busy = []watcher.Busy{{File: watcher.File{Name: ".x.icloud"}, Reason: "on iCloud alone", Lasting: true}}
	}
	video := func(s *plan.Scene) { s.Facts.Snapshot.Frames[0].Name = "turn.mp4"; plantest.MarkRead(s, 0) }
	rows{
		"a frame":                           {fresh(3, moves(0), changed(0)), "wait: collecting, unsettled, 1 parts, quiet at 30s"},
		"a frame of a counted set":          {sent(moves(0), changed(0), turn(3)), "wait: collecting, unsettled, 1 parts"},
		"a frame of one":                    {fresh(2, moves(0), changed(0), turn(1)), "wait: collecting, unsettled, 1 parts"},
		"a frame before a marker":           {fresh(3, moves(0), changed(0), awaitsMarker), "wait: collecting, unsettled, 1 parts"},
		"a broken frame":                    {fresh(3, broken(0, time.Second)), "wait: collecting, unsettled, 1 parts, until 59s, due 59s"},
		"a frame broken for long":           {fresh(3, broken(0, plan.BrokenPatience)), "idle: attention, broken frame"},
		"a frame broken for almost so long": {fresh(3, broken(0, plan.BrokenPatience-1)), "wait: collecting, unsettled, 1 parts, until 1ns, due 1ns"},
		"two frames broken for long":        {fresh(3, broken(0, time.Hour), broken(1, time.Hour)), "idle: attention, broken frames, 2 parts"},
		"two broken frames":                 {fresh(3, broken(0, time.Second), broken(1, 2*time.Second)), "wait: collecting, unsettled, 2 parts, until 58s, due 58s"},
		"two broken frames, the first older": {fresh(3, broken(0, 2*time.Second), broken(1, time.Second)),
			"wait: collecting, unsettled, 2 parts, until 58s, due 58s"},
		"a photo that cannot be read, however old": {fresh(3, lasting), "wait: collecting, unsettled, 1 parts"},
		"the same in a marked set":                 {fresh(3, marked, lasting), "wait: collecting, unsettled, 1 parts"},
		"a temporary file of ten minutes":          {fresh(3, busy("", plan.BusyPatience)), "find project: uploading, finding project"},
		"the same beside a view":                   {view(busy("", plan.BusyPatience)), "idle: published"},
		"a temporary file beside a view":           {view(notSeenStill, busy("frame_02.jpg", 0)), "wait: collecting, unsettled, 3 parts, until 10m0s, due 10m0s"},
		"a temporary file of a set with too few":   {sent(turn(4), busy("", time.Minute)), "wait: collecting, unsettled, 1 parts, until 9m0s, due 9m0s"},
		"a frame's temporary file that is quiet":   {sent(turn(3), busy("frame_04.jpg", quiet)), "finish: uploading, all sent, 01, 02, 03"},
		"a frame's temporary file beside a marker": {fresh(3, marked, busy("frame_04.jpg", 0)), "wait: collecting, unsettled, 1 parts, until 30s, due 30s"},
		"another one beside a marker":              {fresh(3, marked, busy("", 0)), "find project: uploading, finding project"},
		"a temporary file":                         {fresh(3, busy("", time.Minute)), "wait: collecting, unsettled, 1 parts, until 9m0s, due 9m0s"},
		"two temporary files":                      {fresh(3, busy("", time.Minute), busy("", 2*time.Minute)), "wait: collecting, unsettled, 2 parts, until 8m0s, due 8m0s"},
		"a temporary file, and a frame":            {fresh(3, moves(0), busy("", time.Minute), changed(0)), "wait: collecting, unsettled, 2 parts, until 9m0s, due 9m0s"},
		"a frame's temporary file in a counted set": {sent(turn(3), busy("frame_04.jpg", time.Second)),
			"wait: collecting, unsettled, 1 parts, until 29s, due 29s"},
		"the same on a network drive":      {sent(turn(3), network, busy("frame_04.jpg", time.Second)), "wait: collecting, unsettled, 1 parts, until 1m29s, due 1m29s"},
		"a temporary file before a marker": {fresh(3, awaitsMarker, busy("", time.Minute)), "wait: collecting, unsettled, 1 parts, until 9m0s, due 9m0s"},
		"a temporary file without a frame": {fresh(0, busy("", time.Minute)), "wait: collecting, unsettled, 1 parts, until 9m0s, due 9m0s"},
		"a temporary file beside a marker of no rule": {fresh(3, busy("", time.Minute), func(s *plan.Scene) { s.Facts.Snapshot.Marker = new(watcher.File) }),
			"wait: collecting, unsettled, 1 parts, until 9m0s, due 9m0s"},
		"a temporary file beside the marker alone": {fresh(0, marked, busy("", time.Minute)), "idle: collecting, no frames"},
		"a temporary file beside a counted set and a cover": {fresh(0, adds("cover.jpg", "1of2.jpg", "2of2.jpg"), busy("", time.Minute)),
			"wait: collecting, unsettled, 1 parts, until 9m0s, due 9m0s"},
		"a temporary file beside one counted frame": {fresh(1, turn(1), busy("", time.Minute)), "find project: uploading, finding project"},
		"a temporary file beside a video":           {fresh(1, turn(36), video, busy("", time.Minute)), "find project: uploading, finding project"},
	}.check(t)
}

// TestWhichSetsArePersonsMatter: a product is images or one video, and its names tell their order.
func TestWhichSetsArePersonsMatter(t *testing.T) {
	captured := func(s *plan.Scene) { s.Facts.Rules.Order = "captured" }
	rows{
		"two videos":                   {fresh(0, adds("a.mp4", "b.mp4")), "idle: attention, several videos, 2 of 0"},
		"three videos":                 {fresh(0, adds("a.mp4", "b.mp4", "c.mp4")), "idle: attention, several videos, 3 of 0"},
		"a video beside two photos":    {fresh(2, adds("a.mp4")), "idle: attention, video beside images"},
		"photos without a time":        {fresh(3, captured), "idle: attention, mistake"},
		"one photo without a time":     {fresh(1, captured), "find project: uploading, finding project"},
		"two names that fall together": {fresh(1, adds("FRAME_01.jpg")), "idle: attention, mistake"},
		"a broken frame beside them":   {fresh(2, adds("FRAME_01.jpg"), broken(1, time.Hour)), "idle: attention, broken frame"},
	}.check(t)
}

// TestWrongCount: only a number of frames that a person must see to is wrong.
func TestWrongCount(t *testing.T) {
	for name, test := range map[string]struct {
		scene plan.Scene
		want  status.Kind
	}{
		"right":               {fresh(3), ""},
		"too few":             {fresh(3, turn(4)), status.TooFew},
		"too few, not quiet":  {fresh(3, turn(4), changed(0)), ""},
		"too many":            {fresh(3, turn(2), changed(0)), status.TooMany},
		"not known, and busy": {fresh(3, moves(0)), ""},
	} {
		wrong := test.scene.Set.WrongCount()
		if (wrong == nil) != (test.want == "") || wrong != nil && wrong.Kind != test.want {
			t.Errorf("%s: %+v, want %q", name, wrong, test.want)
		}
	}
}
