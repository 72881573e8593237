package syncstate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"spinsync/syncstate/cluster"
)

// A Copy is a state file that follows a cluster. It is a cluster.Copy. What is this computer's own
// stays as it is.
type Copy struct {
	store   *Store
	cluster string            // its id
	roots   map[string]string // by the names of the trees
	names   *share
	changed func([]Folder)
	taken   bool // the file had something of the cluster; another one may be in its place
}

// Copy is the store as a copy of the cluster with this id. It calls changed with the folders that
// other stations have changed.
func (s *Store) Copy(id string, trees map[string]string, changed func([]Folder)) *Copy {
	c := &Copy{store: s, cluster: id, roots: map[string]string{}, names: &share{trees: trees}, changed: changed}
	for root, tree := range trees {
		c.roots[tree] = root
	}
	return c
}

// ErrOtherCluster is the error of a file that is no copy of the cluster, or not any more.
var ErrOtherCluster = errors.New("the state file is no copy of the fleet's cluster")

// CopyOf is the id of the cluster that the file is a copy of; empty for none.
func (s *Store) CopyOf() (id string, err error) {
	at, err := lookUp[position](s, "notes", positionNote)
	return at.Cluster, err
}

// Detach has the file be a copy of no cluster any more.
func (s *Store) Detach() error {
	return s.write(func(ledger) (edit, error) {
		return edit{store: []mutation{{list: "notes", key: []byte(positionNote)}}}, nil
	})
}

// At implements cluster.Copy. A file that cannot be read counts as one without anything: what is
// taken next fails with its error. So does one that has other trees, or has them at other paths.
func (c *Copy) At() (revision int64, counter cluster.Counter) {
	at, err := lookUp[position](c.store, "notes", positionNote)
	if err != nil || at.Cluster != c.cluster {
		return 0, cluster.Counter{}
	}
	return c.upTo(at), at.Counter
}

// upTo is the revision up to which the file has all of the copy's trees.
func (c *Copy) upTo(at position) int64 {
	if !maps.EqualFunc(at.Roots, c.roots, func(had []byte, root string) bool { return string(had) == root }) {
		return 0
	}
	return at.Revision
}

// Take implements cluster.Copy. Changes that the file has already are those of this station's own
// epoch.
func (c *Copy) Take(changes cluster.Changes, counter cluster.Counter) error {
	var folders []Folder
	err := c.store.write(func(l ledger) (edit, error) {
		at, err := c.position(l)
		if err != nil || at.Revision >= changes.Revision {
			return edit{}, err
		}
		var e edit
		e, folders, err = c.edit(l, changes.Entries, nil)
		if err != nil {
			return edit{}, err
		}
		return c.withPosition(e, changes.Revision, counter)
	})
	if err == nil && len(folders) > 0 {
		c.changed(folders)
	}
	return err
}

// Replace implements cluster.Copy.
func (c *Copy) Replace(all []cluster.Entry, revision int64, counter cluster.Counter) error {
	var folders []Folder
	err := c.store.write(func(l ledger) (edit, error) {
		at, err := c.position(l)
		if err != nil || c.upTo(at) >= revision && goesOnFrom(at.Counter, counter) { // of this station's own epoch
			return edit{}, err
		}
		var e edit
		e, folders, err = c.edit(l, all, &at)
		if err != nil {
			return edit{}, err
		}
		return c.withPosition(e, revision, counter)
	})
	if err == nil && len(folders) > 0 {
		c.changed(folders)
	}
	return err
}

// goesOnFrom reports whether a counter is the other one, or a later one.
func goesOnFrom(c, other cluster.Counter) bool {
	return c.N > other.N || c.N == other.N && c.ID == other.ID
}

// position is how far the file is a copy of the cluster.
func (c *Copy) position(l ledger) (position, error) {
	at, err := l.position()
	switch {
	case err != nil:
		return at, c.store.damaged(err)
	case at.Cluster != c.cluster && (at.Cluster != "" || c.taken):
		return at, ErrOtherCluster
	}
	c.taken = c.taken || at.Cluster != ""
	return at, nil
}

func (c *Copy) withPosition(e edit, revision int64, counter cluster.Counter) (edit, error) {
	data, err := json.Marshal(position{c.cluster, revision, counter, rootsOf(c.names.trees)})
	e.store = append(e.store, mutation{list: "notes", key: []byte(positionNote), value: data})
	return e, err
}

