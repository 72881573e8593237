package main

import (
	"bytes"
	"testing"
	"time"

	"spinsync/daemon"
)

// Who looks on is told once how long nothing happens because folders have to be quiet.
func TestQuietWaitIsTold(t *testing.T) {
	now := time.Date(2027, 1, 2, 12, 0, 0, 0, time.UTC)
	collecting := func(left time.Duration) daemon.ProductStatus {
		return daemon.ProductStatus{State: daemon.Collecting, QuietAt: now.Add(left)}
	}
	live, sent := daemon.ProductStatus{State: daemon.Published}, daemon.ProductStatus{State: daemon.Uploading}
	arriving := daemon.ProductStatus{State: daemon.Collecting}
	for name, test := range map[string]struct {
		products []daemon.ProductStatus
		want     string
	}{
		"one":                  {[]daemon.ProductStatus{collecting(28 * time.Second)}, "waiting 28s until 1 folder is quiet\n"},
		"the last of several":  {[]daemon.ProductStatus{collecting(9 * time.Second), live, collecting(90 * time.Second), arriving}, "waiting 1m until 2 folders are quiet\n"},
		"longer than foreseen": {[]daemon.ProductStatus{collecting(2 * time.Second)}, "waiting until 1 folder is complete\n"},
		"beside an upload":     {[]daemon.ProductStatus{collecting(28 * time.Second), sent}, ""},
		"unknown for how long": {[]daemon.ProductStatus{arriving, live, arriving}, "waiting until 2 folders are complete\n"},
		"all live":             {[]daemon.ProductStatus{live}, ""},
	} {
		var said bytes.Buffer
		s := screen{hints: &said}
		s.tellWait(now, test.products)
		s.tellWait(now.Add(time.Second), test.products)
		s.tellWait(now.Add(3*time.Second), test.products)
		s.tellWait(now.Add(6*time.Second), test.products)
		if said.String() != test.want {
			t.Errorf("%s: said %q, want %q", name, said.String(), test.want)
		}
	}
}
