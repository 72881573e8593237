package syncstate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestElsewhere tells of records that another address or user left behind, until this one has
// published too.
func TestElsewhere(t *testing.T) {
	path := checkedPath(t)
	before, err := Open(path, Account{BaseURL: "https://old.example.com", Username: "studio"})
	must(t, err)
	set(t, before, shoe(), finished(2))
	set(t, before, Folder{Root: "/srv/shoots", Path: "Summer/SKU-2"}, running(2))
	must(t, before.Close())

	reader, err := OpenReadOnly(path, studio())
	must(t, err)
	want := []Elsewhere{{Account{BaseURL: "https://old.example.com", Username: "studio"}, 1}}
	wantElsewhere(t, reader, want)
	must(t, reader.Close())

	now := opened(t, path)
	set(t, now, shoe(), running(2))
	wantElsewhere(t, now, want)
	set(t, now, shoe(), finished(2))
	wantElsewhere(t, now, nil)
}

func wantElsewhere(t *testing.T, s *Store, want []Elsewhere) {
	t.Helper()
	got, err := s.Elsewhere()
	must(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("elsewhere (-want +got):\n%s", diff)
	}
}
