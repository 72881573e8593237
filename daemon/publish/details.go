package publish

import (
	"context"
	"slices"

	"spinsync/daemon/plan"
	"spinsync/watcher"
)

// TextsForShow reads the folder's alt texts into the scene and returns their problems.
func (j *Job) TextsForShow(ctx context.Context, s *plan.Scene) (problems []string) {
	if err := j.ReadTexts(ctx, *s, j.showOrder(*s)); err != nil {
		return []string{err.Error()}
	}
	s.Texts.Said = j.texts
	for _, p := range j.Problems {
		problems = append(problems, p.String())
	}
	return problems
}

// showOrder is the wanted order as far as it is known, followed by the unchecked frames.
func (j *Job) showOrder(s plan.Scene) []watcher.File {
	g := s.FrameSet()
	return slices.Concat(g.Whole, g.Unread)
}
