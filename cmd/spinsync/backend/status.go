package backend

import (
	"cmp"
	"context"
	"slices"

	"github.com/spf13/cobra"

	"spinsync/cmd/spinsync/cli"
	"spinsync/daemon/config"
	"spinsync/daemon/status"
	"spinsync/watcher"
)

// A Reader reads the status time and again. Without a daemon it checks the roots itself.
type Reader struct {
	Call   *cli.Call
	checks rootChecks
}

// Status closes the state file before it checks roots, which may take a while.
func (r *Reader) Status(ctx context.Context, c *config.Config) (s status.Status, err error) {
	err = Read(ctx, c, func(b Backend) (err error) {
		s, err = b.Status(ctx)
		return err
	})
	if err == nil && s.Started.IsZero() {
		r.checks.mark(s.Roots)
		noteRootsAreBack(s)
	}
	return s, err
}

// noteRootsAreBack replaces the recorded reason of folders whose root was offline and is not any
// more.
func noteRootsAreBack(s status.Status) {
	for i, p := range s.Products {
		away := func(r watcher.RootStatus) bool { return r.Path == p.Root && r.Offline() }
		if p.Cause.Is(status.RootOffline) && !slices.ContainsFunc(s.Roots, away) {
			p.Reason = status.Sentence(status.Because(status.TriedNext), status.AnyFolder)
			s.Products[i] = p.InWords()
		}
	}
}

// WithStatus gives the status to do. While a daemon runs, sync.toml need not be right: a mistake
// in it is returned at the end, as OldSettings.
func (r *Reader) WithStatus(ctx context.Context, do func(status.Status) error) error {
	c, mistake := r.Call.Config()
	if mistake != nil {
		found, failed := withOldSettings(ctx, r.Call, func(b Backend) error {
			s, err := b.Status(ctx)
			if err != nil {
				return err
			}
			s.Settings = "" // the mistake itself is returned
			return do(s)
		})
		if found {
			mistake = OldSettings{mistake}
		}
		return cmp.Or(failed, mistake)
	}
	s, err := r.Status(ctx, c)
	if err != nil {
		return err
	}
	return do(s)
}

// CompleteFolder lets the shell complete the names of product folders.
func CompleteFolder(call *cli.Call) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
		r := Reader{Call: call}
		_ = r.WithStatus(c.Context(), func(s status.Status) error { // no status, no completion
			for _, p := range s.Products {
				if len(args) == 0 {
					names = append(names, FolderName(p, s.Products))
				}
			}
			return nil
		})
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
