package publish

import (
	"sync/atomic"
	"testing"

	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/reading"
	"spinsync/syncstate"
)

// aLedger is the ledger of a folder, with this record in a state file of its own.
func aLedger(t *testing.T, key syncstate.Folder, record syncstate.Record) *ledger {
	t.Helper()
	l := &ledger{
		key: key, root: new(reading.Root), records: NewRecords(plantest.Store(t)), keeper: held{},
		screen: &screen{key: key}, abandoned: new(atomic.Int32),
	}
	l.write(t, record)
	return l
}

// write puts a record in the place of the folder's.
func (l *ledger) write(t *testing.T, record syncstate.Record) {
	t.Helper()
	if err := l.records.Update(l.key, func(r *syncstate.Record) error { *r = record; return nil }); err != nil {
		t.Fatal(err)
	}
}
