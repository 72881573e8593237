package show

import (
	"fmt"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"spinsync/cmd/spinsync/backend"
	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon/status"
)

// draw gives a folder a bar while it is sent or processed, moves it, and removes it at the end.
func (s *Progress) draw(p status.ProductStatus, all []status.ProductStatus) {
	bar := s.shown[p.Key()]
	underWay := p.State == status.Uploading || p.State == status.Processing
	switch {
	case !underWay && bar != nil:
		bar.Abort(true)
		delete(s.shown, p.Key())
	case underWay && bar == nil:
		bar = s.newBar(backend.FolderName(p, all))
		s.shown[p.Key()] = bar
	}
	if underWay {
		bar.SetTotal(p.TotalBytes, false)
		bar.SetCurrent(min(p.SentBytes, p.TotalBytes))
	}
}

func (s *Progress) newBar(name string) *mpb.Bar {
	const nameWidth = 32
	return s.bars.AddBar(0,
		mpb.PrependDecorators(decor.Name(terminal.CutWidth(terminal.Printable(name), nameWidth), decor.WCSyncSpaceR)),
		mpb.AppendDecorators(
			decor.Any(sent, decor.WCSyncSpace),
			decor.Any(pace(time.Now()), decor.WCSyncSpaceR),
		),
	)
}

func sent(s decor.Statistics) string { return status.Size(s.Current) + " / " + status.Size(s.Total) }

// pace is the speed so far and the time left at it. When all is sent it shows that the service
// processes.
func pace(begun time.Time) decor.DecorFunc {
	return func(s decor.Statistics) string {
		switch {
		case s.Total <= 0 || s.Current <= 0:
			return ""
		case s.Current >= s.Total:
			return " processing"
		}
		speed := float64(s.Current) / time.Since(begun).Seconds()
		left := time.Duration(float64(s.Total-s.Current) / speed * float64(time.Second))
		return fmt.Sprintf(" %s/s, %s left", status.Size(int64(speed)), status.Coarse(left))
	}
}
