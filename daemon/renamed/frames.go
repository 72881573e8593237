package renamed

import (
	"spinsync/daemon/plan"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// recorded is a frame of another folder. Its digest is nil as long as it was not sent.
type recorded struct {
	file   syncstate.File
	digest []byte
}

// Files are the recorded frames of a folder by name.
type Files map[string]recorded

// FilesOf are the frames of a folder's run, else the published ones. A run that is owed may have
// none.
func FilesOf(r syncstate.Record) Files {
	known := Files{}
	switch {
	case r.Run != nil && len(r.Run.Frames) > 0:
		for _, f := range r.Run.Frames {
			known[f.Name] = recorded{f.File, f.Digest}
		}
	case r.Published != nil:
		for _, f := range r.Published.Frames {
			known[f.Name] = recorded{f.File, f.Digest}
		}
	}
	return known
}

// nameOf is the recorded name of a very file, which its id tells; empty for one that is not
// recorded.
func (known Files) nameOf(f watcher.File) string {
	is := plan.FileOf(f)
	if old, ok := known[f.Name]; ok && is.ID != "" && old.file.Same(is) {
		return f.Name
	}
	for name, old := range known {
		if is.Name = name; is.ID != "" && old.file.Same(is) {
			return name
		}
	}
	return ""
}

// countIn counts the very files that are among others, perhaps under other names. A rename leaves
// them as they are, and a copy has none of them.
func (known Files) countIn(files []watcher.File) int {
	found := map[string]bool{}
	for _, f := range files {
		if name := known.nameOf(f); name != "" {
			found[name] = true
		}
	}
	return len(found)
}

// AreMostlyIn reports whether at least half of the very files are among others: these are the folder
// under another name, though a photo was saved or deleted since.
func (known Files) AreMostlyIn(files []watcher.File) bool {
	return len(known) > 0 && 2*known.countIn(files) >= len(known)
}
