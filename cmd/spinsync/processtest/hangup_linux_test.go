package processtest

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"spinsync/apiclient/sandbox"
)

// A service that gets SIGHUP reads sync.toml again. A good file takes effect at once. A wrong one changes
// nothing, and the log names its line.
func TestHangupReadsSettingsAgain(t *testing.T) {
	t.Parallel()
	w := oneFolder(t)
	p := w.start("run")
	published(t, w.installation, w.service, w.shoots, time.Minute)
	reload := func(what string, until func() bool) {
		t.Helper()
		must(t, p.Process.Signal(syscall.SIGHUP))
		wait(t, what, time.Minute, until)
	}
	roots := func() int {
		s, ok := w.status()
		if !ok {
			t.Error("the daemon does not answer")
		}
		return len(s.Roots)
	}
	w.installation.roots = append(w.installation.roots, root{path: t.TempDir()})
	w.configure()
	reload("another root", func() bool { return roots() == 2 })
	good, err := os.ReadFile(w.config)
	must(t, err)
	must(t, os.WriteFile(w.config, append(slices.Clip(good), "colour = 1\n"...), 0o600))
	reload("a mistake", func() bool {
		return strings.Contains(w.logged(), fmt.Sprintf("sync.toml is wrong; the old settings stay in use: %s: line %d", w.config, strings.Count(string(good), "\n")+1))
	})
	if s, _ := w.status(); len(s.Roots) != 2 || !strings.Contains(s.Settings, "sync.toml is wrong") {
		t.Errorf("after a mistake there are %d roots, and it says %q", len(s.Roots), s.Settings)
	}
	w.shoots[0].shootAll(3)
	published(t, w.installation, w.service, w.shoots, time.Minute)
	p.stop(t)
	w.check()
}

// A terminal that is closed ends the program cleanly.
func TestHangupOfATerminal(t *testing.T) {
	t.Parallel()
	for command, code := range map[string]int{"run": 0, "sync": 130} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			w := oneFolder(t)
			underWay := w.service.holdAnswer(sandbox.CreateProduct, time.Second)
			p, hangUp := w.startOnTerminal(command)
			<-underWay
			hangUp()
			_ = p.Process.Signal(syscall.SIGHUP) // the second one, as a shell sends it
			if got := p.exit(t, time.Minute); got != code {
				t.Errorf("the exit code is %d", got)
			}
			left, err := filepath.Glob(w.state + ".*")
			must(t, err)
			if slices.Contains(left, w.state+".control") || slices.Contains(left, w.state+".holder") {
				t.Errorf("it leaves %q behind", left)
			}
			if doubt := w.openIntents(); doubt != "" {
				t.Errorf("nobody knows whether %s was made", doubt)
			}
		})
	}
}

// What nohup has started goes on when its terminal is closed.
func TestHangupUnderNohup(t *testing.T) {
	t.Parallel()
	w := oneFolder(t)
	w.wrap = []string{"nohup"}
	underWay := w.service.holdAnswer(sandbox.CreateProduct, 100*time.Millisecond)
	p := w.start("sync")
	<-underWay
	must(t, p.Process.Signal(syscall.SIGHUP))
	if got := p.exit(t, time.Minute); got != 0 {
		t.Errorf("the exit code is %d", got)
	}
}

// startOnTerminal starts the program on a terminal of its own, which hangUp closes.
func (i *installation) startOnTerminal(args ...string) (p *process, hangUp func()) {
	i.t.Helper()
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	must(i.t, err)
	i.t.Cleanup(func() { terminal.Close() })
	must(i.t, unix.IoctlSetPointerInt(int(terminal.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPTN)
	must(i.t, err)
	keyboard, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	must(i.t, err)
	defer keyboard.Close()
	p = &process{Cmd: i.command(args...), ended: make(chan struct{})}
	// Under nohup this process ignores SIGHUP, and so would the program. It does not ignore what is caught here.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGHUP)
	defer signal.Stop(caught)
	p.Stdin, p.SysProcAttr = keyboard, &syscall.SysProcAttr{Setsid: true, Setctty: true}
	must(i.t, p.Start())
	go func() {
		_ = p.Wait() // its exit code is asked for where it matters
		close(p.ended)
	}()
	i.t.Cleanup(p.kill)
	return p, func() { terminal.Close() }
}
