package show

import (
	"context"
	"errors"
	"log/slog"

	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon"
	"spinsync/daemon/config"
)

// FollowPass follows a pass to its end, and prints a conclusion unless the pass was broken off.
func (s *Progress) FollowPass(
	ctx context.Context, status func(context.Context) (daemon.Status, error), pass func(context.Context) error,
) error {
	err := s.Follow(ctx, status, pass)
	if unpublished := errors.Is(err, daemon.ErrUnpublished); unpublished || err == nil {
		s.conclude(unpublished)
	}
	return err
}

var errNoNews = errors.New("the status is as it was")

// News gives the status of a daemon if it changed since it was given last, which spares a pass over
// thousands of folders at rest most of what showing them costs. Bars move without that, and who
// looks on is told of a wait in which nothing changes.
func (s *Progress) News(d *daemon.Daemon) func(context.Context) (daemon.Status, error) {
	var changed <-chan struct{}
	return func(context.Context) (daemon.Status, error) {
		select {
		case <-changed:
		default:
			if changed != nil && s.hints == nil {
				return daemon.Status{}, errNoNews
			}
		}
		changed = d.Changed()
		return d.Status(), nil
	}
}

// Log writes above the bars where there are some.
func (s *Progress) Log(c config.Log) *slog.Logger {
	if s.bars == nil {
		return terminal.CommandLog(s.app.Stderr, c)
	}
	return terminal.CommandLog(s.bars, c)
}