// edit is what entries of the cluster change here. If they are all that the cluster has, whatever the
// file had before of it and is not among them goes.
func (c *Copy) edit(l ledger, entries []cluster.Entry, before *position) (e edit, folders []Folder, err error) {
	news, others := map[Folder]parts{}, parts{}
	for _, entry := range entries {
		if folder, is := c.folderOf(entry.Key); is {
			if news[folder] == nil {
				news[folder] = parts{}
			}
			news[folder][entry.Key] = entry.Value
		} else {
			others[entry.Key] = entry.Value
		}
	}
	if before != nil {
		if err := c.addMissing(l, *before, news, others); err != nil {
			return edit{}, nil, c.store.damaged(err)
		}
	}
	for _, folder := range slices.SortedFunc(maps.Keys(news), compareFolders) {
		changes, err := c.takeFolder(l, folder, news[folder], before != nil)
		if err != nil {
			return edit{}, nil, err
		}
		if len(changes) > 0 {
			e.store, folders = append(e.store, changes...), append(folders, folder)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(others)) {
		changes, err := c.takeNote(l, key, others[key])
		if err != nil {
			return edit{}, nil, err
		}
		e.store = append(e.store, changes...)
	}
	return e, folders, nil
}

func compareFolders(a, b Folder) int { return strings.Compare(string(a.key()), string(b.key())) }

// folderOf is the folder that a key of the cluster is about. Trees that this computer does not watch
// have none.
func (c *Copy) folderOf(key string) (folder Folder, is bool) {
	for _, list := range []string{keyFolders, keyPublished, keyRuns} {
		if name, found := strings.CutPrefix(key, list); found {
			tree, path, _ := strings.Cut(name, "/")
			root, watched := c.roots[tree]
			return Folder{root, path}, watched
		}
	}
	return Folder{}, false
}

// addMissing adds to what the cluster has what the file has and the cluster has not. The folders of trees
// that the file had at another path are among that.
func (c *Copy) addMissing(l ledger, before position, news map[Folder]parts, others parts) error {
	roots := maps.Clone(c.names.trees)
	for tree, root := range before.Roots {
		roots[string(root)] = tree
	}
	err := l.list("folders").bucket.ForEach(func(key, _ []byte) error {
		folder := folderOf(key)
		if _, shared := roots[folder.Root]; shared && news[folder] == nil {
			news[folder] = parts{}
		}
		return nil
	})
	missing := func(key string) {
		if _, there := others[key]; !there {
			others[key] = nil
		}
	}
	missing(keyPaused)
	for tree := range c.roots {
		missing(keyTrees + tree)
	}
	return errors.Join(err, l.list("projects").bucket.ForEach(func(key, _ []byte) error {
		missing(keyProjects + string(key))
		return nil
	}))
}

// ReadAgain reads the records that could not be read, as another version of spinsync may be able to.
func (c *Copy) ReadAgain() error {
	var unread []Folder
	for folder, r := range c.store.Heads() {
		if r.Unread != nil {
			unread = append(unread, folder)
		}
	}
	for _, folder := range unread {
		err := c.store.write(func(l ledger) (edit, error) {
			has, err := c.names.had(l, thing{folder: folder})
			if err != nil {
				return edit{}, err
			}
			changes, err := c.takeFolder(l, folder, has, true)
			return edit{store: changes}, err
		})
		if err != nil {
			return err
		}
	}
	return c.store.Err()
}

// takeFolder is what the parts of a folder that others changed, or all of its parts, change here.
func (c *Copy) takeFolder(l ledger, folder Folder, news parts, all bool) ([]mutation, error) {
	before, record, err := l.load(folder)
	if err != nil {
		return nil, c.store.damaged(err)
	}
	if _, watched := c.names.trees[folder.Root]; !watched {
		return difference(folder.key(), before, values{})
	}
	had, err := c.names.partOf(folder, record)
	if err != nil {
		return nil, err
	}
	has := parts{}
	if !all {
		maps.Copy(has, had)
	}
	for key, value := range news {
		if has[key] = value; value == nil {
			delete(has, key)
		}
	}
	if len(had.to(has)) == 0 && record.Unread == nil {
		return nil, nil
	}
	shared, known, err := recordOf(has)
	if err == nil && !known {
		return difference(folder.key(), before, values{})
	}
	var after values
	if err == nil {
		after, err = encode(record.take(shared))
	}
	if err != nil { // the folder alone is set aside
		record.Unread = has.byLists()
		after, err = encode(record)
	}
	if err != nil {
		return nil, fmt.Errorf("%q: %w", folder, err)
	}
	return difference(folder.key(), before, after)
}

// byLists are the parts of a folder by their lists.
func (p parts) byLists() map[string][]byte {
	all := map[string][]byte{}
	for key, value := range p {
		list, _, _ := strings.Cut(key, "/")
		all[list+"/"] = value
	}
	return all
}

// takeNote is what a value that belongs to no folder changes here. A project that cannot be read counts as
// not known, and is looked for on the service; a pause counts.
func (c *Copy) takeNote(l ledger, key string, value []byte) ([]mutation, error) {
	if title, is := strings.CutPrefix(key, keyProjects); is {
		if json.Unmarshal(value, new(ProjectRecord)) != nil {
			value = nil
		}
		return []mutation{{list: "projects", key: []byte(title), value: value}}, nil
	}
	if key == keyPaused {
		switch {
		case value == nil:
			value, _ = json.Marshal(time.Time{})
		case json.Unmarshal(value, new(time.Time)) != nil:
			value, _ = json.Marshal(time.Now().UTC().Truncate(time.Second))
		}
		return []mutation{{list: "notes", key: []byte(AllPaused.name), value: value}}, nil
	}
	tree, is := strings.CutPrefix(key, keyTrees)
	root, watched := c.roots[tree]
	if !is || !watched {
		return nil, nil
	}
	var r RootRecord
	if err := get(l.list("roots"), root, &r); err != nil {
		return nil, c.store.damaged(err)
	}
	r.Known = value != nil
	data, err := json.Marshal(r)
	return []mutation{{list: "roots", key: []byte(root), value: data}}, err
}

// HasDecisions reports whether anything was decided in the file that a fleet would have to know.
func (s *Store) HasDecisions(trees map[string]string) (has bool, err error) {
	names := &share{trees: trees}
	for folder, r := range s.Heads() {
		r.Published = nil // of which a head has not all
		part, err := names.partOf(folder, r)
		if err != nil {
			return false, err
		}
		has = has || len(part) > 0
	}
	return has, s.Err()
}

// DropForms has all runs that send ask for a form of the epoch that begins.
func (s *Store) DropForms() error {
	var sending []Folder
	for folder, r := range s.Heads() {
		if r.Run.In(Sending) {
			sending = append(sending, folder)
		}
	}
	for _, folder := range sending {
		err := s.Update(folder, func(r *Record) error {
			if r.Run.In(Sending) {
				r.Run.DropForm()
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return s.Err()
}

// ShareAll has the cluster know all that was decided in a file that was no copy so far, and nothing else, and
// makes it the copy of the cluster with this id. It is for a handle with an epoch, and may be done again.
func (s *Store) ShareAll(ctx context.Context, c cluster.Cluster, id string) error {
	if err := s.share.removeAll(ctx, c); err != nil {
		return err
	}
	var keys []thing
	for folder := range s.Heads() {
		keys = append(keys, thing{folder: folder})
	}
	err := s.view(func(l ledger) error {
		for _, list := range []string{"notes", "projects", "roots"} {
			err := l.list(list).each(func(key, _ []byte) error {
				keys = append(keys, thing{list: list, name: string(key)})
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	for _, k := range keys {
		if err == nil {
			err = s.write(func(l ledger) (edit, error) {
				has, err := s.share.had(l, k)
				return edit{decide: parts{}.to(has)}, err
			})
		}
	}
	if err != nil {
		return err
	}
	return s.write(func(l ledger) (edit, error) {
		at, err := l.position()
		if err != nil {
			return edit{}, s.damaged(err)
		}
		at.Cluster, at.Roots = id, rootsOf(s.share.trees)
		data, err := json.Marshal(at)
		return edit{store: []mutation{{list: "notes", key: []byte(positionNote), value: data}}}, err
	})
}

// removeAll removes what another computer has left in the lists of the cluster.
func (h *share) removeAll(ctx context.Context, c cluster.Cluster) error {
	for _, list := range []string{keyFolders, keyPublished, keyRuns, keyProjects, keyTrees, keyPaused} {
		all, _, err := c.List(ctx, list)
		if err != nil {
			return err
		}
		for some := range slices.Chunk(all, fullWrites) {
			var gone []cluster.Write
			for _, e := range some {
				gone = append(gone, cluster.Write{Key: e.Key})
			}
			if _, err := h.epoch.Commit(ctx, cluster.Transaction{Then: gone}); err != nil {
				return err
			}
		}
	}
	return nil
}

// A thing is a folder, or a value of another list.
type thing struct {
	folder     Folder
	list, name string
}

// had is what the cluster has, or should have, of a thing as it is recorded.
func (h *share) had(l ledger, k thing) (parts, error) {
	switch k.list {
	case "projects":
		return noteIn[ProjectRecord](h, l, k)
	case "roots":
		return noteIn[RootRecord](h, l, k)
	case "notes":
		if k.name != AllPaused.name {
			return nil, nil
		}
		return noteIn[time.Time](h, l, k)
	}
	_, record, err := l.load(k.folder)
	if err != nil {
		return nil, err
	}
	return h.partOf(k.folder, record)
}

func noteIn[T any](h *share, l ledger, k thing) (parts, error) {
	var v T
	if err := get(l.list(k.list), k.name, &v); err != nil {
		return nil, err
	}
	return h.noteOf(k.list, k.name, v)
}
