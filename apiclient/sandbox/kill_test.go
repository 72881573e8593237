package sandbox_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
)

// childDir names the directory of a sandbox that this test binary serves instead of testing, to be
// killed.
const childDir = "SPINSYNC_SANDBOX_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		fmt.Fprintln(os.Stderr, serveChild(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func killOptions(dir string) sandbox.Options {
	return sandbox.Options{
		Dir: dir, Users: []sandbox.User{{Name: user, Password: password, CanEdit: true}}, Processing: -1, Journal: true,
	}
}

func serveChild(dir string) error {
	box, err := sandbox.New(killOptions(dir))
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	return http.Serve(listener, box)
}

// startChild starts a sandbox in a process of its own and returns its address.
func startChild(t *testing.T, dir string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return cmd, strings.TrimSpace(address)
}

// heard is what a sandbox acknowledged.
type heard struct {
	mu       sync.Mutex
	products map[string][]string // names of the files, by product
	finished map[string]bool
}

// work publishes products until the sandbox is gone. It calls answered after each answer.
func (h *heard) work(client *apiclient.Client, project string, answered func()) {
	ctx := context.Background()
	for {
		form, err := client.CreateProduct(ctx, apiclient.NewProduct{Title: "T", Project: project, Images: 3})
		if err != nil {
			return
		}
		answered()
		h.note(func() { h.products[form.UUID] = nil })
		for _, f := range append(frames(3), frames(3)...) { // the second time they replace the first
			if client.Upload(ctx, form, f) != nil {
				return
			}
			answered()
			h.note(func() { h.products[form.UUID] = append(h.products[form.UUID], f.Name) })
		}
		if client.FinishUpload(ctx, form.UUID) != nil {
			return
		}
		answered()
		h.note(func() { h.finished[form.UUID] = true })
	}
}

func (h *heard) note(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f()
}

func TestNothingAcknowledgedIsLostInAKill(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	known := &heard{products: map[string][]string{}, finished: map[string]bool{}}
	for range 5 {
		killWhileBusy(t, dir, known, random.IntN(40))
		checkKilled(t, dir, known)
	}
	if t.Failed() {
		t.Logf("seed %d", seed)
	}
}

// killWhileBusy kills a sandbox after so many answers, while other requests are under way.
func killWhileBusy(t *testing.T, dir string, known *heard, answers int) {
	t.Helper()
	cmd, address := startChild(t, dir)
	client, err := apiclient.New(apiclient.Options{BaseURL: "http://" + address, Username: user, Password: password})
	if err != nil {
		t.Fatal(err)
	}
	project, err := client.CreateProject(t.Context(), "Busy")
	if err != nil {
		t.Fatal(err)
	}
	var count atomic.Int64
	answered := func() {
		if count.Add(1) == int64(answers)+1 {
			cmd.Process.Kill()
		}
	}
	var workers sync.WaitGroup
	for range 3 {
		workers.Go(func() { known.work(client, project.UUID, answered) })
	}
	workers.Wait()
	cmd.Wait()
}

// checkKilled opens what a killed sandbox left, and holds it against what it had acknowledged.
func checkKilled(t *testing.T, dir string, known *heard) {
	t.Helper()
	box, err := sandbox.New(killOptions(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	sandbox.Check(t, box)
	products, err := box.Products()
	if err != nil {
		t.Fatal(err)
	}
	held := map[string][]string{}
	for _, p := range products {
		held[p.UUID] = []string{}
		for _, f := range p.Pending {
			held[p.UUID] = append(held[p.UUID], f.Name)
		}
		for _, i := range p.Images {
			held[p.UUID] = append(held[p.UUID], i.Source)
		}
		if known.finished[p.UUID] && (!p.Status.Finished() || len(p.Images) != 3) {
			t.Errorf("product %s was finished, now it is %+v with %d images", p.UUID, p.Status, len(p.Images))
		}
	}
	for uuid, names := range known.products {
		for _, name := range names {
			if !slices.Contains(held[uuid], name) {
				t.Errorf("product %s lost %s", uuid, name)
			}
		}
		if held[uuid] == nil {
			t.Errorf("product %s is lost", uuid)
		}
	}
}
