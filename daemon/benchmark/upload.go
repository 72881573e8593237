//go:build !windows

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"spinsync/daemon/benchmark/bed"
)

// A load is a tree of product folders to publish.
type load struct {
	name string
	bed.Tree
}

// tree makes the load once.
func (b *bench) tree(l load) (string, error) {
	root := filepath.Join(b.work, l.name)
	_, err := os.Stat(root)
	if errors.Is(err, fs.ErrNotExist) {
		err = l.Write(root)
	}
	return root, err
}

// warmTree is a tree whose files are in the system's cache.
func (b *bench) warmTree(l load) (string, error) {
	root, err := b.tree(l)
	if err != nil {
		return "", err
	}
	return root, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		_, err = os.ReadFile(path)
		return err
	})
}

// A contender uploads a tree.
type contender struct {
	name   string
	before func(root string) ([]string, error) // argv, made anew for each trial
	env    []string
}

// contenders are the programs to compare: spinsync first, then the bare uploader, then the peers
// that are installed.
func (g *ground) contenders(l load) []contender {
	all := g.limits(l)
	if onPath("rclone") {
		all = append(all, g.rclone("rclone"), g.rclone("rclone, 32 transfers", tuned(32)...))
	}
	if onPath("rclone") && g.line.mbits == 0 {
		all = append(all, g.rclone("rclone, 16 transfers", tuned(16)...))
	}
	if onPath("mc") {
		all = append(all, g.mc())
	}
	return all
}

// limits are spinsync and the bare uploader, which tells what the line can carry.
func (g *ground) limits(l load) []contender {
	return []contender{
		{name: "spinsync", before: func(root string) ([]string, error) { return g.spinsync(root, l, "sync") }},
		g.bare("bare uploader, SHA-256", "sha256"),
	}
}

func (g *ground) bare(name, hash string) contender {
	return contender{name: name, before: func(root string) ([]string, error) {
		n := 8
		if g.line.loss > 0 {
			n = 36
		}
		return g.at(g.b.tool("proto"), "-url", g.endpoint()+"/bench", "-ca", g.ca, "-src", root, "-hash", hash, "-n", fmt.Sprint(n)), nil
	}}
}

func (g *ground) rclone(name string, flags ...string) contender {
	remote := fmt.Sprintf(":s3,provider=Other,env_auth=false,access_key_id=ak,secret_access_key=sksksksk,force_path_style=true,no_check_bucket=true,endpoint='%s':bench", g.endpoint())
	return contender{name: name, before: func(root string) ([]string, error) {
		return g.at(append([]string{"rclone", "--config", "", "--ca-cert", g.ca, "copy", root, remote}, flags...)...), nil
	}}
}

func tuned(transfers int) []string {
	n := fmt.Sprint(transfers)
	return []string{"--transfers", n, "--checkers", n, "--no-traverse", "--s3-no-head", "--s3-disable-checksum"}
}

func (g *ground) mc() contender {
	home := filepath.Join(g.b.work, "mc")
	return contender{
		name: "mc", env: []string{"SSL_CERT_FILE=" + g.ca, "MC_HOST_sink=" + strings.Replace(g.endpoint(), "://", "://ak:sksksksk@", 1)},
		before: func(root string) ([]string, error) {
			return g.at("mc", "--config-dir", home, "--quiet", "cp", "--recursive", root+"/", "sink/bench/"), nil
		},
	}
}

// spinsync is a command of spinsync on a tree, with an empty state file.
func (g *ground) spinsync(root string, l load, command ...string) ([]string, error) {
	state := filepath.Join(g.b.work, "state")
	if err := os.RemoveAll(state); err != nil {
		return nil, err
	}
	return g.again(root, l.Files, state, command...)
}

// again is a command of spinsync on a tree with the state file as it is. Its system trusts the two
// servers, as a studio's trusts the real ones. The form's field is known, as after the first photo
// that a studio ever sends to an upload host: that one goes alone.
func (g *ground) again(root string, frames int, state string, command ...string) ([]string, error) {
	file := filepath.Join(g.b.work, "sync.toml")
	text := fmt.Sprintf(`[service]
base_url = %q
username = "bench"
password = "bench"
access_key_field = "AWSAccessKeyId"
[state]
path = %q
[poll]
first = "100ms"
[dashboard]
listen = %q
[[watch]]
path = %q
layout = "{project}/{sku}"
settle = %q
frames = %d
`, g.baseURL(), filepath.Join(state, "state.db"), page, root, g.b.settle, frames)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return nil, err
	}
	argv := []string{"env", "SSL_CERT_FILE=" + filepath.Join(g.b.work, "trust.pem"), g.b.tool("spinsync")}
	return g.at(append(append(argv, command...), "--config", file)...), nil
}

// A score is what a contender did over all rounds.
type score struct {
	name              string
	rate, cpu, memory []float64 // MB/s; CPU seconds per GB; MB
	wall, inFlight    []float64
}

// compare lets some programs upload the load in turns. A trial that fails is reported and left out.
func (b *bench) compare(ctx context.Context, l load, way line, rounds int, programs func(*ground, load) []contender) ([]*score, error) {
	root, err := b.warmTree(l)
	if err != nil {
		return nil, err
	}
	g, err := b.lay(ctx, way, 0)
	if err != nil {
		return nil, err
	}
	defer g.clear()
	wanted, err := regexp.Compile(b.peers)
	if err != nil {
		return nil, err
	}
	all := slices.DeleteFunc(programs(g, l), func(c contender) bool { return !wanted.MatchString(c.name) })
	scores := make([]*score, len(all))
	for i := range all {
		scores[i] = &score{name: all[i].name}
	}
	var failed []error
	for round := range rounds {
		for i := range all {
			i := (i + round) % len(all)
			if err := g.round(ctx, all[i], root, l, scores[i]); err != nil {
				failed = append(failed, err)
				fmt.Fprintf(os.Stderr, "  %-28s failed: %s\n", all[i].name, err)
			}
		}
	}
	return scores, errors.Join(failed...)
}

func (g *ground) round(ctx context.Context, c contender, root string, l load, s *score) error {
	argv, err := c.before(root)
	if err != nil {
		return err
	}
	if err := g.reset(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	t, err := run(ctx, argv, c.env...)
	if err != nil {
		return err
	}
	counted, err := g.tally()
	if err != nil {
		return err
	}
	if counted.Bytes < l.Bytes() {
		return fmt.Errorf("%s sent %d of %d bytes", c.name, counted.Bytes, l.Bytes())
	}
	gigabytes := float64(l.Bytes()) / 1e9
	s.wall = append(s.wall, t.wall.Seconds())
	s.rate = append(s.rate, gigabytes*1e3/t.wall.Seconds())
	s.cpu = append(s.cpu, t.cpu.Seconds()/gigabytes)
	s.memory = append(s.memory, t.peak)
	s.inFlight = append(s.inFlight, float64(counted.InFlight))
	fmt.Fprintf(os.Stderr, "  %-28s %6.2f s %7.1f MB/s %5.2f CPU s/GB %5.0f MB %3d in flight\n", c.name, t.wall.Seconds(),
		gigabytes*1e3/t.wall.Seconds(), t.cpu.Seconds()/gigabytes, t.peak, counted.InFlight)
	return nil
}
