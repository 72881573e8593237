package publish

import (
	"image"
	"image/jpeg"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/daemon/config"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/reading"
	"spinsync/daemon/schedule"
	"spinsync/syncstate"
	"spinsync/watcher/volume"
)

// counted is a board on which the sent frames are counted.
type counted struct {
	Display
	bytes *atomic.Int64
}

func (b counted) SentBytes(syncstate.Folder) *atomic.Int64 { return b.bytes }
func (counted) FrameSent(syncstate.Folder)                 {}

// A frame that changes while it is sent is not recorded as sent, and neither is one that is
// refused, whose bytes do not count.
func TestFrameThatChangesWhileItIsSent(t *testing.T) {
	for name, test := range map[string]struct{ changes, refused bool }{
		"as it was": {},
		"changed":   {changes: true},
		"refused":   {refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			path := filepath.Join(root, "SKU-1", "frame_01.jpg")
			frame := syncstate.RunFrame{File: photo(t, path)}
			ready := false
			client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
				switch {
				case !ready || c.Op != sandbox.Upload:
				case test.refused:
					return sandbox.Fault{Status: 503, Process: true}
				case test.changes:
					if err := os.Chtimes(path, time.Time{}, frame.ModTime.Add(time.Minute)); err != nil {
						t.Error(err)
					}
				}
				return sandbox.Fault{}
			})
			j, s := toSend(t, client, root, frame)
			ready = true
			sent := j.uploading.uploader.frames.send(t.Context(), newFlights(s, plan.Step{}), s, frozenFrame{0, s.Record.Run.Frames[0]}, true)
			if outcome.Is(sent.Err, outcome.Changed) != test.changes || (sent.Err == nil) == (test.changes || test.refused) {
				t.Fatal(sent.Err)
			}
			r, err := j.record.read()
			if err != nil || r.Run.Frames[0].Uploaded == (test.changes || test.refused) {
				t.Errorf("the run is %+v, %v", r.Run, err)
			}
			sum := j.uploading.uploader.frames.progress.SentBytes(j.record.key).Load()
			if want := frame.Size; sum != want && !test.refused || sum != 0 && test.refused {
				t.Errorf("%d bytes count as sent of a frame of %d", sum, want)
			}
		})
	}
}

// photo makes a small photo, and a directory for it.
func photo(t *testing.T, path string) syncstate.File {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := jpeg.Encode(file, image.NewGray(image.Rect(0, 0, 16, 16)), nil); err != nil {
		t.Fatal(err)
	}
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return syncstate.File{
		Name: filepath.Base(path), Size: info.Size(), ModTime: info.ModTime(), ID: plan.FileID(volume.FileIDOf(info)),
	}
}

// toSend is the work on a folder whose only frame is about to be sent.
func toSend(t *testing.T, client *apiclient.Client, root string, frame syncstate.RunFrame) (*Job, plan.Scene) {
	t.Helper()
	p, _, _ := publisherOf(t, client, 1, func(commit func() error) error { return commit() })
	project, err := client.CreateProject(t.Context(), "Winter")
	if err != nil {
		t.Fatal(err)
	}
	product := apiclient.NewProduct{Title: "SKU-1", SKU: "SKU-1", Project: project.UUID, Images: 1}
	form, err := client.CreateProduct(t.Context(), product)
	if err != nil {
		t.Fatal(err)
	}
	if p.Service, err = hosting.New(client, p.Records.Store, "", p.Log, shortestPause, ""); err != nil {
		t.Fatal(err)
	}
	p.Files.Watcher = watching(t, root)
	p.Throttle = schedule.NewThrottle(config.Upload{})
	j := NewJob(p, syncstate.Folder{Root: root, Path: "SKU-1"}, new(reading.Root))
	run := &syncstate.Run{
		Phase: syncstate.Sending, Images: 1, Form: hosting.FormOf(form), Frames: []syncstate.RunFrame{frame},
	}
	s := plan.Scene{Record: syncstate.Record{Product: syncstate.Product{UUID: form.UUID}, Run: run}}
	if err := p.Records.Update(j.record.key, func(r *syncstate.Record) error { *r = s.Record; return nil }); err != nil {
		t.Fatal(err)
	}
	return j, s
}
