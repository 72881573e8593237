package show

import (
	"bytes"
	"context"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/cmd/spinsync/cli"
	"spinsync/daemon/status"
)

// A person at the terminal sees once how long the pass waits for folders to be quiet.
func TestQuietWaitIsShown(t *testing.T) {
	now := time.Date(2027, 1, 2, 12, 0, 0, 0, time.UTC)
	collecting := func(left time.Duration) status.ProductStatus {
		return status.ProductStatus{State: status.Collecting, Folder: "Summer/SKU-1", Reason: "its photos change", QuietAt: now.Add(left)}
	}
	live, sent := status.ProductStatus{State: status.Published}, status.ProductStatus{State: status.Uploading}
	arriving := status.ProductStatus{State: status.Collecting, Folder: "Summer/SKU-1", Reason: "2.jpg is cut off"}
	for name, test := range map[string]struct {
		products []status.ProductStatus
		want     string
	}{
		"one":                  {[]status.ProductStatus{collecting(28 * time.Second)}, "waiting 28s until 1 folder is quiet\n"},
		"the last of several":  {[]status.ProductStatus{collecting(9 * time.Second), live, collecting(90 * time.Second), arriving}, "waiting 1m until 2 folders are quiet\n"},
		"longer than foreseen": {[]status.ProductStatus{collecting(2 * time.Second)}, "waiting until 1 folder is complete; Summer/SKU-1: its photos change\n"},
		"beside an upload":     {[]status.ProductStatus{collecting(28 * time.Second), sent}, ""},
		"unknown for how long": {[]status.ProductStatus{arriving, live, arriving}, "waiting until 2 folders are complete; Summer/SKU-1: 2.jpg is cut off\n"},
		"all live":             {[]status.ProductStatus{live}, ""},
	} {
		var said bytes.Buffer
		s := Progress{Lines: &said}
		s.printWait(now, test.products)
		s.printWait(now.Add(time.Second), test.products)
		s.printWait(now.Add(3*time.Second), test.products)
		s.printWait(now.Add(6*time.Second), test.products)
		if said.String() != test.want {
			t.Errorf("%s: said %q, want %q", name, said.String(), test.want)
		}
	}
}

// A pipe hears of a wait too, in which nothing changes.
func TestWaitIsShownInAPipe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said bytes.Buffer
		s := NewProgress(&cli.Call{Env: func(string) string { return "" }}, &said)
		defer s.End()
		asked := false
		current := func(context.Context) (now status.Status, err error) {
			if asked {
				return now, errNoNews
			}
			asked = true
			now.Products = []status.ProductStatus{{State: status.Collecting, Folder: "SKU-1", Reason: "2.jpg is cut off"}}
			return now, nil
		}
		err := s.Follow(t.Context(), current, func(context.Context) error {
			time.Sleep(time.Minute)
			return nil
		})
		if want := "waiting until 1 folder is complete; SKU-1: 2.jpg is cut off\n"; err != nil || said.String() != want {
			t.Errorf("said %q, %v; want %q", said.String(), err, want)
		}
	})
}
