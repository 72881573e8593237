package syncstate

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"spinsync/syncstate/cluster"
)

var (
	// ErrNotActive is the error of a change that this station may not make: another one decides, or
	// none does. Nothing of it is saved.
	ErrNotActive = errors.New("this station is not the active one of its fleet")
	// ErrTooLarge is the error of a change that is larger than the cluster takes.
	ErrTooLarge = errors.New("the record is too large for the fleet's cluster")
)

// What one transaction of the cluster may hold. etcd takes 128 operations and 1.5 MB.
const (
	fullWrites = 60
	fullBytes  = 400 << 10
	mostBytes  = 1000 << 10 // of one change
)

// SharedSchema numbers the form of what stations share. It rises with any change of shared, and of what
// partOf makes, by which an older station would lose something. A station that knows a newer one still
// writes that of its fleet.
const SharedSchema = 1

// A share is what a handle of the store may decide in a fleet. All of its methods may be called on
// nil, at a computer alone.
type share struct {
	trees map[string]string // their names, by the roots on this computer
	epoch *cluster.Epoch    // nil at a standby
	over  chan struct{}     // closed when the epoch has ended, or must
	close func()
}

// Sharing is the store as a station of a fleet uses it: in an epoch it decides for all, and without
// one it changes only what is this computer's own. trees has the names of the trees by their roots.
// With the end of the epoch the handle refuses all changes, and never a read.
func (s *Store) Sharing(trees map[string]string, epoch *cluster.Epoch) *Store {
	handle := *s
	over := make(chan struct{})
	handle.share = &share{trees, epoch, over, sync.OnceFunc(func() { close(over) })}
	return &handle
}

// Over is closed when the epoch of a handle has ended, or must, because a change of it may be done
// in the cluster and is not saved here.
func (s *Store) Over() <-chan struct{} { return s.share.over }

// End ends the changes of a handle.
func (s *Store) End() { s.share.close() }

// admits is why a change may not be made.
func (h *share) admits(e edit) error {
	if h == nil {
		return nil
	}
	select {
	case <-h.over:
		return ErrNotActive
	default:
	}
	size := 0
	for _, w := range e.decide {
		size += len(w.Key) + len(w.Value)
	}
	switch {
	case len(e.decide) > 0 && h.epoch == nil:
		return ErrNotActive
	case size > mostBytes:
		return ErrTooLarge
	}
	return nil
}

// end ends an epoch some of which may be in the cluster and not in the file.
func (h *share) end(err error) {
	if h != nil && err != nil {
		h.close()
	}
}

func (g *group) isFull() bool { return len(g.decided) >= fullWrites || g.bytes >= fullBytes }

// decide commits the decisions of a group to the cluster, and notes in the file up to where it then
// has all of them.
func (g *group) decide(l ledger) error {
	if g.share == nil {
		return nil
	}
	at, err := l.position()
	if err == nil {
		err = g.share.decide(g.decided, &at)
	}
	if err != nil {
		return err
	}
	g.changed = true
	return l.setPosition(at)
}

// decide waits for the cluster for as long as the lease surely lasts. After a failure it is not known
// what the cluster has, and the epoch is over for this station.
func (h *share) decide(writes []cluster.Write, at *position) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), h.epoch.Left())
	defer cancel()
	if at.Revision, err = h.epoch.Commit(ctx, cluster.Transaction{Then: newest(writes)}); err != nil {
		h.close()
		return fmt.Errorf("%w: %w", ErrNotActive, err)
	}
	at.Counter, _ = h.epoch.Counter()
	return nil
}

// newest leaves out the writes that a later one of the same key replaces.
func newest(writes []cluster.Write) (all []cluster.Write) {
	last := map[string]int{}
	for i, w := range writes {
		last[w.Key] = i
	}
	for i, w := range writes {
		if last[w.Key] == i {
			all = append(all, w)
		}
	}
	return all
}

// A position is how far a file is a copy of a cluster.
type position struct {
	Cluster  string          `json:"cluster"` // its id
	Revision int64           `json:"revision"`
	Counter  cluster.Counter `json:"counter"`
	// Roots are those of the trees whose records it has, by the names of the trees, as bytes.
	Roots map[string][]byte `json:"roots,omitempty"`
}

// rootsOf are the roots of trees, as a position has them.
func rootsOf(trees map[string]string) map[string][]byte {
	roots := map[string][]byte{}
	for root, tree := range trees {
		roots[tree] = []byte(root)
	}
	return roots
}

const positionNote = "cluster"

func (l ledger) position() (at position, err error) {
	err = get(l.list("notes"), positionNote, &at)
	return at, err
}

