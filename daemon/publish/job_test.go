package publish

import (
	"log/slog"
	"strings"
	"testing"

	"spinsync/apiclient"
	"spinsync/syncstate"
)

// TestAnswerInPlaceOfTheServices: what came shows in the log of those who look closely, and in no
// other.
func TestAnswerInPlaceOfTheServices(t *testing.T) {
	page := &apiclient.Error{Op: "create product", Status: 502, Sample: "<html>Welcome to the hotel</html>"}
	for level, shown := range map[slog.Level]bool{slog.LevelDebug: true, slog.LevelInfo: false} {
		var log strings.Builder
		p := &Publisher{Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: level}))}
		j := NewJob(p, syncstate.Folder{Path: "Summer/SKU-1"}, nil)
		j.logAnswer(page)
		if strings.Contains(log.String(), "Welcome to the hotel") != shown {
			t.Errorf("at %s the log holds %q", level, log.String())
		}
	}
}
