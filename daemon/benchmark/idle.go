//go:build !windows

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// idle leaves the daemon alone with the published archive, and peers with the same archive copied.
func idle(ctx context.Context, b *bench) error {
	g, state, root, err := b.published(ctx, archive)
	if err != nil {
		return err
	}
	defer g.clear()
	argv, err := g.again(root, archive.Files, state, "run")
	if err != nil {
		return err
	}
	if err := b.leaveAlone(ctx, "spinsync", argv); err != nil {
		return err
	}
	if err := b.beingWatched(ctx, func() error { return b.leaveAlone(ctx, "spinsync, its page open", argv) }); err != nil {
		return err
	}
	defer os.RemoveAll(filepath.Join(root, ".stfolder"))
	for _, peer := range []struct {
		name    string
		command func(root string) ([]string, error)
	}{{"lsyncd", b.lsyncd}, {"syncthing", b.syncthing}, {"mc", b.mc}} {
		if !onPath(peer.name) {
			continue
		}
		argv, err := peer.command(root)
		if err == nil {
			err = b.leaveAlone(ctx, peer.name, argv)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", peer.name, err)
		}
	}
	return nil
}

// beingWatched has somebody look at the page while something is done.
func (b *bench) beingWatched(ctx context.Context, do func() error) error {
	ctx, leave := context.WithCancel(ctx)
	var looking sync.WaitGroup
	defer looking.Wait()
	defer leave()
	seen := false
	looking.Go(func() {
		for ctx.Err() == nil && !seen {
			seen = look(ctx)
			time.Sleep(100 * time.Millisecond)
		}
	})
	return do()
}

// look keeps the page open as a browser does. It reports whether there was one.
func look(ctx context.Context) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+page+"/stream?of=overview", nil)
	if err != nil {
		return false
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	n, _ := io.Copy(io.Discard, answer.Body)
	return n > 0
}

// leaveAlone starts a program, waits until it has come to rest, and measures for a minute what that
// costs.
func (b *bench) leaveAlone(ctx context.Context, name string, argv []string) error {
	out, err := exec.CommandContext(ctx, b.tool("idle"), append([]string{"-t", "60", "-settle", "10s"}, argv...)...).Output()
	if err != nil {
		return err
	}
	var told struct {
		CPU     float64 `json:"idle_cpu_ms_per_min"`
		Wakeups float64 `json:"wakeups_per_s"`
		RSS     float64 `json:"rss_mb"`
		Anon    float64 `json:"anon_mb"`
		Watches int     `json:"inotify_watches"`
	}
	if err := json.Unmarshal(out, &told); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "  %s: %.0f ms CPU per minute, %.1f MB\n", name, told.CPU, told.RSS)
	b.report.row("Idle for 60 s with 10,000 folders", []string{"program", "CPU, ms per minute", "wake-ups per second", "resident MB", "of it anonymous", "watches"},
		name, digits(told.CPU), digits(told.Wakeups), digits(told.RSS), digits(told.Anon), fmt.Sprint(told.Watches))
	return nil
}

// lsyncd mirrors the tree into a directory beside it.
func (b *bench) lsyncd(root string) ([]string, error) {
	mirror, file := filepath.Join(b.work, "mirror"), filepath.Join(b.work, "lsyncd.lua")
	text := fmt.Sprintf("settings { nodaemon = true }\nsync { default.direct, source = %q, target = %q, delay = 1 }\n", root, mirror)
	if err := os.MkdirAll(mirror, 0o755); err != nil {
		return nil, err
	}
	return []string{"lsyncd", file}, os.WriteFile(file, []byte(text), 0o644)
}

// mc mirrors the tree into a directory beside it.
func (b *bench) mc(root string) ([]string, error) {
	mirror := filepath.Join(b.work, "mc-mirror")
	return []string{"mc", "--config-dir", filepath.Join(b.work, "mc"), "--quiet", "mirror", "--watch", root, mirror}, os.MkdirAll(mirror, 0o755)
}

// syncthing shares the tree with nobody, over no network. It wants a marker directory in the tree.
func (b *bench) syncthing(root string) ([]string, error) {
	home := filepath.Join(b.work, "syncthing")
	if err := os.RemoveAll(home); err != nil {
		return nil, err
	}
	if out, err := exec.Command("syncthing", "generate", "--home", home, "--no-default-folder").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	file := filepath.Join(home, "config.xml")
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	folder := fmt.Sprintf("<folder id=%q path=%q type=\"sendonly\" fsWatcherEnabled=\"true\"></folder>\n", "archive", root)
	quiet := strings.NewReplacer(
		"<globalAnnounceEnabled>true", "<globalAnnounceEnabled>false", "<localAnnounceEnabled>true", "<localAnnounceEnabled>false",
		"<relaysEnabled>true", "<relaysEnabled>false", "<natEnabled>true", "<natEnabled>false", "<crashReportingEnabled>true", "<crashReportingEnabled>false",
		"<listenAddress>default", "<listenAddress>tcp://127.0.0.1:0", "</configuration>", folder+"</configuration>",
	).Replace(string(text))
	if err := os.MkdirAll(filepath.Join(root, ".stfolder"), 0o755); err != nil {
		return nil, err
	}
	return []string{"env", "STNORESTART=1", "syncthing", "serve", "--home", home, "--no-browser", "--no-upgrade"}, os.WriteFile(file, []byte(quiet), 0o600)
}
