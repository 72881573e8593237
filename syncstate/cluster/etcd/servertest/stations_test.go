package servertest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestTwoStations has two programs watch one folder, with a real cluster and the sandbox. The active one
// is killed while it uploads. The other one takes over, and publishes each folder once.
func TestTwoStations(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes two minutes: a station that takes over waits for its share")
	}
	_, address := serve(t)
	h := house{t: t, bin: build(t), root: filepath.Join(t.TempDir(), "shoots"), cluster: address}
	h.sandbox()
	photos(t, filepath.Join(h.root, "Summer", "SKU-1"))
	anna, bert := h.station("anna"), h.station("bert")
	anna.run()
	h.await("anna is active", func() bool { return anna.active() == "anna" })
	bert.run()
	h.await("bert follows", func() bool { return bert.active() == "anna" })
	// A station that has just joined waits until its share surely shows what is there.
	h.await("the first folder is published", func() bool { return bert.states()["Summer/SKU-1"] == "published" })
	photos(t, filepath.Join(h.root, "Summer", "SKU-2"))
	h.await("the second is uploaded", func() bool { return h.calls("4.2") == 2 })
	killed := time.Now()
	if err := anna.process.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	h.await("bert is active", func() bool { return bert.active() == "bert" })
	t.Logf("the work was taken over %v after the death, with a lease of 5 s", time.Since(killed))
	h.await("the second folder is published", func() bool { return bert.states()["Summer/SKU-2"] == "published" })
	if creates, finishes := h.calls("4.2"), h.calls("4.4"); creates != 2 || finishes != 2 {
		t.Errorf("%d creates and %d finishes for two folders", creates, finishes)
	}
}

// A house has the programs of a test, and the journal of the service.
type house struct {
	t                           *testing.T
	bin, root, cluster, service string

	mu      sync.Mutex
	journal []string
}

// build makes the program from the module above.
func build(t *testing.T) string {
	bin := filepath.Join(t.TempDir(), "spinsync")
	c := exec.Command("go", "build", "-o", bin, "./cmd/spinsync")
	c.Dir = filepath.Join("..", "..", "..", "..")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return bin
}

// start runs a program until the test ends.
func (h *house) start(args ...string) *exec.Cmd {
	c := exec.Command(h.bin, args...)
	c.Env = append(os.Environ(), "SPINSYNC_PASSWORD=secret-secret")
	return c
}

func (h *house) run(c *exec.Cmd) {
	if err := c.Start(); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
}

// sandbox starts the hosting service, and reads along what it is asked.
func (h *house) sandbox() {
	c := h.start("sandbox", "--listen", "127.0.0.1:0", "--verbose", "--processing", "1s")
	out, err := c.StdoutPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	c.Stderr = c.Stdout
	h.run(c)
	lines := bufio.NewScanner(out)
	for lines.Scan() && h.service == "" {
		_, h.service, _ = strings.Cut(lines.Text(), "http://")
	}
	go func() {
		for lines.Scan() {
			h.mu.Lock()
			h.journal = append(h.journal, lines.Text())
			h.mu.Unlock()
		}
	}()
}

// calls counts the requests of one operation.
func (h *house) calls(operation string) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, line := range h.journal {
		if strings.Contains(line, "operation="+operation+" ") {
			n++
		}
	}
	return n
}

// patience is for machines that do much else.
const patience = 5 * time.Minute

func (h *house) await(what string, is func() bool) {
	h.t.Helper()
	for from := time.Now(); !is(); time.Sleep(100 * time.Millisecond) {
		if time.Since(from) > patience {
			h.t.Fatalf("after %v: not that %s", patience, what)
		}
	}
}

// A station is one program with its sync.toml.
type station struct {
	*house
	config  string
	process *exec.Cmd
}

func (h *house) station(name string) *station {
	dir := h.t.TempDir()
	s := &station{house: h, config: filepath.Join(dir, "sync.toml")}
	text := fmt.Sprintf(`[service]
base_url = "http://%s"
username = "studio"
[state]
path = "state.db"
[[watch]]
path = '%s'
name = "shoots"
settle = "1s"
quiet = "2s"
[upload]
limit = "50KB/s"
[dashboard]
listen = ""
[fleet]
etcd = ["%s"]
station = "%s"
lease = "5s"
`, h.service, h.root, h.cluster, name)
	if err := os.WriteFile(s.config, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
	return s
}

func (s *station) run() {
	s.process = s.start("run", "--config", s.config)
	s.house.run(s.process)
}

// status is what `spinsync status --json` prints.
func (s *station) status() (status struct {
	Fleet    struct{ Active string }
	Products []struct{ Folder, State string }
}) {
	out, err := s.start("status", "--json", "--config", s.config).Output()
	if err == nil {
		_ = json.Unmarshal(out, &status)
	}
	return status
}

func (s *station) active() string { return s.status().Fleet.Active }

func (s *station) states() map[string]string {
	states := map[string]string{}
	for _, p := range s.status().Products {
		states[p.Folder] = p.State
	}
	return states
}

// photos fills a product folder.
func photos(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		picture := image.NewRGBA(image.Rect(0, 0, 300, 300))
		for p := range 300 * 300 {
			picture.Set(p%300, p/300, color.RGBA{uint8(p * (i + 1)), uint8(p / 7), uint8(len(dir)), 255})
		}
		f, err := os.Create(filepath.Join(dir, fmt.Sprintf("frame_%02d.jpg", i+1)))
		if err != nil {
			t.Fatal(err)
		}
		if err := jpeg.Encode(f, picture, nil); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
