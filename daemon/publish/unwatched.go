package publish

import (
	"encoding/json"
	"log/slog"
	"slices"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/reading"
	"spinsync/syncstate"
	"spinsync/watcher"
	"spinsync/watcher/volume"
)

// UnwatchedRoots give a folder the record of one below a root that is recorded, and not watched any
// more.
type unwatchedRoots struct {
	record  *ledger
	records *Records
	folder  *reading.Folder
	roots   []string
	log     *slog.Logger
}

// has reports whether a folder lies below one of them.
func (u unwatchedRoots) has(key syncstate.Folder) bool { return slices.Contains(u.roots, key.Root) }

// inherit gives the folder the product of its SKU and title from a folder below a root that
// is not watched, if it has the same photos. It reports whether it did so.
func (u unwatchedRoots) inherit(from syncstate.Folder) (bool, error) {
	record, err := u.records.Store.Record(from)
	if err != nil || !u.hasPhotosOf(record) {
		return false, err
	}
	return true, u.takeRecord(from)
}

// takeOver takes over the record of the folder that has this one's path below a root that is not
// watched any more, if it has the same photos. One of the same product does where its first upload is under way,
// where this folder is doubted, or where both roots are one directory: the root has got another path. It
// reports whether there is one.
func (u unwatchedRoots) takeOver(s plan.Scene) (bool, error) {
	var from []syncstate.Folder
	for _, root := range u.roots {
		key := syncstate.Folder{Root: root, Path: u.record.key.Path}
		record, err := u.records.Store.Record(key)
		if err != nil {
			return false, err
		}
		here, err := u.isHere(root)
		if err != nil {
			return false, err
		}
		if isWanted(s, record) && (s.Record.Doubted || here || isBegun(record)) || u.hasPhotosOf(record) {
			from = append(from, key)
		}
	}
	if len(from) != 1 {
		return false, nil
	}
	return true, u.takeRecord(from[0])
}

// isHere reports whether a root is the very directory that is the folder's root now. Drives without an
// id may have directories of one number.
func (u unwatchedRoots) isHere(root string) (bool, error) {
	was, err := u.records.Store.Root(root)
	if err != nil {
		return false, err
	}
	is, err := u.records.Store.Root(u.record.key.Root)
	var directory volume.Identity
	known := json.Unmarshal([]byte(was.Volume), &directory) == nil && directory.ID != "" && directory.Root != 0
	return known && was.Volume == is.Volume, err
}

// isBegun reports whether the first upload of a record's product is under way.
func isBegun(r syncstate.Record) bool { return r.Run != nil && r.Published == nil }

// isWanted reports whether a record is of the product that the folder is to have. One of SKU and
// title may have changed while the program did not run.
func isWanted(s plan.Scene, r syncstate.Record) bool {
	sku, title := r.Product.SKU, r.Product.Title
	if asked := r.Run.Asked(); asked != nil {
		sku, title = asked.SKU, asked.Title
	}
	return (r.Product.UUID != "" || r.Run != nil) && r.Project.Title == s.Facts.Wanted.Project &&
		(sku == s.Facts.Wanted.SKU || title == s.Facts.Wanted.Title)
}

// hasPhotosOf reports whether the folder has just the photos that a record calls published, by
// names and sizes.
func (u unwatchedRoots) hasPhotosOf(r syncstate.Record) bool {
	published := plan.PublishedFrames(r.Published)
	return len(published) > 0 && len(published) == len(u.folder.Snapshot.Frames) &&
		!slices.ContainsFunc(u.folder.Snapshot.Frames, func(f watcher.File) bool {
			was, ok := published[f.Name]
			return !ok || was.Size != f.Size
		})
}

// takeRecord takes over the record of a folder below a root that is not watched. What was published
// is compared next; what was begun goes on as after a restart. A folder of another root with its
// path may have been faster. The root is not known any more: it may get its old path again.
func (u unwatchedRoots) takeRecord(from syncstate.Folder) error {
	err := u.record.takeFrom(from, true, func(r *syncstate.Record) error {
		if r.Product.UUID == "" && r.Run == nil {
			return outcome.ErrChanged
		}
		r.Doubted = r.Product.UUID != "" && r.Run == nil
		r.Updating = r.Updating || r.Doubted
		return nil
	})
	if err != nil {
		return err
	}
	u.log.Info("the watched folder has another path", "from", from, "to", u.record.key)
	return u.records.Store.UpdateRoot(from.Root, func(r *syncstate.RootRecord) error {
		r.Known = false
		return nil
	})
}
