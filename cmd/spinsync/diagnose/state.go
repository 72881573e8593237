package diagnose

import (
	"errors"
	"fmt"
	"io"
	"os"

	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon/config"
	"spinsync/syncstate"
)

// stateCounts tell how much a state file holds, without names of projects or products.
type stateCounts struct {
	Bytes     int64          `json:"bytes"`
	Mode      string         `json:"mode"`
	Folders   int            `json:"folders"`
	States    map[string]int `json:"states"`
	Published int            `json:"published"` // folders that were at least once
	Images    int            `json:"images"`    // published
	Runs      int            `json:"runs"`      // under way
	Forms     int            `json:"forms"`     // runs that hold upload credentials
	Intents   int            `json:"intents"`   // creates whose answer is not known
	Troubles  int            `json:"troubles"`
	Paused    int            `json:"paused"`
	AllPaused bool           `json:"all_paused"`
}

func writeStateCounts(w io.Writer, c *config.Config, blot *blotter) (err error) {
	info, err := os.Stat(c.State.Path)
	if err != nil {
		return err
	}
	counts := stateCounts{Bytes: info.Size(), Mode: info.Mode().String(), States: map[string]int{}}
	store, err := syncstate.OpenReadOnly(c.State.Path, cli.Account(c))
	if errors.Is(err, syncstate.ErrLocked) {
		_, err = fmt.Fprintf(w, "%d bytes, %s; in use, so that only status.json tells what is in it\n",
			counts.Bytes, counts.Mode)
		return err
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	for _, record := range store.Heads() {
		counts.count(record)
		if record.Run != nil && record.Run.Form != nil {
			blot.add(record.Run.Form.Policy, record.Run.Form.Signature)
		}
	}
	if counts.AllPaused, err = store.Paused(); err != nil {
		return err
	}
	return errors.Join(store.Err(), terminal.JSON(w, counts))
}

func (s *stateCounts) count(r syncstate.Record) {
	s.Folders++
	s.States[r.State]++
	if r.Published != nil {
		s.Published++
		s.Images += r.Published.Images
	}
	if r.Run != nil {
		s.Runs++
		if r.Run.Form != nil {
			s.Forms++
		}
	}
	if r.Intent != nil {
		s.Intents++
	}
	if r.Trouble != nil {
		s.Troubles++
	}
	if r.Paused {
		s.Paused++
	}
}
