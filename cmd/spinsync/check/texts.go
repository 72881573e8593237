package check

import (
	"io"
	"path/filepath"

	"spinsync/cmd/spinsync/tree"
	"spinsync/daemon/alttext"
	"spinsync/daemon/config"
	"spinsync/watcher/names"
)

// examineTexts tells every mistake in the sidecars with alt texts. It opens no photo.
func examineTexts(fitting []tree.Folder, w config.Watch, r *Report) {
	rules, err := names.New(w.Include, w.Ignore, w.Marker)
	if err != nil {
		return // the look at the tree has told it
	}
	for _, f := range fitting {
		says, _ := readProductFile(w, f) // its mistakes have lines of their own
		said := alttext.Folder{Product: says.Alt, Locale: w.Locale, Open: func(name string) (io.ReadCloser, error) {
			return openRegular(filepath.Join(w.Path, filepath.FromSlash(f.Path), name))
		}}
		for _, name := range f.Files {
			switch kind, _ := rules.Classify(f.Path, name); kind {
			case names.Frame:
				said.Frames = append(said.Frames, name)
			case names.Sidecar:
				said.Sidecars = append(said.Sidecars, name)
			}
		}
		_, problems := alttext.Read(said)
		for _, p := range problems {
			r.warn("alt texts", f.Path+"/"+p.String())
		}
	}
}
