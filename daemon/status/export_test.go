package status

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/syncstate"
)

// Programs that read the export find an object in alt_texts, also where no text is set.
func TestExportOfAnImageWithoutTexts(t *testing.T) {
	text, err := json.Marshal(exportedImage(3, syncstate.Frame{}))
	if err != nil || !strings.Contains(string(text), `"alt_texts":{}`) {
		t.Errorf("%s, %v", text, err)
	}
}

// Programs that read the export find each image with the service's own values.
func TestExportOfAnImage(t *testing.T) {
	image := exportedImage(3, syncstate.Frame{
		File: syncstate.File{Name: "1.jpg"}, ImageID: 11, Ordial: 12, Source: "a/0001.jpg", Row: 2, Group: "top",
		StorageVersion: 5, MediaURL: "https://media/1", ThumbnailURL: "https://thumbs/1", Alt: map[string]string{"en": "A shoe"},
	})
	want := ExportedImage{
		ID: 11, Ordial: 12, File: "1.jpg", Source: "a/0001.jpg", Row: 2, ImageGroup: "top", SourceRevision: 3,
		StorageVersion: 5, MediaURL: "https://media/1", ThumbnailURL: "https://thumbs/1", AltTexts: map[string]string{"en": "A shoe"},
	}
	if diff := cmp.Diff(want, image); diff != "" {
		t.Error(diff)
	}
}

// A folder that is tried again has the time of the next try; one that waits for a person has none.
func TestNextTry(t *testing.T) {
	next := time.Now()
	trouble := &syncstate.Trouble{Tries: syncstate.Tries{N: 1, Next: next}}
	if p := ProductOf(syncstate.Folder{}, syncstate.Record{Trouble: trouble}); p.NextTry == nil || !p.NextTry.Equal(next) {
		t.Errorf("the next try is at %v", p.NextTry)
	}
	trouble.Kind = syncstate.NeedsPerson
	if p := ProductOf(syncstate.Folder{}, syncstate.Record{Trouble: trouble}); p.NextTry != nil {
		t.Errorf("tried again at %v without a person", p.NextTry)
	}
}

// A published folder counts its images, and one with a run the frames that were sent in it.
func TestUploadedFrames(t *testing.T) {
	r := syncstate.Record{Published: &syncstate.Published{Images: 24}}
	if p := ProductOf(syncstate.Folder{}, r); p.Frames.Uploaded != 24 {
		t.Errorf("%d images are published, not 24", p.Frames.Uploaded)
	}
	r.Run = &syncstate.Run{Frames: []syncstate.RunFrame{{Uploaded: true}, {}}}
	if p := ProductOf(syncstate.Folder{}, r); p.Frames.Uploaded != 1 {
		t.Errorf("%d frames are sent, not 1", p.Frames.Uploaded)
	}
}

// People and programs find a product by its project, title and SKU, in the status as in the export, and
// the folder that it comes from.
func TestNamesOfAProduct(t *testing.T) {
	key := syncstate.Folder{Root: "/shoots", Path: "Summer/SKU-1"}
	r := syncstate.Record{Project: syncstate.Project{UUID: "project", Title: "Summer"}}
	r.Product.UUID, r.Product.Title, r.Product.SKU = "product", "Shoe", "SKU-1"
	r.Product.Manufacturer, r.Product.Year = "Acme", "2027"
	p := ProductOf(key, r)
	if p.Project != "Summer" || p.Product != "product" || p.Title != "Shoe" || p.SKU != "SKU-1" {
		t.Errorf("the status has %+v", p)
	}
	want := ExportedProduct{
		Root: "/shoots", Folder: "Summer/SKU-1", Project: ExportedProject{UUID: "project", Title: "Summer"}, UUID: "product",
		Title: "Shoe", SKU: "SKU-1", Manufacturer: "Acme", Year: Optional("2027"), State: Queued, Reason: "why", Images: []ExportedImage{},
	}
	p.State, p.Reason = Queued, "why"
	if diff := cmp.Diff(want, Exported(p, r)); diff != "" {
		t.Error(diff)
	}
}
