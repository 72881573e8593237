package syncstate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spinsync/syncstate/cluster"
)

// The records of an account are doubted after another account was at work, and at no other opening.
// An upload under way is given up, also one whose finish was sent.
func TestAnotherAccountLeavesDoubt(t *testing.T) {
	path, boot := checkedPath(t), Folder{Root: "/srv/shoots", Path: "Summer/SKU-2"}
	phase := Sending
	session := func(account Account) (published, begun Record, root RootRecord) {
		t.Helper()
		s, err := Open(path, account)
		must(t, err)
		published, err = s.Record(shoe())
		must(t, err)
		begun, err = s.Record(boot)
		must(t, err)
		root, err = s.Root(shoe().Root)
		must(t, err)
		must(t, s.Update(shoe(), func(r *Record) error { r.Product.UUID, r.Doubted = "shoe", false; return nil }))
		must(t, s.Update(boot, func(r *Record) error { *r = running(1); r.Product.UUID, r.Run.Phase = "boot", phase; return nil }))
		must(t, s.UpdateRoot(shoe().Root, func(r *RootRecord) error { r.Known, r.Added = true, true; return nil }))
		must(t, s.Close())
		return published, begun, root
	}
	other := studio()
	other.Username = "another"
	session(studio())
	if published, begun, root := session(studio()); published.Doubted || !root.Known || !root.Added || begun.Run.Form == nil {
		t.Error("the same account leaves doubt")
	}
	for _, phase = range []Phase{Sending, Finishing, Processing} {
		session(studio())
		session(other)
		published, begun, root := session(studio())
		if !published.Doubted || !begun.Doubted || !begun.Run.In(FormWanted) || begun.Run.Form != nil || root.Known || root.Added {
			t.Errorf("published: doubted %t; %s: doubted %t, run %v; root %+v", published.Doubted, phase, begun.Doubted, begun.Run, root)
		}
	}
	if published, _, _ := session(studio()); published.Doubted {
		t.Error("the next opening leaves doubt again")
	}
}

// What a fleet has recorded stays as it is, whatever account a station named by mistake.
func TestAnotherAccountLeavesACopyAsItIs(t *testing.T) {
	path := checkedPath(t)
	openAs := func(account Account, do func(*Store)) {
		t.Helper()
		store, err := Open(path, account)
		must(t, err)
		do(store)
		must(t, store.Close())
	}
	want := Record{Product: Product{UUID: "p"}, Run: &Run{Phase: FormWanted}}
	openAs(studio(), func(s *Store) {
		must(t, s.Update(shoe(), func(r *Record) error { *r = want; return nil }))
		must(t, s.write(func(ledger) (edit, error) {
			return s.Copy("id", trees(), func([]Folder) {}).withPosition(edit{}, 1, cluster.Counter{})
		}))
	})
	openAs(otherAccount, func(*Store) {})
	openAs(studio(), func(s *Store) {
		got, err := s.Record(shoe())
		must(t, err)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	})
}
