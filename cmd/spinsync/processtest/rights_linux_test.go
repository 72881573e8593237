package processtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// An ordinary user who uses the spinsync of another user gets the advice to use sudo, from every
// command that needs that user's files, and before anything is sent.
func TestOrdinaryUserIsAdvisedToUseSudo(t *testing.T) {
	t.Parallel()
	needsRoot(t)
	setpriv := needsTool(t, "setpriv")
	w := publishedStudio(t)
	installed := filepath.Join(w.dir, "spinsync")
	must(t, os.Chmod(filepath.Dir(w.dir), 0o755))
	must(t, exec.Command("install", "-m", "755", *program, installed).Run())
	const advice = "; use sudo if it belongs to the service of the whole system, else correct its owner or mode\n"
	before := w.service.calls.Load()
	for _, trial := range []struct {
		name    string
		mode    os.FileMode // of sync.toml
		running bool
	}{{"sync.toml", 0o600, false}, {"the state file", 0o644, false}, {"the running daemon", 0o644, true}} {
		must(t, os.Chmod(w.config, trial.mode))
		if trial.running {
			w.start("run")
			wait(t, "the daemon", time.Minute, func() bool { return w.daemon() != nil })
		}
		for _, command := range []string{"status", "export", "retry", "plan", "sync", "run"} {
			c := exec.Command(setpriv, "--reuid=65534", "--regid=65534", "--clear-groups", installed, command, "--config", w.config)
			c.Env = w.command().Env
			out, _ := c.CombinedOutput()
			if said := string(out); !strings.Contains(said, "permission denied") || !strings.HasSuffix(said, advice) {
				t.Errorf("%s of another user: %s says %q", trial.name, command, said)
			}
		}
	}
	if n := w.service.calls.Load(); n != before {
		t.Errorf("the service was asked %d times", n-before)
	}
}
