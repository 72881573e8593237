// Package plantest builds scenes for the tests of what is decided from them.
package plantest

import (
	"fmt"
	"io"
	"path/filepath"
	"testing"
	"time"

	"spinsync/daemon/alttext"
	"spinsync/daemon/manifest"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
	"spinsync/watcher/volume"
)

// Noon is the time of every scene.
var Noon = time.Date(2027, 1, 2, 12, 0, 0, 0, time.UTC)

// Quiet is the time after which a scene of unknown frame count is complete.
const Quiet = 30 * time.Second

// Words is a cause in words.
func Words(c *status.Cause) string {
	return status.Sentence(c, status.AnyFolder)
}

// Store is a new state file, which is closed with the test.
func Store(t *testing.T) *syncstate.Store {
	t.Helper()
	return ObservedStore(t, func(commit func() error) error { return commit() })
}

// ObservedStore is a Store that has around do each commit; see syncstate.OpenObserved.
func ObservedStore(t *testing.T, around func(commit func() error) error) *syncstate.Store {
	t.Helper()
	account := syncstate.Account{BaseURL: "https://views.example.com", Username: "studio"}
	store, err := syncstate.OpenObserved(filepath.Join(t.TempDir(), "state.db"), account, around)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

// AScene is a folder with n settled and whole frames that has been quiet for long.
func AScene(n int) plan.Scene {
	s := plan.Scene{
		Now: Noon,
		Facts: plan.Facts{
			Snapshot: watcher.Snapshot{Root: "/shoots", Folder: "SKU-1", Present: true, Changed: Noon.Add(-time.Hour)},
			Readings: map[string]plan.Reading{},
			Rules: plan.Rules{
				Project: "Summer", Order: manifest.Name, Settle: 5 * time.Second, Quiet: Quiet, Locale: "en",
			},
			Wanted: plan.Product{Project: "Summer", Title: "SKU-1", SKU: "SKU-1"},
			Texts:  plan.Texts{Said: alttext.Texts{}},
		},
		LongestPoll: time.Minute,
	}
	for i := range n {
		AddFrame(&s, fmt.Sprintf("frame_%02d.jpg", i+1))
	}
	return Judged(s)
}

// Judged is the scene with the set that its facts make, as a job has it. The functions that return a
// scene judge it; a test that changes one judges it again.
func Judged(s plan.Scene) plan.Scene {
	s.Set = plan.Judge(s.Facts, s.Record, s.Now)
	return s
}

// AddFrame adds a whole frame at rest.
func AddFrame(s *plan.Scene, name string) {
	f := watcher.File{
		Name: name, Size: 1000, ModTime: Noon.Add(-2 * time.Hour),
		ID: volume.FileID(len(s.Facts.Snapshot.Frames) + 1), Still: true,
	}
	s.Facts.Snapshot.Frames = append(s.Facts.Snapshot.Frames, f)
	s.Facts.Readings[name] = plan.Reading{File: plan.FileOf(f), Whole: true, Since: Noon.Add(-time.Hour)}
}

// Touch gives a frame another time, as a copy over itself does, and says what a reading would find.
func Touch(s *plan.Scene, i int, content string) {
	f := &s.Facts.Snapshot.Frames[i]
	f.ModTime = f.ModTime.Add(time.Minute)
	s.Facts.Readings[f.Name] = plan.Reading{File: plan.FileOf(*f), Whole: true, Digest: DigestOf(content)}
}

// Published makes the frames as they stand the published revision.
func Published(s plan.Scene) plan.Scene {
	s.Record.Project = syncstate.Project{UUID: "project", Title: "Summer"}
	s.Record.Product = s.Facts.Wanted.WithUUID("product")
	p := &syncstate.Published{Revision: 1, At: Noon.Add(-time.Hour), Images: len(s.Facts.Snapshot.Frames)}
	for i, f := range s.Facts.Snapshot.Frames {
		p.Frames = append(p.Frames, syncstate.Frame{
			File: plan.FileOf(f), Digest: DigestOf(f.Name), ImageID: int64(i + 1), Ordial: i + 1,
			MediaURL: "https://media.example.com/" + f.Name,
		})
	}
	s.Record.Published = p
	s.Facts.Readings = map[string]plan.Reading{}
	return Judged(s)
}

// Running gives the scene a run with the first sent of its frames uploaded.
func Running(s plan.Scene, sent, images int) plan.Scene {
	s.Record.Project = syncstate.Project{UUID: "project", Title: "Summer"}
	s.Record.Product = s.Facts.Wanted.WithUUID("product")
	run := &syncstate.Run{
		Phase: syncstate.Sending, Images: images, Form: &syncstate.Form{Path: "p"}, Started: Noon.Add(-time.Minute),
	}
	for _, f := range s.Facts.Snapshot.Frames[:sent] {
		sent := syncstate.RunFrame{File: plan.FileOf(f), Uploaded: true, Digest: DigestOf(f.Name)}
		run.Frames = append(run.Frames, sent)
	}
	s.Record.Run = run
	return Judged(s)
}

// Making is a run whose product of this name was asked for.
func Making(name string) *syncstate.Run {
	return &syncstate.Run{Phase: syncstate.Making, Intent: &syncstate.Intent{Title: name, SKU: name, Sent: true}}
}

// DigestOf is the digest of a photo with this content.
func DigestOf(content string) []byte {
	digest := syncstate.NewDigest()
	io.WriteString(digest, content)
	return digest.Sum(nil)
}

// With is the scene with these changes.
func With(s plan.Scene, changes ...func(*plan.Scene)) plan.Scene {
	for _, change := range changes {
		change(&s)
	}
	return Judged(s)
}

// Break says that a reading found a frame broken.
func Break(s *plan.Scene, i int, since time.Time) {
	f := s.Facts.Snapshot.Frames[i]
	s.Facts.Readings[f.Name] = plan.Reading{File: plan.FileOf(f), Broken: "ends early", Since: since}
}

// MarkRead says that a reading found a frame whole.
func MarkRead(s *plan.Scene, i int) {
	f := s.Facts.Snapshot.Frames[i]
	s.Facts.Readings[f.Name] = plan.Reading{File: plan.FileOf(f), Whole: true}
}

// ReadAgain says what reading all of a frame finds.
func ReadAgain(s *plan.Scene, i int, content string) {
	f := s.Facts.Snapshot.Frames[i]
	s.Facts.Readings[f.Name] = plan.Reading{File: plan.FileOf(f), Whole: true, Since: Noon, Digest: DigestOf(content)}
}
