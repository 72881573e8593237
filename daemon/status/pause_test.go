package status

import (
	"testing"
	"time"
)

// TestSinceWhenAFolderIsPaused: since the first of two pauses, but not since before work was owed.
func TestSinceWhenAFolderIsPaused(t *testing.T) {
	noon := time.Date(2027, 1, 2, 12, 0, 0, 0, time.UTC)
	at := func(hours int) time.Time { return noon.Add(time.Duration(hours) * time.Hour) }
	for name, test := range map[string]struct {
		pause Pause
		since time.Time // of what the pause is laid over
		want  time.Time
	}{
		"by itself":               {Pause{Folder: at(1)}, noon, at(1)},
		"with all":                {Pause{All: at(1)}, noon, at(1)},
		"by itself, and with all": {Pause{Folder: at(1), All: at(2)}, noon, at(1)},
		"with all, and by itself": {Pause{Folder: at(2), All: at(1)}, noon, at(1)},
		"with work owed later":    {Pause{All: at(1)}, at(3), at(3)},
	} {
		shown := test.pause.Over(ProductStatus{State: Collecting, Since: test.since, NextTry: &noon})
		if shown.State != Paused || !shown.Since.Equal(test.want) || shown.NextTry != nil {
			t.Errorf("%s: %s since %s, next try %v; want since %s", name, shown.State, shown.Since, shown.NextTry, test.want)
		}
	}
}
