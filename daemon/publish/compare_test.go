package publish

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
	"spinsync/daemon/view"
	"spinsync/syncstate"
)

// A view that is not finished proves nothing, even if it shows exactly the folder's frames: the
// images of another upload may be on their way.
func TestUnfinishedViewProvesNothing(t *testing.T) {
	client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
	p, _, s := publisherOf(t, client, 1, func(commit func() error) error { return commit() })
	product := s.Record.Product.UUID
	images, err := client.Images(t.Context(), product)
	if err != nil {
		t.Fatal(err)
	}
	key := syncstate.Folder{Root: t.TempDir(), Path: "SKU-1"}
	if err := os.Mkdir(filepath.Join(key.Root, key.Path), 0o755); err != nil {
		t.Fatal(err)
	}
	p.Files.Watcher = watching(t, key.Root)
	j := NewJob(p, key, nil)
	scene := plantest.AScene(0)
	plantest.AddFrame(&scene, "0000.jpg")
	onTheWay := syncstate.Frame{File: syncstate.File{Name: "0000.jpg"}, AltCarry: map[string]string{"fr": "Une chaussure"}}
	scene.Record.Published = &syncstate.Published{Frames: []syncstate.Frame{onTheWay}}
	scene = plantest.Judged(scene)
	j.parts.reconciler.comparer.scene = func() (plan.Scene, error) {
		j.Folder.Readings = map[string]plan.Reading{"0000.jpg": {Digest: plantest.DigestOf("photo")}}
		return scene, nil
	}
	for _, finished := range []bool{true, false} {
		answer := apiclient.Status{SourceRevision: images[0].SourceRevision, ImageStatus: "processing"}
		if finished {
			answer.ImageStatus = apiclient.StatusFinished
		}
		found, differs, err := j.parts.reconciler.comparer.recognise(t.Context(), product, answer, images)
		if err != nil || (found != nil) != finished || !finished && !differs.Is(status.StillProcessing) {
			t.Errorf("finished %t: recognised as %+v, %+v, %v", finished, found, differs, err)
		}
		if found != nil && found.Frames[0].AltCarry["fr"] == "" {
			t.Error("the text on the way to an image is lost")
		}
	}
}

// A folder whose view differs is owed an upload, and is known by its frames from then on. The texts
// that were on their way to its images come with it.
func TestFolderThatIsOwedAnUploadIsKnownByItsFrames(t *testing.T) {
	client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
	j, s := published(t, client, 1, func(commit func() error) error { return commit() })
	s.Facts.Snapshot, s.Facts.Readings = plantest.AScene(2).Facts.Snapshot, plantest.AScene(2).Facts.Readings
	s.Record.Published.Frames[0].AltCarry = map[string]string{"fr": "Une chaussure"}
	s = plantest.Judged(s)
	s.Record.Late.AltIntent = map[int64]map[string]string{7: {"fr": "Une chaussure"}}
	keep(t, j, s.Record)
	if err := j.parts.reconciler.comparer.owe(s, nil, nil); err != nil {
		t.Fatal(err)
	}
	r, err := j.record.read()
	if err == nil && r.Late.AltIntent != nil {
		t.Errorf("texts are still to be confirmed for images that are replaced: %v", r.Late.AltIntent)
	}
	if err != nil || !r.Run.In(syncstate.Owed) || len(r.Run.Frames) != 2 || r.Run.Before.Frames[0].AltCarry["fr"] == "" {
		t.Errorf("the run is %+v, %v", r.Run, err)
	}
	if id := r.Published.Frames[0].ImageID; id != 0 {
		t.Errorf("the frame is still known as image %d, whose id may be another's", id)
	}
}

