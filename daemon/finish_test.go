package daemon_test

import (
	"encoding/json"
	"sync/atomic"
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/daemon/hosting"
	"spinsync/daemon/status"
)

// TestLostFinishOnServiceThatListsEarly: images that are listed before the service was told that
// all is there are no proof that it was told. It is told again after all looks, and not before.
func TestLostFinishOnServiceThatListsEarly(t *testing.T) {
	early, err := json.Marshal([]apiclient.Image{
		{ID: 901, Ordial: 1, ImageStatus: "pending", Source: "1.jpg", Row: 1, ImageGroup: "rotation", StorageVersion: 2},
		{ID: 902, Ordial: 2, ImageStatus: "pending", Source: "2.jpg", Row: 1, ImageGroup: "rotation", StorageVersion: 2},
	})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, shortQuiet)
	finishes, looks := 0, 0
	w.calls.spoil = func(c *sandbox.Call) sandbox.Fault {
		switch {
		case c.Op == sandbox.FinishUpload:
			finishes++
			return sandbox.Fault{DropBefore: finishes == 1}
		case c.Op == sandbox.ReadStatus && finishes == 1:
			looks++
		case c.Op == sandbox.ListImages && finishes < 2:
			return sandbox.Fault{Status: 200, Body: string(early), Header: map[string][]string{"Content-Type": {"application/json"}}}
		}
		return sandbox.Fault{}
	}
	w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
	if p := w.published()["Summer/SKU-1"]; len(p.Images) != 2 || finishes != 2 || looks <= len(hosting.UsualLadder()) {
		t.Errorf("%d images after %d finish requests, %d looks between them", len(p.Images), finishes, looks)
	}
}

// TestFinishedWithOldImages: a service that counts the revision up when a reupload is announced,
// and still says finished when it ends, shows the images from before for a while.
func TestFinishedWithOldImages(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
	before := w.published()["Summer/SKU-1"]
	var old []apiclient.Image
	for _, i := range before.Images {
		old = append(old, apiclient.Image{
			ID: i.ID, Ordial: i.Ordial, SourceRevision: before.Revision + 1, StorageVersion: i.StorageVersion, ImageStatus: apiclient.StatusFinished,
			Source: i.Source, Row: i.Row, ImageGroup: i.ImageGroup, MediaReady: true, MediaURL: i.MediaURL, ThumbnailURL: i.ThumbnailURL,
		})
	}
	status := apiclient.StatusAnswer{Variant: &apiclient.Status{SourceRevision: before.Revision + 1, ImageStatus: apiclient.StatusFinished}}
	answer := func(v any) sandbox.Fault {
		body, err := json.Marshal(v)
		if err != nil {
			t.Error(err)
		}
		return sandbox.Fault{Status: 200, Body: string(body), Header: map[string][]string{"Content-Type": {"application/json"}}}
	}
	announced, looks := false, 0
	w.calls.spoil = func(c *sandbox.Call) sandbox.Fault {
		switch {
		case c.Op == sandbox.UpdateProduct:
			announced = true
		case !announced || looks > 3:
		case c.Op == sandbox.ListImages:
			looks++
			return answer(old)
		case c.Op == sandbox.ReadStatus:
			return answer(status)
		}
		return sandbox.Fault{}
	}
	w.shoot("b", "Summer/SKU-1/2.jpg")
	after := w.published()["Summer/SKU-1"]
	if looks <= 3 || after.Images[1].ID == before.Images[1].ID {
		t.Errorf("after %d looks image %d is taken for that of the new frame", looks, after.Images[1].ID)
	}
}

// TestLostFinishThatArrived: the service that goes on by itself was told, and is not told again.
func TestLostFinishThatArrived(t *testing.T) {
	w := newWorld(t, shortQuiet)
	finishes := 0
	w.calls.spoil = func(c *sandbox.Call) sandbox.Fault {
		if c.Op == sandbox.FinishUpload {
			finishes++
		}
		return sandbox.Fault{DropAfter: c.Op == sandbox.FinishUpload}
	}
	w.shoot("a", "Summer/SKU-1/1.jpg")
	w.published()
	if finishes != 1 {
		t.Errorf("%d finish requests", finishes)
	}
}

// TestRefusedRepeatOfAFinish: a service that lists nothing yet refuses the second finish, because
// the first arrived. The view is not uploaded once more.
func TestRefusedRepeatOfAFinish(t *testing.T) {
	w := newWorld(t, shortQuiet)
	finishes, reuploads := 0, 0
	json := map[string][]string{"Content-Type": {"application/json"}}
	w.calls.spoil = func(c *sandbox.Call) sandbox.Fault {
		switch {
		case c.Op == sandbox.FinishUpload:
			finishes++
			if finishes > 1 {
				return sandbox.Fault{Status: 422, Body: `{"errors":["already finished"]}`}
			}
			return sandbox.Fault{DropAfter: true}
		case c.Op == sandbox.UpdateProduct:
			reuploads++
		case c.Op == sandbox.ReadStatus && finishes == 1:
			return sandbox.Fault{Status: 200, Body: `{"variant":{"source_revision":0,"image_status":"pending"}}`, Header: json}
		case c.Op == sandbox.ListImages && finishes == 1:
			return sandbox.Fault{Status: 200, Body: `[]`, Header: json}
		}
		return sandbox.Fault{}
	}
	w.shoot("a", "Summer/SKU-1/1.jpg")
	if p := w.published()["Summer/SKU-1"]; p.Revision != 0 || finishes != 2 || reuploads != 0 {
		t.Errorf("revision %d after %d finish requests and %d reuploads", p.Revision, finishes, reuploads)
	}
}

// TestMarkerSpeaksForItsFrames: a marker that is written anew while the service processes is not
// the evidence of the revision that is being published, but of the next one.
func TestMarkerSpeaksForItsFrames(t *testing.T) {
	w := newWorld(t, `quiet = "1h"
marker = "done.txt"`)
	var finishes atomic.Int32
	w.calls.spoil = func(c *sandbox.Call) sandbox.Fault {
		if c.Op == sandbox.FinishUpload && finishes.Add(1) == 1 {
			w.shoot("b", "Summer/SKU-1/2.jpg")
			w.write("Summer/SKU-1/done.txt", "done again")
		}
		if c.Op == sandbox.ReadStatus {
			return sandbox.Fault{Hold: 300 * time.Millisecond} // in which the watcher sees it
		}
		return sandbox.Fault{}
	}
	w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
	w.write("Summer/SKU-1/done.txt", "done")
	w.runUntil(func(products []status.ProductStatus) bool {
		return finishes.Load() == 2 && products[0].State == status.Published
	})
}
