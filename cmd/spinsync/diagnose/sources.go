package diagnose

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon/config"
	"spinsync/syncstate"
)

func writeStateCounts(w io.Writer, c *config.Config, blot *blotter) (err error) {
	info, err := os.Stat(c.State.Path)
	if err != nil {
		return err
	}
	store, err := syncstate.OpenReadOnly(c.State.Path, cli.Account(c))
	if errors.Is(err, syncstate.ErrLocked) {
		_, err = fmt.Fprintf(w, "%d bytes, %s; in use, so that only status.json tells what is in it\n",
			info.Size(), info.Mode())
		return err
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	counts, states := map[string]int{}, map[string]int{}
	for _, r := range store.Heads() {
		count(r, counts)
		states[r.State]++
		if r.Run != nil && r.Run.Form != nil {
			blot.add(r.Run.Form.Policy, r.Run.Form.Signature)
		}
	}
	paused, err := syncstate.AllPaused.Read(store)
	if err != nil {
		return err
	}
	return errors.Join(store.Err(), terminal.JSON(w, map[string]any{
		"bytes": info.Size(), "mode": info.Mode().String(), "all_paused": paused, "states": states, "counts": counts,
	}))
}

// count adds what a record holds, without names of projects or products.
func count(r syncstate.Record, counts map[string]int) {
	if r.Published != nil {
		counts["images"] += r.Published.Images
	}
	for what, holds := range map[string]bool{
		"folders":   true,
		"published": r.Published != nil,
		"runs":      r.Run != nil,
		"forms":     r.Run != nil && r.Run.Form != nil,
		"intents":   r.Intent != nil, // creates whose answer is not known
		"troubles":  r.Trouble != nil,
		"paused":    r.Paused,
	} {
		if holds {
			counts[what]++
		}
	}
}

// lastOfLog is how much of a log is taken.
const lastOfLog = 256 << 10

// writeLog takes a file that was named, else what the system keeps of the service's log.
func writeLog(ctx context.Context, w io.Writer, named string) error {
	home, _ := os.UserHomeDir()
	switch {
	case named != "":
		return writeEnd(w, named)
	case runtime.GOOS == "darwin":
		return errors.Join(writeEnd(w, filepath.Join(home, "Library", "Logs", "spinsync.log")),
			writeEnd(w, "/Library/Logs/spinsync.log"))
	case runtime.GOOS == "windows":
		return errors.New(
			"the log is in the Event Viewer, Windows Logs, Application, source spinsync; save it from there")
	}
	out, err := exec.CommandContext(ctx, "journalctl", "--unit=spinsync", "--user-unit=spinsync", "--lines=1000",
		"--no-pager", "--quiet", "--output=short-iso").Output()
	switch {
	case err != nil:
		return fmt.Errorf("journalctl: %w; name a file with --log", err)
	case len(out) == 0:
		return errors.New("the journal has no entry of a service spinsync; name the file of the log with --log")
	}
	_, err = w.Write(out[max(0, len(out)-lastOfLog):])
	return err
}

// writeEnd copies the end of a file.
func writeEnd(w io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	_, err = io.Copy(w, io.NewSectionReader(f, max(0, info.Size()-lastOfLog), lastOfLog))
	return err
}
