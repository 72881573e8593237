package daemon

import (
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"spinsync/daemon/alttext"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestPauseKeepsWhatOwesNothing: in a pause a folder for which nothing is owed keeps its state, one
// with work owed is paused, and nothing is sent.
func TestPauseKeepsWhatOwesNothing(t *testing.T) {
	for name, test := range map[string]struct {
		scene  scene
		action action
		state  State
	}{
		"published":                  {aScene(3).published(), rest, Published},
		"published and seen again":   {with(aScene(3).published(), notSeenAtRest), wait, Published},
		"touched":                    {with(aScene(3).published(), func(s *scene) { s.touch(1, "frame_02.jpg") }), note, Published},
		"touched, and not compared":  {with(aScene(3).published(), func(s *scene) { s.touch(1, ""); clear(s.readings); s.markRead(1) }), read, Paused},
		"beside texts not read yet":  {with(aScene(3).published(), func(s *scene) { s.texts = nil }), readTexts, Published},
		"shot again":                 {with(aScene(3).published(), func(s *scene) { s.touch(1, "new") }), rest, Paused},
		"beside a new text":          {with(aScene(3).published(), func(s *scene) { s.texts = alttext.Texts{"frame_01.jpg": {"en": {Value: "A shoe"}}} }), rest, Paused},
		"of another title":           {with(aScene(3).published(), func(s *scene) { s.wanted.title = "New" }), rest, Paused},
		"to be looked for":           {with(aScene(3).published(), func(s *scene) { s.record.Verify = true }), rest, Paused},
		"empty":                      {aScene(0), rest, Collecting},
		"not published yet":          {aScene(3), rest, Paused},
		"being sent":                 {aScene(3).running(1, 3), rest, Paused},
		"gone":                       {with(aScene(3).published(), gone(2), verified), wait, Missing},
		"gone, and to be looked for": {with(aScene(3).published(), gone(2)), rest, Missing},
		"gone, and to be deleted":    {with(aScene(3).published(), gone(2), deleting, asked(syncstate.RemovalConfirmed)), rest, Paused},
		"gone without a trace":       {with(aScene(0), gone(1)), forget, Missing},
		"back":                       {with(aScene(3).published(), asked(syncstate.RemovalConfirmed)), welcome, Collecting},
		"in need of a person":        {with(aScene(3), func(s *scene) { s.mistake = &status.Cause{Kind: status.Mistake, Said: "product.toml: line 1"} }), rest, Attention},
		"in need of one, unread": {with(aScene(3), unread, func(s *scene) {
			s.stopped, s.record.Cause = true, because(status.TooFew)
		}), read, Attention},
		"unread for a while": {with(aScene(3).published(), func(s *scene) {
			s.touch(1, "")
			clear(s.readings)
			s.markRead(1)
			s.blindUntil = noon.Add(time.Second)
		}), rest, Paused},
	} {
		for by, pause := range map[string]func(*scene){
			"alone": func(s *scene) { s.record.Paused = true }, "with all": func(s *scene) { s.pausedAll = true },
		} {
			s := test.scene
			pause(&s)
			next := plan(s)
			if next.action != test.action || next.state != test.state {
				t.Errorf("%s, paused %s: %s, %s (%s); want %s, %s", name, by, next.action, next.state, said(next.cause), test.action, test.state)
			}
			if next.action == read && !next.aside {
				t.Errorf("%s, paused %s: a reading that fails is trouble of the folder", name, by)
			}
		}
	}
}

// TestEndOfAPauseIsToldAtOnce: the status and the export tell of a folder as before the pause,
// although its turn comes later.
func TestEndOfAPauseIsToldAtOnce(t *testing.T) {
	d := idleDaemon(t)
	waits := ProductStatus{Root: d.config.Watch[0].Path, Folder: "Summer/waits", State: Collecting, Cause: &status.Cause{Kind: status.Sending, Count: 1, Of: 4}, Since: noon}
	found := syncstate.Folder{Root: waits.Root, Path: "Summer/found in the pause"}
	for _, key := range []syncstate.Folder{waits.Key(), found} {
		d.board.folders[key] = d.board.newFolder(key)
	}
	d.board.folders[waits.Key()].status = waits
	d.keepStatus(waits)
	err := d.Pause(syncstate.Folder{})
	for key, f := range d.board.folders {
		s := aScene(3).snapshot
		s.Root, s.Folder = key.Root, key.Path
		lookAt(t, d, key, s)
		if f.status.State != Paused {
			t.Errorf("%s is told as %s in the pause", key.Path, f.status.State)
		}
	}
	if err := errors.Join(err, d.Resume(syncstate.Folder{})); err != nil {
		t.Fatal(err)
	}
	want := map[string]State{waits.Folder: Collecting, found.Path: Queued}
	told, exported := map[string]State{}, map[string]State{}
	for _, p := range d.Status().Products {
		told[p.Folder] = p.State
	}
	err = d.Export(func(p ExportedProduct) error { exported[p.Folder] = p.State; return nil })
	if err != nil || !maps.Equal(told, want) || !maps.Equal(exported, want) {
		t.Errorf("%v; the status tells %v, the export %v; want %v", err, told, exported, want)
	}
	i := slices.IndexFunc(d.Status().Products, func(p ProductStatus) bool { return p.Folder == waits.Folder })
	if p := d.Status().Products[i]; p.Reason != "1 of 4 frames" || !p.Since.Equal(noon) {
		t.Errorf("it is told as %s since %s", p.Reason, p.Since)
	}
}
