package diagnose

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A bundle without any log entry has the reason, and how to add the log that went elsewhere.
func TestJournalWithoutEntries(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	script := "#!/bin/sh\ncase \"$*\" in *--quiet*) ;; *) echo '-- No entries --' ;; esac\n"
	if err := os.WriteFile(filepath.Join(dir, "journalctl"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	if err := writeLog(t.Context(), &log, ""); err == nil || !strings.Contains(err.Error(), "--log") || log.Len() > 0 {
		t.Errorf("%q, %v", &log, err)
	}
}