// A text that somebody else took away from a photo stays away when its view is compared, although a run
// that had begun read it there.
func TestTextsThatWereTakenAwayStayAwayFromAViewThatIsCompared(t *testing.T) {
	client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
	j, s := published(t, client, 1, func(commit func() error) error { return commit() })
	images, err := client.Images(t.Context(), s.Record.Product.UUID)
	if err != nil {
		t.Fatal(err)
	}
	s.Record.Published.Revision = images[0].SourceRevision
	f := &s.Record.Published.Frames[0]
	f.ImageID, f.Source = images[0].ID, images[0].Source
	read := slices.Clone(s.Record.Published.Frames)
	read[0].Alt = map[string]string{"fr": "Une chaussure"}
	s.Record.Run = &syncstate.Run{Reupload: true, Before: syncstate.Before{Frames: read}}
	if run := j.parts.reconciler.comparer.asRun(s, images[0].SourceRevision, images); run.Before.Frames[0].AltCarry["fr"] != "" {
		t.Error("the text counts as one that the view lacks")
	}
	keep(t, j, s.Record)
	for range 2 { // it may be compared once more before the run begins
		if err := j.parts.reconciler.comparer.owe(s, images, nil); err != nil {
			t.Fatal(err)
		}
		s.Record, err = j.record.read()
		if err != nil {
			t.Fatal(err)
		}
	}
	if f := view.FramesBefore(s, images)[0]; f.Alt["fr"] != "" || f.AltCarry["fr"] != "" || f.ImageID != images[0].ID {
		t.Errorf("the frame of the next run is %+v", f)
	}
}

// A text of the folder that had no answer stays the folder's where it arrives after its view was
// compared and still showed the publication.
func TestTextThatArrivesAfterTheComparison(t *testing.T) {
	client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
	j, s := published(t, client, 1, func(commit func() error) error { return commit() })
	images, err := client.Images(t.Context(), s.Record.Product.UUID)
	if err != nil {
		t.Fatal(err)
	}
	s.Record.Published.Revision = images[0].SourceRevision
	f := &s.Record.Published.Frames[0]
	f.ImageID, f.Source = images[0].ID, images[0].Source
	sent := map[int64]map[string]string{images[0].ID: {"fr": "Une chaussure"}}
	for name, late := range map[string]syncstate.LateTexts{"sent": {AltIntent: sent}, "late": {AltLate: sent}} {
		s.Record.Run, s.Record.Late, images[0].AltTexts = nil, late, nil
		keep(t, j, s.Record)
		if err := j.parts.reconciler.comparer.owe(s, images, nil); err != nil {
			t.Fatal(err)
		}
		after := s
		if after.Record, err = j.record.read(); err != nil {
			t.Fatal(err)
		}
		images[0].AltTexts = map[string]string{"fr": "Une chaussure"}
		if f := view.FramesBefore(after, images)[0]; f.AltSet["fr"] != "Une chaussure" {
			t.Errorf("%s: the frame of the next run is %+v", name, f)
		}
	}
}

// TestUnchangedViewEndsTheDoubt: a view that shows what was published is not compared again, but
// gets the folder's fields.
func TestUnchangedViewEndsTheDoubt(t *testing.T) {
	client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
	j, s := published(t, client, 1, func(commit func() error) error { return commit() })
	s.Record.Doubted, s.Record.Updating = true, false
	keep(t, j, s.Record)
	if err := j.parts.reconciler.comparer.reconcileView(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if r, err := j.record.read(); err != nil || r.Doubted || !r.Updating || r.Run != nil {
		t.Errorf("doubted %t, updating %t, run %+v, %v", r.Doubted, r.Updating, r.Run, err)
	}
}

// A folder waits for each upload that its state file does not know, however long it waited for an
// earlier one.
func TestEachForeignUploadIsWaitedFor(t *testing.T) {
	long := time.Now().Add(-foreignPatience)
	cm := comparer{foreign: &sighting[upload]{upload{"product", 3}, long}}
	waits := func(product string, revision int64) bool {
		_, waits := cm.waitsForForeign(upload{product, revision})
		return waits
	}
	if waits("product", 3) {
		t.Error("one upload is waited for forever")
	}
	if !waits("product", 4) {
		t.Error("the next revision is not waited for")
	}
	cm.foreign.since = long
	if !waits("another", 4) {
		t.Error("the upload to another product is not waited for")
	}
}
