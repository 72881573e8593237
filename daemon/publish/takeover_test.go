package publish

import (
	"errors"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"spinsync/daemon/outcome"
	"spinsync/syncstate"
)

// held is a board on which the folder of a gone record is held, with what its job knows.
type held struct {
	Board
	knows Memory
	busy  bool
}

func (b held) Hold(syncstate.Folder) (Memory, func(), bool) { return b.knows, func() {}, !b.busy }
func (held) Renamed(_, _ syncstate.Folder)                  {}
func (held) FollowPriority(syncstate.Folder)                {}

// TestRecordMovesAsItWasSeen: a record comes to the new name with what this process knows of its
// product: the newer of two status requests, and that its run was not compared yet. A record that
// changed since it was looked at stays, and so does one that a worker has.
func TestRecordMovesAsItWasSeen(t *testing.T) {
	early := time.Now()
	late := early.Add(time.Second)
	from, to := syncstate.Folder{Root: "/shoots", Path: "old"}, syncstate.Folder{Root: "/shoots", Path: "new"}
	shoe := syncstate.Record{Product: syncstate.Product{UUID: "shoe"}}
	for name, test := range map[string]struct {
		board held
		own   time.Time
		is    syncstate.Record
		want  Memory
		stays bool
	}{
		"it asked last":    {held{knows: Memory{Asked: late, Unchecked: true}}, early, shoe, Memory{late, true}, false},
		"this one did":     {held{knows: Memory{Asked: early}}, late, shoe, Memory{late, false}, false},
		"it is worked on":  {held{busy: true}, early, shoe, Memory{early, false}, true},
		"another product":  {held{}, early, syncstate.Record{Product: syncstate.Product{UUID: "hat"}}, Memory{early, false}, true},
		"it is being made": {held{}, early, syncstate.Record{Product: shoe.Product, Intent: &syncstate.Intent{}}, Memory{early, false}, true},
	} {
		t.Run(name, func(t *testing.T) {
			store, err := syncstate.Open(filepath.Join(t.TempDir(), "state.db"), syncstate.Account{BaseURL: "https://views.example.com"})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { store.Close() })
			if err := store.Update(from, func(r *syncstate.Record) error { *r = test.is; return nil }); err != nil {
				t.Fatal(err)
			}
			p := &Publisher{Board: test.board, Records: NewRecords(store), Log: slog.New(slog.DiscardHandler)}
			j := NewJob(p, to, nil)
			j.Asked = test.own
			moved, err := j.creator.moveRecord(from, shoe)
			record, readErr := store.Record(to)
			if readErr != nil {
				t.Fatal(readErr)
			}
			if moved == test.stays || errors.Is(err, outcome.ErrChanged) != test.stays || (record.Product.UUID == "") != test.stays {
				t.Errorf("moved %t, the record is %+v, %v", moved, record, err)
			}
			if j.Memory != test.want {
				t.Errorf("the job knows %+v", j.Memory)
			}
		})
	}
}
