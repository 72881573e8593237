package simulation

import (
	"time"

	"spinsync/apiclient/sandbox"
)

// changeStories are about changes that come at one moment of a run.
var changeStories = []story{
	{
		// Somebody writes an alt text while frames are sent, and a frame that was sent is written to
		// under its old time.
		name: "reupload that is written to", only: "late", root: plainRoot, before: (*world).exposeAndDescribe,
		deed: func(w *world, f *folder) {
			w.expose(f)
			w.upon(sandbox.Upload, func() {
				w.describeRemotely(nil)
				w.upon(sandbox.Upload, func() {
					w.studio.rewriteUnderOldTime(f, f.frameName(0), w.studio.photoOf(900))
				})
			})
		},
	}, {
		// A frame that looks whole from the start is written on under one time.
		name: "create from a stream that is written on", only: "late", root: rootPlan{onRemove: "keep", frames: 2},
		deed: func(w *world, f *folder) {
			w.studio.put(f, f.frameName(0), w.studio.photoOf(900))
			w.after(20*time.Second, func() {
				opened := time.Now()
				w.studio.put(f, f.frameName(1), w.studio.photoOf(900))
				w.after(900*time.Millisecond, func() { w.studio.putAt(f, f.frameName(1), w.studio.photoOf(900), opened) })
			})
		},
	}, {
		// The marker that is written again behind the finish is that of the next revision.
		name: "marked anew", only: "awkward", root: rootPlan{onRemove: "keep", marker: "done.txt"},
		deed: func(w *world, f *folder) {
			w.expose(f)
			w.mark(f)
			w.upon(sandbox.FinishUpload, func() {
				w.studio.put(f, f.frameName(1), w.studio.photoOf(900))
				w.mark(f)
			})
		},
	}, {
		name: "another title during the create", only: strictService, root: plainRoot,
		deed: func(w *world, f *folder) {
			w.expose(f)
			w.upon(sandbox.CreateProduct, func() { w.say(f, "Kettle") })
		},
	},
}
