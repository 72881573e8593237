package backend

import (
	"context"
	"errors"

	"spinsync/daemon"
	"spinsync/daemon/config"
	"spinsync/syncstate"
)

// records is the state file alone. One without a file knows of no folder.
type records struct {
	config *config.Config
	store  *syncstate.Store
}

func (r records) Status(context.Context) (daemon.Status, error) {
	s, err := daemon.RecordedStatus(r.config, r.store)
	return s.InWords(), err
}

// Export refuses where the file is lost: an empty list would be taken for the whole.
func (r records) Export(_ context.Context, yield func(daemon.ExportedProduct) error) error {
	if r.store == nil {
		if lost := daemon.LostStateFile(r.config.State.Path); lost != "" {
			return errors.New(lost)
		}
		return nil
	}
	return daemon.ExportStore(r.config, r.store, yield)
}

func (r records) Retry(_ context.Context, folder syncstate.Folder, asIs bool) error {
	return daemon.RetryRecorded(r.store, folder, asIs)
}

func (r records) Pause(_ context.Context, folder syncstate.Folder) error {
	return daemon.PauseRecorded(r.store, folder)
}

func (r records) Resume(_ context.Context, folder syncstate.Folder) error {
	return daemon.ResumeRecorded(r.store, folder)
}

func (r records) Rush(_ context.Context, folder syncstate.Folder, first bool) error {
	return daemon.RushRecorded(r.store, folder, first)
}
