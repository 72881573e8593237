package publish

import (
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan/plantest"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// held is a board on which the folder of a gone record is held.
type held struct {
	Neighbours
	Keeper
	unchecked bool
	busy      bool
	followed  *[]syncstate.Folder // whose wishes the board was to follow; nil: nobody asks
}

func (held) Candidates([]watcher.File) []syncstate.Folder { return nil }
func (held) Renamed(_, _ syncstate.Folder)                {}
func (b held) Hold(syncstate.Folder) (bool, func(), bool) { return b.unchecked, func() {}, !b.busy }

func (b held) FollowWishes(key syncstate.Folder) {
	if b.followed != nil {
		*b.followed = append(*b.followed, key)
	}
}

// TestRecordMovesAsItWasSeen: a record comes to the new name, and a run that was not compared yet
// stays so. A record that changed since it was looked at stays, as does the record of a folder that
// a worker has.
func TestRecordMovesAsItWasSeen(t *testing.T) {
	from, to := syncstate.Folder{Root: "/shoots", Path: "old"}, syncstate.Folder{Root: "/shoots", Path: "new"}
	shoe := syncstate.Record{Product: syncstate.Product{UUID: "shoe"}}
	for name, test := range map[string]struct {
		board   held
		is      syncstate.Record
		retired bool // the worker hung while another daemon took over
		stays   bool
	}{
		"unchecked":        {held{unchecked: true}, shoe, false, false},
		"checked":          {held{}, shoe, false, false},
		"it is worked on":  {held{busy: true}, shoe, false, true},
		"another product":  {held{}, syncstate.Record{Product: syncstate.Product{UUID: "hat"}}, false, true},
		"it is being made": {held{}, syncstate.Record{Product: shoe.Product, Run: plantest.Making("shoe")}, false, true},
		"a retired worker": {held{}, shoe, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			was := aLedger(t, from, test.is)
			l := &ledger{key: to, records: was.records, keeper: test.board, abandoned: new(atomic.Int32)}
			if test.retired {
				l.abandoned.Add(1)
			}
			h := heir{record: l, keeper: test.board, log: slog.New(slog.DiscardHandler)}
			moved, err := h.moveRecord(from, shoe)
			record, readErr := l.read()
			if readErr != nil {
				t.Fatal(readErr)
			}
			if moved == test.stays || errors.Is(err, outcome.ErrChanged) != test.stays || (record.Product.UUID == "") != test.stays {
				t.Errorf("moved %t, the record is %+v, %v", moved, record, err)
			}
			if l.unchecked != test.board.unchecked {
				t.Errorf("the run is unchecked: %t", l.unchecked)
			}
		})
	}
}
