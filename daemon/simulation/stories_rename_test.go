package simulation

import "time"

// renameStories are about folders that get another name or place.
var renameStories = []story{
	{
		name: "rename", root: twoFolders, spares: true, before: (*world).exposeAndDescribe,
		deed: func(w *world, f *folder) { w.renameFolder(f) },
	}, {
		name: "move to another project", only: "late", root: twoFolders, spares: true, before: (*world).exposeAndDescribe,
		deed: func(w *world, f *folder) { w.moveTo(f, f.root, "Winter/SKU-9") },
	}, {
		name: "rename with the photos", root: twoFolders, before: (*world).exposeAndDescribe,
		deed: func(w *world, f *folder) {
			w.renameFolder(f)
			to := w.studio.folder(f.root, unmoved(f.name)+movedSuffix)
			for i := range f.wanted {
				w.studio.rename(to, f.frameName(i), f.frameName(i+4))
			}
			w.studio.rename(to, "frame_01.txt", "frame_05.txt")
		},
	}, {
		// One of its photos is saved before it is quiet.
		name: "rename of a folder that is shot again", root: twoFolders, before: (*world).exposeAndDescribe,
		deed: func(w *world, f *folder) {
			w.renameFolder(f)
			to := w.studio.folder(f.root, unmoved(f.name)+movedSuffix)
			w.after(2300*time.Millisecond, func() { w.studio.put(to, to.frameName(1), w.studio.photoOf(1200)) })
		},
	}, {
		// The root that it leaves is not believed to be empty until a person says so.
		name: "move of the last folder to another root", only: "late", root: plainRoot, spares: true, before: (*world).exposeAndDescribe,
		other: &rootPlan{onRemove: "keep", folders: []string{"Summer/SKU-3"}},
		deed:  func(w *world, f *folder) { w.moveTo(f, w.studio.roots[1], "Winter/SKU-9") },
	}, {
		// The frames take some seconds, so that the folder gets its new name while they are sent.
		name: "rename during an upload", root: twoKept, speed: 30_000, before: (*world).exposeOthers,
		deed: func(w *world, f *folder) {
			w.exposeSlowly(f)
			w.after(8*time.Second, func() { w.renameFolder(f) })
		},
	}, {
		name: "move to another root during an upload", only: "awkward", root: twoKept, speed: 30_000, before: (*world).exposeOthers,
		other: &rootPlan{onRemove: "keep", folders: []string{"Summer/SKU-3"}},
		deed: func(w *world, f *folder) {
			w.exposeSlowly(f)
			w.after(8*time.Second, func() { w.moveTo(f, w.studio.roots[1], "Winter/SKU-9") })
		},
	}, {
		name: "a root gets another path", only: strictService, root: twoKept, spares: true, before: (*world).exposeAndDescribe,
		deed: func(w *world, f *folder) { w.renameRoot() },
	}, {
		// The view may be gone already, or still be there, when the folder is back.
		name: "back during the delete", only: "late", root: twoFolders, before: (*world).exposeAndDescribe,
		deed: func(w *world, f *folder) {
			w.most++
			w.studio.removeFolder(f)
			w.after(6500*time.Millisecond, func() {
				w.studio.makeFolder(f)
				w.expose(f)
			})
		},
	},
}

// exposeOthers has all folders published but for that of the story.
func (w *world) exposeOthers() {
	w.studio.removeFolder(w.studio.folders[0])
	for _, f := range w.studio.folders[1:] {
		w.expose(f)
	}
}

// exposeSlowly takes frames of which the second takes a slow line some seconds.
func (w *world) exposeSlowly(f *folder) {
	w.studio.makeFolder(f)
	w.studio.put(f, f.frameName(0), w.studio.photoOf(900))
	w.studio.put(f, f.frameName(1), w.studio.photoOf(180_000))
}

func (w *world) moveTo(f *folder, root *root, name string) {
	w.studio.moveFolder(f, w.studio.folder(root, name))
	w.trace.add("%s becomes %s of %s", f.name, name, root.name)
}
