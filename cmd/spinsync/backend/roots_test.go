package backend

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/watcher"
)

// TestLookAtARootThatHangs: a root for which the system does not answer holds up neither the others
// nor the page for long. It is not asked for again before it answers.
func TestLookAtARootThatHangs(t *testing.T) {
	here := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan rootCheck, 1)
		l := rootChecks{waiting: map[string]chan rootCheck{"/srv/hangs": answer}}
		begun := time.Now()
		for range 2 {
			roots := []watcher.RootStatus{{Path: "/srv/hangs", Unread: true}, {Path: here, Unread: true}}
			l.mark(roots)
			if !roots[0].Offline() || !strings.HasPrefix(roots[0].Reason, "does not answer") || roots[1].Offline() {
				t.Errorf("%+v", roots)
			}
		}
		if took := time.Since(begun); took > 4*time.Second {
			t.Errorf("two looks took %s", took)
		}
		answer <- rootCheck{}
		roots := []watcher.RootStatus{{Path: "/srv/hangs", Unread: true}}
		if l.mark(roots); roots[0].Offline() {
			t.Errorf("after an answer %+v", roots)
		}
	})
}
