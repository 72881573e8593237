package simulation

import (
	"bytes"
	"io"
	"path"
	"slices"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
)

// othersStories are about others who use the service too.
var othersStories = []story{
	{
		// They upload while frames are sent, and behind the finish. What they upload to a view that is
		// finished, or seems so, is not noticed.
		name: "others upload", only: "awkward", root: plainRoot,
		before: func(w *world) { w.expose(w.studio.folders[0]) },
		deed: func(w *world, f *folder) {
			behind := func() {
				if !w.viewOf(f).Status.Finished() {
					w.uploadRemotely(f)
				}
			}
			w.expose(f)
			w.upon(sandbox.Upload, func() {
				w.uploadRemotely(f)
				w.upon(sandbox.FinishUpload, func() { w.upon(sandbox.ReadStatus, behind) })
			})
		},
	}, {
		// What they upload is still processed at the finish, which closes nothing then. A service that
		// shows the former images all the while gives no sign of it.
		name: "others upload before the finish", only: "awkward", root: plainRoot,
		before: func(w *world) { w.expose(w.studio.folders[0]) },
		deed: func(w *world, f *folder) {
			w.expose(f)
			w.upon(sandbox.Upload, func() { w.uploadRemotely(f) })
		},
	}, {
		// A text has no image to go to, until a person has the folder uploaded again.
		name: "others replaced the view", only: "late", root: plainRoot,
		before: func(w *world) { w.expose(w.studio.folders[0]) },
		deed: func(w *world, f *folder) {
			w.uploadRemotely(f)
			w.after(10*time.Second, func() { w.studio.put(f, "frame_01.txt", &content{data: []byte("teapot from the front")}) })
		},
	},
}

// upon has something done when the next request of an operation comes, before it takes effect.
func (w *world) upon(op string, do func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.awaited, w.awaits = op, do
}

// arrived tells the driver that a request came.
func (w *world) arrived(op string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.awaits != nil && w.awaited == op {
		w.due <- w.awaits
		w.awaits = nil
	}
}

// uploadRemotely lets somebody else replace the images of a folder's view by as many others.
func (w *world) uploadRemotely(f *folder) {
	form, err := w.person.Reupload(w.t.Context(), w.viewOf(f).UUID, apiclient.ProductUpdate{}, f.wanted)
	w.studio.must(err)
	w.mu.Lock()
	w.theirs.forms = append(w.theirs.forms, form.Path)
	w.mu.Unlock()
	for i := range f.wanted {
		photo := w.studio.photoOf(900)
		w.theirs.photos = append(w.theirs.photos, sumOf(photo.data))
		w.studio.must(w.person.Upload(w.t.Context(), form, apiclient.File{
			Name: f.frameName(i), ContentType: "image/jpeg", Size: int64(len(photo.data)),
			Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(photo.data)), nil },
		}))
	}
	w.studio.must(w.person.FinishUpload(w.t.Context(), form.UUID))
	w.trace.add("somebody else uploads to the view of %s", f.sku())
}

// viewOf is the view of a folder's name.
func (w *world) viewOf(f *folder) sandbox.Product {
	products, err := w.service.Products()
	w.studio.must(err)
	return products[slices.IndexFunc(products, func(p sandbox.Product) bool { return p.SKU == f.sku() })]
}

// theirs is what somebody else has on the service.
type theirs struct {
	forms  []string // the paths of their photos
	photos []string // SHA-256
}

// isTheirs reports whether a photo is sent by somebody else. Its request needs no user.
func (w *world) isTheirs(key string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Contains(w.theirs.forms, path.Dir(key))
}

// has reports whether a revision is that of somebody else.
func (t theirs) has(files []sandbox.File) bool {
	return len(files) > 0 && !slices.ContainsFunc(files, func(f sandbox.File) bool { return !slices.Contains(t.photos, f.SHA256) })
}
