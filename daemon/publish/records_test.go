package publish

import (
	"errors"
	"log/slog"
	"testing"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan/plantest"
	"spinsync/syncstate"
)

// The index follows whatever saves a record, and nothing that is not saved.
func TestIndexFollowsTheRecords(t *testing.T) {
	r := NewRecords(plantest.Store(t))
	a, b := syncstate.Folder{Root: "/shoots", Path: "a"}, syncstate.Folder{Root: "/shoots", Path: "b"}
	product := func(uuid string, failure error) func(*syncstate.Record) error {
		return func(r *syncstate.Record) error { r.Shown.State, r.Product.UUID = "published", uuid; return failure }
	}
	for _, happens := range []struct {
		name   string
		do     func() error
		fails  bool
		owner  string
		of     string
		nobody bool
	}{
		{name: "saved", do: func() error { return r.Update(a, product("shoe", nil)) }, of: "shoe", owner: "a"},
		{name: "refused", do: func() error { return r.Update(a, product("hat", errors.New("no"))) }, fails: true, of: "shoe", owner: "a"},
		{name: "saved patiently", do: func() error { return r.UpdatePatiently(a, product("hat", nil)) }, of: "hat", owner: "a"},
		{name: "given up", do: func() error { return nil }, of: "shoe", nobody: true},
		{name: "moved", do: func() error { return r.Move(a, b, nil) }, of: "hat", owner: "b"},
		{name: "not moved", do: func() error { return r.Move(a, b, nil) }, fails: true, of: "hat", owner: "b"},
		{name: "deleted", do: func() error { return r.Delete(b) }, of: "hat", nobody: true},
	} {
		if err := happens.do(); (err != nil) != happens.fails {
			t.Errorf("%s: %v", happens.name, err)
		}
		owner, owned := r.Index.Another(syncstate.Folder{}, happens.of)
		if owned == happens.nobody || owner.Path != happens.owner {
			t.Errorf("%s: %s is that of %q", happens.name, happens.of, owner.Path)
		}
	}
}

// A product that two folders find at once becomes that of one. The other one is planned again.
func TestProductIsThatOfTheFasterFolder(t *testing.T) {
	p := &Publisher{Records: NewRecords(plantest.Store(t)), Log: slog.New(slog.DiscardHandler)}
	found := syncstate.Product{UUID: "shoe"}
	faster := NewJob(p, syncstate.Folder{Root: "/shoots", Path: "a"}, nil)
	keep(t, faster, syncstate.Record{Shown: syncstate.Shown{State: "queued"}})
	if err := faster.parts.reconciler.views.ownFound(syncstate.Project{}, found); err != nil {
		t.Fatal(err)
	}
	late := NewJob(p, syncstate.Folder{Root: "/shoots", Path: "b"}, nil)
	keep(t, late, syncstate.Record{Shown: syncstate.Shown{State: "queued"}})
	for name, take := range map[string]func() error{
		"found":   func() error { return late.parts.reconciler.views.ownFound(syncstate.Project{}, found) },
		"adopted": func() error { return late.parts.creator.adoptProduct(found, false) },
	} {
		if err := take(); !outcome.Is(err, outcome.Changed) {
			t.Errorf("%s: %v", name, err)
		}
		if r, err := p.Records.Store.Record(late.record.key); err != nil || r.Product.UUID != "" || r.Run != nil {
			t.Errorf("%s: the record is %+v, %v", name, r, err)
		}
	}
}
