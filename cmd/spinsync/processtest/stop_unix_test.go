//go:build unix

package processtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/syncstate"
)

// oneFolder is a studio with a single folder, of which nothing is known yet.
func oneFolder(t *testing.T) *studio {
	w := oneRoot(t, newRandom(t), "A")
	w.shootEverywhere()
	w.installation = install(t, w.service.url, root{w.roots[0], `quiet = "200ms"`})
	return w
}

// stop asks the program to end, as a service manager does.
func (p *process) stop(t *testing.T) {
	t.Helper()
	must(t, p.Process.Signal(syscall.SIGTERM))
	if code := p.exit(t, time.Minute); code != 0 {
		t.Errorf("the exit code is %d", code)
	}
}

// holdAnswer keeps the first answer to an operation back for a while, after the work is done. The
// channel is closed when it is on its way.
func (s *service) holdAnswer(op string, hold time.Duration) (underWay <-chan struct{}) {
	held := make(chan struct{})
	spoil := func(c *sandbox.Call) sandbox.Fault {
		if c.Op != op || c.N > 1 {
			return sandbox.Fault{}
		}
		close(held)
		return sandbox.Fault{Hold: hold}
	}
	s.spoil.Store(&spoil)
	return held
}

// A stop waits for the answer to a create that is under way, so that the next start need not search
// for an orphan.
func TestStopHearsTheAnswer(t *testing.T) {
	t.Parallel()
	for op, effect := range map[string]sandbox.Effect{sandbox.CreateProject: sandbox.ProjectCreated, sandbox.CreateProduct: sandbox.ProductCreated} {
		t.Run(op, func(t *testing.T) {
			t.Parallel()
			w := oneFolder(t)
			underWay := w.service.holdAnswer(op, 2*time.Second)
			p := w.start("run")
			<-underWay
			p.stop(t)
			if doubt := w.openIntents(); doubt != "" {
				t.Errorf("nobody knows whether %s was made", doubt)
			}
			w.publish()
			if n := w.service.effects(t, effect); n != 1 {
				t.Errorf("%d times: %s", n, effect)
			}
		})
	}
}

// openIntents names a create whose answer is not known.
func (w *studio) openIntents() string {
	w.t.Helper()
	store, err := syncstate.OpenReadOnly(w.state, w.account())
	must(w.t, err)
	defer store.Close()
	for key, record := range store.Heads() {
		if record.Run.Asked() != nil {
			return "the product of " + key.Path
		}
	}
	project, err := store.Project("Summer")
	must(w.t, err)
	if project.Intent != nil {
		return "the project"
	}
	return ""
}

// The second signal ends the program at once. The work under way is known at the next start.
func TestSecondSignal(t *testing.T) {
	t.Parallel()
	w := oneFolder(t)
	underWay := w.service.holdAnswer(sandbox.CreateProduct, 8*time.Second)
	p := w.start("run")
	<-underWay
	must(t, p.Process.Signal(syscall.SIGTERM))
	must(t, p.Process.Signal(os.Interrupt))
	if code := p.exit(t, time.Minute); code != 130 {
		t.Errorf("the exit code is %d", code)
	}
	if w.openIntents() == "" {
		t.Error("nothing is known of the create that was under way")
	}
	w.publish()
	if n := w.service.effects(t, sandbox.ProductCreated); n != 1 {
		t.Errorf("%d products were made", n)
	}
}

// A second daemon with a state file of its own is refused on the first one's folder, and on one
// below it, by whatever path. Other folders are free, and so are all once the first one is killed.
func TestSecondDaemonOnAFolder(t *testing.T) {
	t.Parallel()
	w := oneFolder(t)
	p := w.start("run")
	published(t, w.installation, w.service, w.shoots, time.Minute)
	path, elsewhere := w.roots[0], t.TempDir()
	link, beside := filepath.Join(elsewhere, "link"), filepath.Join(filepath.Dir(path), "beside")
	must(t, os.Symlink(path, link))
	must(t, os.Mkdir(beside, 0o755))
	refused := map[string]string{
		path: "is published", link: "is published", w.shoots[0].dir: "lies below", filepath.Join(link, "Summer"): "lies below",
	}
	if mounted := filepath.Join(elsewhere, "mounted"); bindMount(t, path, mounted) {
		refused[mounted], refused[filepath.Join(mounted, "Summer")] = "is published", "lies below"
	}
	for other, why := range refused {
		_, said, code := install(t, w.url, root{path: other}).run("run")
		if code != 3 || !strings.Contains(said, why) || !strings.Contains(said, fmt.Sprintf("process %d, state file %q", p.Process.Pid, w.state)) {
			t.Errorf("on %s it exits with %d and says %q", other, code, said)
		}
	}
	if _, said, code := install(t, w.url, root{path: beside}).run("sync"); code != 0 {
		t.Errorf("beside it it exits with %d and says %q", code, said)
	}
	p.kill()
	for other := range refused {
		_, said, code := install(t, w.url, root{path: other, more: `include = ["*.none"]`}).run("sync")
		if code == 3 {
			t.Errorf("%s, which is free, is refused: %q", other, said)
		}
	}
	if _, said, code := install(t, w.url, root{path: path}, root{path: link}).run("run"); code != 2 || !strings.Contains(said, "are the same folder") {
		t.Errorf("one folder as two roots exits with %d and says %q", code, said)
	}
	w.check()
}

// A daemon gives way to one that takes a folder above its own, when it reads its folder as a whole.
func TestSecondDaemonAboveAFolder(t *testing.T) {
	t.Parallel()
	w := oneFolder(t)
	above := filepath.Dir(w.roots[0])
	w.installation = install(t, w.service.url, root{w.roots[0], `rescan = "1s"`})
	lower := w.start("run")
	published(t, w.installation, w.service, w.shoots, time.Minute)
	upper := install(t, w.url, root{above, `include = ["*.none"]`})
	p := upper.start("run")
	if code := lower.exit(t, time.Minute); code != 3 {
		t.Errorf("the lower one exits with %d", code)
	}
	says := fmt.Sprintf("lies below %s, which is published by another program with a state file of its own (process %d, state file %q)",
		above, p.Process.Pid, upper.state)
	if !strings.Contains(w.logged(), says) {
		t.Errorf("it does not say that it %s\n%s", says, w.logTail())
	}
	p.stop(t)
	w.check()
}

// A second daemon on a state file is refused, under whatever name of the file, and does not disturb
// the first one.
func TestSecondDaemon(t *testing.T) {
	t.Parallel()
	w := oneFolder(t)
	p := w.start("run")
	published(t, w.installation, w.service, w.shoots, time.Minute)
	second := install(t, w.url, w.installation.roots...)
	must(t, os.Symlink(filepath.Dir(w.state), filepath.Join(second.dir, "alias")))
	second.keepStateIn(filepath.Join(second.dir, "alias"))
	for _, i := range []*installation{w.installation, second} {
		_, said, code := i.run("run")
		if code != 3 || !strings.Contains(said, "the state file is in use") {
			t.Errorf("it exits with %d and says %q", code, said)
		}
	}
	w.shoots[0].shootAll(3)
	published(t, w.installation, w.service, w.shoots, time.Minute)
	p.kill()
	w.check()
}
