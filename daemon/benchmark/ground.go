//go:build !windows

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"spinsync/daemon/benchmark/bed"
)

// A line is what lies between the studio and the service.
type line struct {
	name  string
	mbits float64 // 0 = this machine's loopback
	delay time.Duration
	loss  float64 // percent
}

// A ground is where trials take place: a line, the upload host behind it and the hosting service
// beside that.
type ground struct {
	b       *bench
	line    line
	host    string
	inside  []string // what goes before a command to run it at the studio's end
	outside []string // and at the service's
	ca      string
	running []*exec.Cmd
	readers sync.WaitGroup

	mu       sync.Mutex
	requests []bed.Request // to the hosting service, since the last reset
}

const (
	servicePort = "9780"
	storePort   = "9743"
	page        = "127.0.0.1:9784"
)

func (b *bench) lay(ctx context.Context, l line, processing time.Duration) (*ground, error) {
	g := &ground{b: b, line: l, host: "127.0.0.1", ca: filepath.Join(b.work, "ca.pem")}
	err := g.layLine(ctx)
	if err == nil {
		err = g.startSink(ctx)
	}
	if err == nil {
		err = g.startService(ctx, processing)
	}
	if err != nil {
		g.clear()
		return nil, err
	}
	return g, nil
}

// layLine makes two network namespaces with the emulated line between them.
func (g *ground) layLine(ctx context.Context) error {
	if g.line.mbits == 0 {
		return nil
	}
	studio, service := fmt.Sprintf("spin%da", os.Getpid()), fmt.Sprintf("spin%db", os.Getpid())
	g.host = "10.77.0.2"
	g.inside, g.outside = []string{"ip", "netns", "exec", studio}, []string{"ip", "netns", "exec", service}
	said, err := g.start(ctx, nil, g.b.tool("linkemu"), "-a", studio, "-b", service,
		"-rate", fmt.Sprint(g.line.mbits), "-delay", g.line.delay.String(), "-loss", fmt.Sprint(g.line.loss))
	if err != nil {
		return err
	}
	if _, err := bufio.NewReader(said).ReadString('\n'); err != nil {
		return fmt.Errorf("the emulated line did not come up; it needs root: %w", err)
	}
	g.readers.Go(func() { io.Copy(io.Discard, said) })
	return nil
}

func (g *ground) startSink(ctx context.Context) error {
	said, err := g.start(ctx, g.outside, g.b.tool("sink"), "-http", "", "-https", g.host+":"+storePort,
		"-admin", "unix:"+g.socket("sink"), "-certdir", g.b.work, "-hosts", "localhost,"+g.host)
	if err != nil {
		return err
	}
	g.readers.Go(func() { io.Copy(io.Discard, said) })
	for range 100 {
		if g.admin("sink", http.MethodPost, "/reset", nil) == nil {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("the sink did not come up at %s", g.host)
}

func (g *ground) startService(ctx context.Context, processing time.Duration) error {
	own := filepath.Join(g.b.work, "service.pem")
	said, err := g.start(ctx, g.outside, g.b.self, "-serve", g.host+":"+servicePort, "-store", g.host+":"+storePort,
		"-certificate", own, "-admin", g.socket("service"), "-processing", processing.String())
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(said)
	if !lines.Scan() {
		return fmt.Errorf("the service did not come up at %s", g.host)
	}
	g.readers.Go(func() { g.collect(lines) })
	return concatenate(filepath.Join(g.b.work, "trust.pem"), g.ca, own)
}

func concatenate(to string, from ...string) error {
	var all []byte
	for _, name := range from {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		all = append(all, data...)
	}
	return os.WriteFile(to, all, 0o644)
}

func (g *ground) collect(lines *bufio.Scanner) {
	for lines.Scan() {
		var r bed.Request
		if json.Unmarshal(lines.Bytes(), &r) == nil {
			g.mu.Lock()
			g.requests = append(g.requests, r)
			g.mu.Unlock()
		}
	}
}

// start runs a server until clear, and returns its output.
func (g *ground) start(ctx context.Context, where []string, argv ...string) (io.Reader, error) {
	argv = append(append([]string{}, where...), argv...)
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.Stderr = os.Stderr
	if filepath.Base(argv[len(where)]) == "sink" {
		c.Stderr = nil
	}
	said, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	g.running = append(g.running, c)
	return said, nil
}

// clear ends the servers, the line last.
func (g *ground) clear() {
	for i := len(g.running) - 1; i >= 0; i-- {
		g.running[i].Process.Signal(syscall.SIGTERM)
		g.running[i].Wait()
	}
	g.readers.Wait()
}

func (g *ground) socket(of string) string { return filepath.Join(g.b.work, of+".sock") }

func (g *ground) endpoint() string { return "https://" + g.host + ":" + storePort }
func (g *ground) baseURL() string  { return "https://" + g.host + ":" + servicePort }

// at is a command at the studio's end of the line.
func (g *ground) at(argv ...string) []string { return append(append([]string{}, g.inside...), argv...) }

// A tally is what the sink has counted.
type tally struct {
	Uploads  int64 `json:"uploads"`
	Bytes    int64 `json:"bytes"`
	InFlight int64 `json:"max_in_flight"`
}

// reset makes the servers forget what came before.
func (g *ground) reset() error {
	g.mu.Lock()
	g.requests = nil
	g.mu.Unlock()
	return errors.Join(g.admin("service", http.MethodPost, "/forget", nil), g.admin("sink", http.MethodPost, "/reset", nil))
}

func (g *ground) tally() (t tally, err error) {
	err = g.admin("sink", http.MethodGet, "/stats", &t)
	return t, err
}

// heard returns the requests that the hosting service got since the last reset.
func (g *ground) heard() []bed.Request {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]bed.Request{}, g.requests...)
}

func (g *ground) admin(server, method, path string, into any) error {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", g.socket(server))
	}
	client := http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}, Timeout: 10 * time.Second}
	r, err := http.NewRequest(method, "http://"+server+path, nil)
	if err != nil {
		return err
	}
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if into == nil {
		return nil
	}
	return json.NewDecoder(answer.Body).Decode(into)
}
