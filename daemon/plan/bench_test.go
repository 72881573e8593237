package plan_test

import (
	"fmt"
	"testing"

	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
)

// BenchmarkNext plans and shows a folder as a job does.
func BenchmarkNext(b *testing.B) {
	for _, frames := range []int{36, 360} {
		at := plantest.AScene(frames)
		for name, s := range map[string]plan.Scene{
			"idle": plantest.With(plantest.Published(at), idle), "published": plantest.Published(at), "sending": plantest.Running(at, frames/2, frames), "unread": plantest.With(plantest.AScene(frames), unread),
		} {
			b.Run(fmt.Sprintf("%s/%d", name, frames), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					s := s
					s.Set = plan.Judge(s.Facts, s.Record, s.Now)
					next := plan.Next(s)
					s.IsWholeSet()
					s.Arrival()
					s.Resting()
					s.Shown(next)
				}
			})
		}
	}
}
