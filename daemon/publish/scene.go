package publish

import (
	"time"

	"spinsync/daemon/hosting"
	"spinsync/daemon/plan"
	"spinsync/daemon/reading"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// Scenes gathers what the next step of a folder is decided from.
type scenes struct {
	record  *ledger
	folder  *reading.Folder
	service *hosting.Service
	around  surroundings
	views   *Views        // nil at a computer alone
	longest time.Duration // between two polls
}

// Surroundings are what a folder's step depends on apart from the folder.
type surroundings interface {
	// Around is what the folder's next step depends on apart from the folder. absent is nil for a
	// present folder, to which the other folders do not matter.
	Around(key syncstate.Folder, record syncstate.Record, absent *watcher.Absence) plan.Around
}

// scene is the folder as it is now. It fails where the record cannot be read.
func (sc scenes) scene() (plan.Scene, error) {
	key := sc.record.key
	record, err := sc.record.read()
	if err != nil {
		return plan.Scene{}, err
	}
	sc.record.markDoubted(&record)
	s := plan.Scene{
		Now: time.Now(), Record: record,
		Around: sc.around.Around(key, record, sc.absence()),
		Clock:  sc.service.Clock(), Unchecked: sc.record.unchecked, LongestPoll: sc.longest,
	}
	if other, shares := sc.record.ownerOf(record.Product.UUID); shares {
		s.Around.SharedWith = status.NameFrom(key.Root, other)
	}
	s.Facts, s.Around.Offline = sc.folder.Facts(s.Now, record), sc.folder.Offline()
	s.Set = plan.Judge(s.Facts, record, s.Now)
	if sc.views != nil && s.SeesRecorded() {
		sc.views.Believe(key)
	}
	s.Around.View = sc.views.of(key, s.Now)
	return s, nil
}

// absence is nil for a present folder.
func (sc scenes) absence() *watcher.Absence {
	if sc.folder.Snapshot.Present {
		return nil
	}
	return &sc.folder.Snapshot.Absent
}
