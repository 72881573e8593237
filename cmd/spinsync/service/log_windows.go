package service

import (
	"bytes"
	"io"
	"log/slog"

	"golang.org/x/sys/windows/svc"
	"golang.org/x/sys/windows/svc/eventlog"
)

// Windows wants a number for each event.
const (
	eventInfo    = 1
	eventWarning = 2
	eventError   = 3
)

// systemLog returns the event log when the service manager started the process, whose stderr is
// read by no program then.
func systemLog(io.Writer, func(string) string) putLine {
	if hosted, err := svc.IsWindowsService(); err != nil || !hosted {
		return nil
	}
	log, err := eventlog.Open(Name)
	if err != nil {
		return nil
	}
	return func(level slog.Level, line []byte, _ map[string]string) error {
		text := string(bytes.TrimSpace(line))
		switch {
		case level >= slog.LevelError:
			return log.Error(eventError, text)
		case level >= slog.LevelWarn:
			return log.Warning(eventWarning, text)
		}
		return log.Info(eventInfo, text)
	}
}
