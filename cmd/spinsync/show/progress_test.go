package show

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
)

// A person at the terminal sees once how long the pass waits for folders to be quiet.
func TestQuietWaitIsShown(t *testing.T) {
	now := time.Date(2027, 1, 2, 12, 0, 0, 0, time.UTC)
	collecting := func(left time.Duration) status.ProductStatus {
		return status.ProductStatus{State: status.Collecting, QuietAt: now.Add(left)}
	}
	live, sent := status.ProductStatus{State: status.Published}, status.ProductStatus{State: status.Uploading}
	arriving := status.ProductStatus{State: status.Collecting}
	for name, test := range map[string]struct {
		products []status.ProductStatus
		want     string
	}{
		"one":                  {[]status.ProductStatus{collecting(28 * time.Second)}, "waiting 28s until 1 folder is quiet\n"},
		"the last of several":  {[]status.ProductStatus{collecting(9 * time.Second), live, collecting(90 * time.Second), arriving}, "waiting 1m until 2 folders are quiet\n"},
		"longer than foreseen": {[]status.ProductStatus{collecting(2 * time.Second)}, "waiting until 1 folder is complete\n"},
		"beside an upload":     {[]status.ProductStatus{collecting(28 * time.Second), sent}, ""},
		"unknown for how long": {[]status.ProductStatus{arriving, live, arriving}, "waiting until 2 folders are complete\n"},
		"all live":             {[]status.ProductStatus{live}, ""},
	} {
		var said bytes.Buffer
		s := Progress{hints: &said}
		s.printWait(now, test.products)
		s.printWait(now.Add(time.Second), test.products)
		s.printWait(now.Add(3*time.Second), test.products)
		s.printWait(now.Add(6*time.Second), test.products)
		if said.String() != test.want {
			t.Errorf("%s: said %q, want %q", name, said.String(), test.want)
		}
	}
}

// A person at the terminal sees a wait also where there are no bars: the status is read even though
// nothing changes.
func TestWaitIsNoNews(t *testing.T) {
	d, end := daemontest.Open(t, daemon.Options{Config: daemontest.Config(t, t.TempDir(), "http://127.0.0.1:1", "")})
	defer end()
	for _, test := range []struct {
		hints io.Writer
		want  error
	}{{nil, errNoNews}, {io.Discard, nil}} {
		status := (&Progress{hints: test.hints}).News(d)
		_, first := status(t.Context())
		if _, again := status(t.Context()); first != nil || !errors.Is(again, test.want) {
			t.Errorf("with hints to %v: %v, then %v, want %v", test.hints, first, again, test.want)
		}
	}
}
