package daemon

import (
	"slices"
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/reading"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// recollections are what the state file holds from before the start.
type recollections struct {
	listings    map[string]map[string]watcher.Idle // by root and folder; a fingerprint: no second read
	directories map[string][]string                // by root: the recorded ones that are no product folders
	troubled    []syncstate.Folder
}

// recall fills the folders from the state file, as another board of this process left it; nil at the
// start.
func (b *board) recall(before *board) (recollections, error) {
	all := recollections{listings: map[string]map[string]watcher.Idle{}, directories: map[string][]string{}}
	for key, record := range b.publisher.Records.Store.Heads() {
		if record.Trouble != nil {
			all.troubled = append(all.troubled, key)
			b.recallRefusal(record)
		}
		r, watched := b.roots[key.Root]
		b.publisher.Records.Index.File(key, record)
		if !watched {
			if !slices.Contains(b.publisher.Unwatched, key.Root) {
				b.publisher.Unwatched = append(b.publisher.Unwatched, key.Root)
			}
			continue
		}
		all.note(r, key, record)
		if !r.Ignores(key.Path) {
			b.recallFolder(r, key, record, record.Run != nil && !before.hasChecked(key))
		}
	}
	if err := b.publisher.Records.Store.Err(); err != nil {
		return all, err
	}
	return all, b.readPause()
}

// recallRefusal keeps runs from beginning in a project whose images this user could not list before
// the start. The run that waits for them asks again within a minute.
func (b *board) recallRefusal(record syncstate.Record) {
	if record.Trouble.Cause.Is(status.ListRefused) {
		b.publisher.Service.Memory.RefusedLists.Note(record.Project.UUID, time.Now(), record.Trouble.Cause)
	}
}

func (all recollections) note(r *reading.Root, key syncstate.Folder, record syncstate.Record) {
	idle := watcher.Idle{Gone: status.ProductOf(key, record).Gone}
	if r.MayRest(record.Idle.Settings) && record.Run == nil && record.Absence.DeleteSent.IsZero() &&
		!record.Doubted && !record.Wishes.Priority {
		idle.Fingerprint = plan.FingerprintOf(record.Idle.Listing)
	}
	if record.Published != nil {
		idle.At = record.Published.At
		if idle.Newest = record.Idle.Newest; idle.Newest != 0 {
			idle.Frames = record.Published.Images
		}
	}
	if all.listings[key.Root] == nil {
		all.listings[key.Root] = map[string]watcher.Idle{}
	}
	all.listings[key.Root][key.Path] = idle
	if record.Product.UUID == "" && !r.Rules.Places(key.Path) {
		all.directories[key.Root] = append(all.directories[key.Root], key.Path)
	}
}

func (b *board) recallFolder(r *reading.Root, key syncstate.Folder, record syncstate.Record, unchecked bool) {
	f := &folder{
		key: key, root: r, status: b.display.recorded(key, record), recalled: record.Shown.State != "",
		unchecked: unchecked, begun: record.Run != nil && record.Product.UUID != "", paused: record.Wishes.Paused,
	}
	if !r.Rules.Places(key.Path) && f.status.PublishedAt != nil && f.status.State == status.Attention {
		f.status.State, f.status.Cause = status.Published, nil // its problem is shown again
	}
	b.priorities.Set(key, record.Wishes.Priority)
	b.folders.add(f)
}

// keepReasonsTime is how long a stop may take for reasons. A service manager waits 30 s for all of it.
const keepReasonsTime = 5 * time.Second

// keepReasons records why folders are collecting, at the end of all work: a reason that changes with each
// frame is recorded with the first one only. What cannot be saved now is found anew by the next process.
func (b *board) keepReasons() {
	until := time.Now().Add(keepReasonsTime)
	for _, key := range b.folders.keys() {
		shown, _ := b.display.Last(key)
		if shown.State != status.Collecting {
			continue
		}
		head, err := b.publisher.Records.Store.Head(key)
		same := shown.Cause.Same(head.Shown.Cause) && shown.Frames.Settled == head.Counts.Settled
		if err != nil || same || head.Shown.State != string(status.Collecting) {
			continue
		}
		if time.Now().After(until) {
			return
		}
		_ = b.publisher.Records.Update(key, func(r *syncstate.Record) error {
			shown.Keep(r)
			return nil
		})
	}
}
