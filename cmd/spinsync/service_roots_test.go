package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/daemon/status"
	"spinsync/watcher"
)

// A service that has just started needs seconds to read its roots, and is asked until it has.
func TestInstallWaitsForTheFirstReadOfTheRoots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		now, err := askUntilRead(t.Context(), began, func(context.Context) (status.Status, error) {
			s := status.Status{Started: began, Roots: []watcher.RootStatus{{Path: "/a", Online: true}, {Path: "/b", Unread: true}}}
			switch up := time.Since(began); {
			case up < time.Second:
				return status.Status{Started: began.Add(-time.Hour)}, nil // the one before, which has read its roots
			case up < 2*time.Second:
				return status.Status{}, errors.New("not up yet")
			case up > 7*time.Second:
				s.Roots[1] = watcher.RootStatus{Path: "/b", Reason: "is missing"}
			}
			return s, nil
		})
		if err != nil || len(now.Roots) != 2 || !now.Roots[1].Offline() {
			t.Errorf("%+v, %v", now, err)
		}
	})
}

// After ten seconds a root that was never read is named as such, and a service that never answered
// is an error.
func TestInstallWaitsNoLongerThanTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		now, err := askUntilRead(t.Context(), began, func(context.Context) (status.Status, error) {
			return status.Status{Started: began, Roots: []watcher.RootStatus{{Path: "/nas", Unread: true}}}, nil
		})
		rows, wrong := rootTroubles(now)
		if err != nil || wrong != 0 || len(rows) != 1 || rows[0][0] != "reading" || !strings.HasPrefix(rows[0][1], "/nas: not read yet") {
			t.Errorf("%q, %d, %v", rows, wrong, err)
		}
		if _, err := askUntilRead(t.Context(), began, func(context.Context) (status.Status, error) {
			return status.Status{}, errors.New("nobody is there")
		}); err == nil || !strings.Contains(err.Error(), "does not answer yet") {
			t.Errorf("without an answer: %v", err)
		}
		if took := time.Since(began); took != 20*time.Second {
			t.Errorf("the two took %s", took)
		}
	})
}

// A root that is offline or needs a person is printed with the remedy; folders below it are for
// spinsync status.
func TestInstallNamesTheRootsThatNeedAPerson(t *testing.T) {
	rows, wrong := rootTroubles(status.Status{
		Roots: []watcher.RootStatus{{Path: "/good", Online: true}, {Path: "/away", Reason: "is missing: connect the drive"}},
		Products: []status.ProductStatus{
			{Root: "/good", Folder: "Summer/SKU-1", State: status.Attention, Reason: "has two orders"},
			{Root: "/good", Folder: ".", State: status.Attention, Reason: "holds 3 photos"},
		},
	})
	want := [][]string{{"offline", "/away: it is missing: connect the drive"}, {"attention", "/good: holds 3 photos"}}
	if wrong != 2 || !slices.EqualFunc(rows, want, slices.Equal[[]string]) {
		t.Errorf("%d, %q", wrong, rows)
	}
}
