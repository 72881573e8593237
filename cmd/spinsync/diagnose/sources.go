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
)

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
