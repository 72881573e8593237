package syncstate

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spinsync/syncstate/cluster"
)

var noon = time.Date(2027, 1, 2, 12, 0, 0, 0, time.UTC)

func studio() Account { return Account{BaseURL: "https://views.example.com", Username: "studio"} }

func shoe() Folder { return Folder{Root: "/srv/shoots", Path: "Summer/SKU-1"} }

// checkedPath names a file that is checked when the test has ended.
func checkedPath(t testing.TB) string {
	path := filepath.Join(t.TempDir(), "state.db")
	t.Cleanup(func() {
		if err := Check(path); err != nil {
			t.Errorf("at the end: %v", err)
		}
	})
	return path
}

// opened opens the file until the test ends.
func opened(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(path, studio())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

// A tester is a test or one try of a property.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
}

func must(t tester, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// set records r for the folder.
func set(t tester, s *Store, folder Folder, r Record) {
	t.Helper()
	must(t, s.Update(folder, func(old *Record) error { *old = r; return nil }))
}

// wantRecord compares all that is recorded of a folder. Empty lists and absent ones are one.
func wantRecord(t tester, s *Store, folder Folder, want Record) {
	t.Helper()
	got, err := s.Record(folder)
	must(t, err)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("record of %s (-want +got):\n%s", folder, diff)
	}
}

// running is a record in the middle of its first run.
func running(frames int) Record {
	start := time.Date(2027, 1, 2, 3, 4, 5, 678901234, time.UTC)
	run := &Run{
		Phase: Sending, Started: start, Images: frames,
		Form:   &Form{Path: "p/1/1", Policy: "policy", Signature: "signature", Hostname: "up.example.com", ACL: "private"},
		Before: Before{Frames: []Frame{publishedFrame(0)}},
	}
	for i := range frames {
		run.Frames = append(run.Frames, RunFrame{File: localFile(i)})
	}
	return Record{
		Shown: Shown{State: "uploading", Since: start}, Counts: FrameCounts{Settled: frames, Expected: frames},
		Project: Project{UUID: "project", Title: "Summer"}, Product: Product{UUID: "product", SKU: "SKU-1"}, Run: run,
	}
}

// finished is a record whose frames are published.
func finished(frames int) Record {
	r := running(frames)
	start := r.Shown.Since
	r.Shown.State, r.Run = "published", nil
	r.Published = &Published{Revision: 3, At: start, Shot: start, Images: frames, Marker: File{Name: "done.txt", ModTime: start}}
	for i := range frames {
		r.Published.Frames = append(r.Published.Frames, publishedFrame(i))
	}
	return r
}

// all is a record of which something stands in every list.
func all(frames int) Record {
	r := finished(frames)
	r.Run = running(frames).Run
	r.Run.Marker = File{Name: "done.txt", ModTime: r.Shown.Since}
	return r
}

// recordAll records something of every kind.
func recordAll(t tester, s *Store, frames int) {
	t.Helper()
	set(t, s, shoe(), all(frames))
	must(t, s.UpdateProject("Summer", func(p *ProjectRecord) error { p.UUID = "project"; return nil }))
	must(t, s.UpdateRoot("/srv/shoots", func(r *RootRecord) error { r.Volume = "disk"; return nil }))
	must(t, AllPaused.Set(s, noon))
	must(t, s.SetDelivered("webhook", noon))
	must(t, AccessKeyFields.Set(s, map[string]string{"uploads.example.com": "AWSAccessKeyId"}))
	must(t, s.Copy("id", nil, func([]Folder) {}).Take(cluster.Changes{Revision: 1}, cluster.Counter{}))
}

func localFile(i int) File {
	return File{
		Name: fmt.Sprintf("frame_%03d.jpg", i), Size: int64(4_000_000 + i*i%9973),
		ModTime: time.Unix(1_800_000_000+int64(i), int64(i)*7919%1e9).UTC(), ID: fmt.Sprintf("fd00:%x", 1_000_000+i),
	}
}

func publishedFrame(i int) Frame {
	file := localFile(i)
	url := "https://media.example.com/3b241101-e2bb-4255-8caf-4136c566a962/frames/5f6a7c5e-8c5b-4d8e-9f43-3d1c5a2f7e11/3;1;" + file.Name
	return Frame{
		File: file, Digest: digestOf([]byte(file.Name)), Captured: file.ModTime.Truncate(time.Millisecond),
		ImageID: int64(10_000_000 + i), Ordial: i + 1, Source: file.Name, Row: 1, Group: "rotation", StorageVersion: 1,
		MediaURL: url, ThumbnailURL: url + "/resize;w_320/image.webp",
	}
}
