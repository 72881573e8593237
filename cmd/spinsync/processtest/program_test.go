package processtest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"spinsync/daemon/control"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// An installation is a spinsync as one person set it up: a configuration, a state file, a log.
type installation struct {
	t      *testing.T
	dir    string
	config string
	state  string
	log    string
	url    string
	roots  []root
	more   string   // lines of [service]
	level  string   // of the log
	page   bool     // it shows the dashboard, on a port of the system's choice
	wrap   []string // what the program is run under, for instance strace
	env    []string

	running *control.Client // nil until the daemon was reached
}

// A root is a [[watch]] table.
type root struct {
	path, more string
}

func install(t *testing.T, url string, roots ...root) *installation {
	dir := t.TempDir()
	i := &installation{
		t: t, dir: dir, config: filepath.Join(dir, "sync.toml"), state: filepath.Join(dir, "state", "state.db"),
		log: filepath.Join(dir, "log"), url: url, roots: roots, level: "debug",
	}
	i.configure()
	return i
}

// keepStateIn moves the place of the state file.
func (i *installation) keepStateIn(dir string) {
	i.state = filepath.Join(dir, "state.db")
	i.configure()
}

func (i *installation) configure() {
	listen := ""
	if i.page {
		listen = "127.0.0.1:0"
	}
	text := fmt.Sprintf(`
[service]
base_url = %q
username = "studio"
%s
[state]
path = %q
[poll]
first = "100ms"
max = "1s"
[dashboard]
listen = %q
[log]
level = %q
`, i.url, i.more, i.state, listen, i.level)
	for _, r := range i.roots {
		text += fmt.Sprintf(`
[[watch]]
path = %q
layout = "{project}/{sku}"
settle = "150ms"
%s
`, r.path, r.more)
	}
	must(i.t, os.WriteFile(i.config, []byte(text), 0o600))
}

func (i *installation) account() syncstate.Account {
	return syncstate.Account{BaseURL: i.url, Username: "studio"}
}

// command makes a spinsync that has not started yet. Its standard error goes into the log.
func (i *installation) command(args ...string) *exec.Cmd {
	line := append(slices.Clone(i.wrap), *program)
	line = append(append(line, args...), "--config", i.config)
	c := exec.Command(line[0], line[1:]...)
	c.Env = append(append(os.Environ(), "HOME="+i.dir, "TMPDIR="+i.dir, "SPINSYNC_PASSWORD="+canary), i.env...)
	log, err := os.OpenFile(i.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	must(i.t, err)
	i.t.Cleanup(func() { log.Close() })
	c.Stderr = log
	return c
}

// A process is a spinsync that runs.
type process struct {
	*exec.Cmd
	ended chan struct{}
}

func (i *installation) start(args ...string) *process {
	i.t.Helper()
	p := &process{Cmd: i.command(args...), ended: make(chan struct{})}
	must(i.t, p.Start())
	go func() {
		_ = p.Wait() // its exit code is asked for where it matters
		close(p.ended)
	}()
	i.t.Cleanup(p.kill)
	return p
}

// kill is kill -9.
func (p *process) kill() {
	_ = p.Process.Kill() // it may have ended
	<-p.ended
}

// exit waits for the process to end by itself and returns its exit code, -1 after a signal.
func (p *process) exit(t *testing.T, patience time.Duration) int {
	t.Helper()
	select {
	case <-p.ended:
		return p.ProcessState.ExitCode()
	case <-time.After(patience):
		t.Fatalf("%s still runs after %s", p, patience)
		return 0
	}
}

// run runs a command to its end and returns what it printed and its exit code.
func (i *installation) run(args ...string) (stdout, stderr string, code int) {
	i.t.Helper()
	return i.runFor(2*time.Minute, args...)
}

// runFor kills the command when its time is over; the exit code is -1 then.
func (i *installation) runFor(life time.Duration, args ...string) (stdout, stderr string, code int) {
	i.t.Helper()
	ctx, cancel := context.WithTimeout(i.t.Context(), life)
	defer cancel()
	c := exec.CommandContext(ctx, *program, append(args, "--config", i.config)...)
	c.Env = i.command().Env
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	_ = c.Run() // the exit code is enough
	return out.String(), errs.String(), c.ProcessState.ExitCode()
}

// status asks the running daemon. It fails while none runs.
func (i *installation) status() (s status.Status, ok bool) {
	c := i.daemon()
	if c == nil {
		return s, false
	}
	ctx, cancel := context.WithTimeout(i.t.Context(), 10*time.Second)
	defer cancel()
	s, err := c.Status(ctx)
	if err != nil {
		i.running = nil // the next one listens elsewhere
	}
	return s, err == nil
}

// daemon reaches the running daemon as the program's other commands do. It is nil while none runs.
func (i *installation) daemon() *control.Client {
	if i.running == nil {
		if c, err := control.Dial(i.t.Context(), i.state); err == nil {
			i.running = c
		}
	}
	return i.running
}

// logged returns the program's log so far.
func (i *installation) logged() string {
	data, err := os.ReadFile(i.log)
	must(i.t, err)
	return string(data)
}

// keepsSecrets searches all that the program wrote for secrets. The state file holds signed forms.
func (i *installation) keepsSecrets(secrets ...string) {
	i.t.Helper()
	must(i.t, filepath.WalkDir(i.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		for _, secret := range append(secrets, canary) {
			if at := bytes.Index(data, []byte(secret)); at >= 0 && (secret == canary || !strings.HasPrefix(path, i.state)) {
				i.t.Errorf("%s holds the secret %s: %q", path, secret, data[max(0, at-300):min(len(data), at+100)])
			}
		}
		return err
	}))
}

func (i *installation) logTail() string {
	lines := strings.Split(strings.TrimSpace(i.logged()), "\n")
	return strings.Join(lines[max(0, len(lines)-30):], "\n")
}
