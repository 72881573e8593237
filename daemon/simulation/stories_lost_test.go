package simulation

import "time"

// lostStories are about state files that know less than the service.
var lostStories = []story{
	{
		// The photos tell whose the views are, though one of them comes late.
		name: "state file lost, and other titles", only: strictService, root: rootPlan{onRemove: "keep", frames: 2, folders: []string{"Summer/SKU-2"}},
		spares: true, before: (*world).exposeAndDescribe,
		deed: func(w *world, f *folder) {
			other := w.studio.folders[1]
			w.loseStateFile()
			w.say(f, "Kettle")
			w.say(other, "Pan")
			name := other.frameName(1)
			late := other.files[name]
			w.studio.remove(other, name)
			w.after(4*time.Minute, func() { w.studio.putAt(other, name, late, late.modified) })
		},
	}, {
		// The copy records an earlier shoot, and the view shows what the folder holds.
		name: "backup of an earlier shoot", only: strictService, root: plainRoot, spares: true,
		before: func(w *world) {
			w.exposeAndDescribe()
			w.settle()
			w.makeBackup()
			w.expose(w.studio.folders[0])
		},
		deed: func(w *world, f *folder) { w.putBack() },
	},
}
