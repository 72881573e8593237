package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"spinsync/daemon"
	"spinsync/daemon/config"
)

// A reader reads the status time and again. Without a daemon it looks at the roots itself.
type reader struct {
	*app
	looks rootLooks
}

// status lets go of the state file before it looks at roots, which may take a while.
func (r *reader) status(ctx context.Context, c *config.Config) (s daemon.Status, err error) {
	err = read(ctx, c, func(b backend) (err error) {
		s, err = b.Status(ctx)
		return err
	})
	if err == nil && s.Started.IsZero() {
		r.looks.mark(s.Roots)
	}
	return s, err
}

// withStatus gives the status to do. Beside a daemon that runs it needs no sync.toml that is right:
// a mistake there is the error afterwards.
func (r *reader) withStatus(ctx context.Context, do func(daemon.Status) error) error {
	c, mistake := r.config()
	if mistake != nil {
		_, failed := despite(ctx, r.app, func(b backend) error {
			s, err := b.Status(ctx)
			if err != nil {
				return err
			}
			s.Settings = "" // the mistake itself is told
			return do(s)
		})
		return errors.Join(failed, mistake)
	}
	s, err := r.status(ctx, c)
	if err != nil {
		return err
	}
	return do(s)
}

// completeFolder lets the shell complete the names of product folders.
func completeFolder(a *app) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
		r := reader{app: a}
		_ = r.withStatus(c.Context(), func(s daemon.Status) error { // no status, no completion
			for _, p := range s.Products {
				if len(args) == 0 {
					names = append(names, folderName(p, s.Products))
				}
			}
			return nil
		})
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
