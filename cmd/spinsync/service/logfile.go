package service

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// LogFileVariable names, in the environment that launchd gives the service, the file to which its
// stderr goes. launchd appends to that file for ever, so that the service itself keeps it small.
const LogFileVariable = "SPINSYNC_LOG_FILE"

// StartsAgain reports whether the service manager that started this process starts it again after
// every exit code but 0, as launchd does. The unit of systemd names the codes that only a person mends.
func StartsAgain(env func(string) string) bool { return env(LogFileVariable) != "" }

// logLimit is how long the log of launchd grows, in bytes, before a new file begins.
const logLimit = 10 << 20

// A boundedLog is a file that another program opened for appending.
type boundedLog struct {
	mu    sync.Mutex
	to    io.Writer
	path  string
	limit int64
}

// bounded returns stderr, with the file behind it kept below the limit where launchd made one.
func bounded(stderr io.Writer, env func(string) string) io.Writer {
	if path := env(LogFileVariable); path != "" {
		return &boundedLog{to: stderr, path: path, limit: logLimit}
	}
	return stderr
}

// Write writes a line. The content of a full file goes to the file of the same name with .old
// behind it.
func (l *boundedLog) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.beginAnew(int64(len(line))); err != nil {
		fmt.Fprintf(l.to, "the log cannot be kept small: %v\n", err)
	}
	return l.to.Write(line)
}

// beginAnew copies, because launchd keeps the file itself open.
func (l *boundedLog) beginAnew(room int64) error {
	info, err := os.Stat(l.path)
	if err != nil || info.Size()+room <= l.limit {
		return err
	}
	full, err := os.Open(l.path)
	if err != nil {
		return err
	}
	defer full.Close()
	old, err := os.OpenFile(l.path+".old", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(old, full)
	if err := errors.Join(err, old.Close()); err != nil {
		return err
	}
	return os.Truncate(l.path, 0)
}