func (l ledger) setPosition(at position) error {
	data, err := json.Marshal(at)
	if err != nil {
		return err
	}
	return l.list("notes").put([]byte(positionNote), data)
}

// parts are the values that the cluster has of a thing, by their keys.
type parts map[string][]byte

// to are the writes that bring the cluster from these parts to others.
func (p parts) to(others parts) (writes []cluster.Write) {
	for _, key := range slices.Sorted(maps.Keys(others)) {
		if had, known := p[key]; !known || !bytes.Equal(had, others[key]) {
			writes = append(writes, cluster.Write{Key: key, Value: others[key]})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(p)) {
		if _, stays := others[key]; !stays {
			writes = append(writes, cluster.Write{Key: key})
		}
	}
	return writes
}

// The lists of the cluster. A folder is named by its tree and its path in each of the first three.
const (
	keyFolders   = "folders/"
	keyPublished = "published/"
	keyRuns      = "runs/"
	keyProjects  = "projects/"
	keyTrees     = "trees/"
	keyPaused    = "paused"
)

// partOf is what the cluster has of a folder with this record; nothing of one about which nothing was
// decided, or of a folder below no tree of the fleet.
func (h *share) partOf(folder Folder, r Record) (parts, error) {
	if h == nil {
		return nil, nil
	}
	tree, shared := h.trees[folder.Root]
	if !shared {
		return nil, nil
	}
	name := tree + "/" + folder.Path
	if r.Unread != nil {
		all := parts{}
		for list, value := range r.Unread {
			all[list+name] = value
		}
		return all, nil
	}
	v, err := encode(r.shared())
	if err == nil {
		v, err = v.again()
	}
	if err != nil {
		return nil, fmt.Errorf("record %q: %w", folder, err)
	}
	if string(v.head) == "{}" {
		return nil, nil
	}
	all := parts{keyFolders + name: v.head}
	if v.published != nil {
		if all[keyPublished+name], err = compress(v.published); err != nil {
			return nil, err
		}
	}
	if len(v.run) > 0 {
		if all[keyRuns+name], err = compress(joined(v.run)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// decisions are what a change of a record decides.
func (h *share) decisions(before parts, folder Folder, now Record) ([]cluster.Write, error) {
	after, err := h.partOf(folder, now)
	return before.to(after), err
}

// noteOf is what the cluster has of a value that belongs to no folder.
func (h *share) noteOf(list, name string, value any) (parts, error) {
	if h == nil {
		return nil, nil
	}
	key := ""
	switch v := value.(type) {
	case ProjectRecord:
		if v = v.shared(); v != (ProjectRecord{}) {
			key, value = keyProjects+name, v
		}
	case RootRecord:
		if tree, shared := h.trees[name]; shared && v.Known {
			key, value = keyTrees+tree, RootRecord{Known: true}
		}
	case time.Time:
		if list == "notes" && name == AllPaused.name && !v.IsZero() {
			key = keyPaused
		}
	}
	if key == "" {
		return nil, nil
	}
	data, err := json.Marshal(value)
	return parts{key: data}, err
}

// recordOf reads what partOf made. It is not known when nothing was decided about the folder.
func recordOf(p parts) (r Record, known bool, err error) {
	var v values
	for key, value := range p {
		switch {
		case strings.HasPrefix(key, keyFolders):
			v.head = value
		case strings.HasPrefix(key, keyPublished):
			v.published, err = decompress(value)
		case strings.HasPrefix(key, keyRuns):
			if value, err = decompress(value); err == nil {
				v.run, err = parted(value)
			}
		}
		if err != nil {
			return Record{}, false, fmt.Errorf("the cluster's key %s cannot be read: %w", key, err)
		}
	}
	if v.head == nil {
		return Record{}, false, nil
	}
	h, err := decodeHead(v.head)
	if err == nil {
		err = errors.Join(h.fillRun(v), h.fillPublished(v))
	}
	return h.Record, true, err
}

// joined puts values behind each other, each behind its length.
func joined(all [][]byte) (data []byte) {
	for _, value := range all {
		data = append(binary.AppendUvarint(data, uint64(len(value))), value...)
	}
	return data
}

// parted reads what joined made.
func parted(data []byte) (all [][]byte, err error) {
	for len(data) > 0 {
		size, n := binary.Uvarint(data)
		if n <= 0 || size > uint64(len(data)-n) {
			return nil, errCutOff
		}
		all = append(all, data[n:n+int(size)])
		data = data[n+int(size):]
	}
	return all, nil
}
