//go:build unix

package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spinsync/daemon/daemontest"
)

// A folder that this account may not read is named with the account, what bars the way, and the
// command.
func TestUnreadableFolderNamesTheCommand(t *testing.T) {
	if daemontest.AsOrdinaryUser(t) {
		return
	}
	barred := filepath.Join(t.TempDir(), "barred")
	if err := os.Mkdir(barred, 0); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{barred, filepath.Join(barred, "shoots")} {
		err := Readable(folder, "correct the path")
		want := " cannot read " + barred + "; give it the right with `chmod -R u+rX " + barred + "`, or run spinsync as another user"
		if err == nil || !strings.HasPrefix(err.Error(), folder+": it cannot be read: the account ") || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("of %s: %v", folder, err)
		}
	}
}
