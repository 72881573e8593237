package simulation

import (
	"testing"
	"time"
)

// A root without any folder is not believed, and left alone for a while. A folder that comes back to it
// and goes again meanwhile was away all the time. It was not where another folder stood.
func TestBackUnseenInAnEmptyRoot(t *testing.T) {
	now := time.Now()
	at := func(seconds int) time.Time { return now.Add(time.Duration(seconds) * time.Second) }
	for name, test := range map[string]struct {
		back, again int // in seconds
		beside      bool
		want        int
	}{
		"for a moment":                     {7, 13, false, 1},
		"for a moment, and another stands": {7, 13, true, 13},
		"until the root is read":           {7, 17, false, 17},
	} {
		r := &root{rootPlan: rootPlan{settle: 5 * time.Second}}
		f := &folder{root: r, history: []state{
			{since: at(0), present: true}, {since: at(1)}, {since: at(test.back), present: true}, {since: at(test.back + 1), present: true}, {since: at(test.again)},
		}}
		beside := &folder{root: r, history: []state{{since: at(0), present: test.beside}}}
		w := &world{studio: &studio{roots: []*root{r}, folders: []*folder{f, beside}}}
		if got := w.awaySince(f, 4); !got.Equal(at(test.want)) {
			t.Errorf("back %s: it is away since second %.0f, not %d", name, got.Sub(now).Seconds(), test.want)
		}
	}
}
