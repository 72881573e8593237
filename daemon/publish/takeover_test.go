package publish

import (
	"errors"
	"log/slog"
	"testing"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan/plantest"
	"spinsync/syncstate"
)

// held is a board on which the folder of a gone record is held.
type held struct {
	Neighbours
	Keeper
	unchecked bool
	busy      bool
	followed  *[]syncstate.Folder // whose wishes the board was to follow; nil: nobody asks
}

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
			store := plantest.Store(t)
			if err := store.Update(from, func(r *syncstate.Record) error { *r = test.is; return nil }); err != nil {
				t.Fatal(err)
			}
			p := &Publisher{Neighbours: test.board, Keeper: test.board, Records: NewRecords(store), Log: slog.New(slog.DiscardHandler)}
			j := NewJob(p, to, nil)
			if test.retired {
				j.record.abandoned.Add(1)
			}
			moved, err := j.heir.moveRecord(from, shoe)
			record, readErr := store.Record(to)
			if readErr != nil {
				t.Fatal(readErr)
			}
			if moved == test.stays || errors.Is(err, outcome.ErrChanged) != test.stays || (record.Product.UUID == "") != test.stays {
				t.Errorf("moved %t, the record is %+v, %v", moved, record, err)
			}
			if j.record.unchecked != test.board.unchecked {
				t.Errorf("the run is unchecked: %t", j.record.unchecked)
			}
		})
	}
}
