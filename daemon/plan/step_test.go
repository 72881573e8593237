package plan_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
)

// rows are scenes with the whole step that each is owed, as inShort has it.
type rows map[string]struct {
	scene plan.Scene
	want  string
}

// check plans every scene.
func (r rows) check(t *testing.T) {
	for name, row := range r {
		if got := inShort(plan.Next(plantest.Judged(row.scene))); got != row.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, row.want)
		}
	}
}

// inShort is all that a step says, with times as they lie from noon.
func inShort(next plan.Step) string {
	parts := []string{fmt.Sprintf("%s: %s", next.Action, next.State)}
	add := func(is bool, format string, args ...any) {
		if is {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	if c := next.Cause; c != nil {
		add(true, "%s", c.Kind)
		add(c.Of > 0 || c.Count > 0 && c.Parts == nil, "%d of %d", c.Count, c.Of)
		add(c.For > 0, "for %s", c.For)
		add(len(c.Parts) > 0, "%d parts", len(c.Parts))
	}
	add(next.Detail != "", "detail %s", next.Detail)
	for _, f := range next.Frames {
		add(true, "%s", strings.TrimSuffix(strings.TrimPrefix(f.Name, "frame_"), ".jpg"))
	}
	for _, f := range next.Need.Frames {
		add(true, "reads %s", strings.TrimSuffix(strings.TrimPrefix(f.Name, "frame_"), ".jpg"))
	}
	add(next.Need.Digest, "digest")
	add(next.Need.Texts, "texts")
	add(next.Count > 0, "%d images", next.Count)
	add(!next.Until.IsZero(), "until %s", fromNoon(next.Until))
	add(!next.QuietAt.IsZero(), "quiet at %s", fromNoon(next.QuietAt))
	add(!next.Due().IsZero(), "due %s", fromNoon(next.Due()))
	add(next.ForHost, "for host")
	return strings.Join(parts, ", ")
}

func fromNoon(t time.Time) time.Duration { return t.Sub(plantest.Noon) }
