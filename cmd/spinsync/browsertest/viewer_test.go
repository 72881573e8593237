// Package browsertest tries the pages of spinsync in a real browser: a Go test
// serves them, a script drives Chromium and prints what it saw. It needs
// node, Chromium and, once, "npm ci" in testdata; without them the tests
// are skipped, except where CI=true.
package browsertest

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spinsync/apiclient/sandbox/viewer"
	"spinsync/cmd/spinsync/demo/turntable"
)

// browser returns the paths of node and Chromium.
func browser(t *testing.T) (node, chromium string) {
	t.Helper()
	missing := t.Skip
	if os.Getenv("CI") == "true" {
		missing = t.Fatal
	}
	node, err := exec.LookPath("node")
	if err != nil {
		missing("node is not installed")
	}
	if _, err := os.Stat(filepath.Join("testdata", "node_modules", "playwright-core")); err != nil {
		missing("the browser driver is not installed: run npm ci in cmd/spinsync/browsertest/testdata")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if chromium, err = exec.LookPath(name); err == nil {
			return node, chromium
		}
	}
	missing("Chromium is not installed")
	return "", ""
}

// drive runs a script of testdata against the handler, with the variables added to its environment.
// With -artifacts its screenshots are kept.
func drive(t *testing.T, name string, handler http.Handler, variables ...string) {
	server := httptest.NewServer(handler)
	defer server.Close()
	script(t, name, server.URL, variables...)
}

// longestScript is more than any script takes on a slow machine. A browser that hangs is ended, so
// that the script's output is seen.
const longestScript = 4 * time.Minute

// script runs a script of testdata against an address.
func script(t *testing.T, name, address string, variables ...string) {
	node, chromium := browser(t)
	name = filepath.Join("testdata", name)
	if _, err := os.Stat(name); err != nil { // so that the test cache knows that the result depends on the script
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), longestScript)
	defer cancel()
	command := exec.CommandContext(ctx, node, name)
	command.WaitDelay = time.Second // the browser may hold the output open
	command.Env = append(os.Environ(), "BASE_URL="+address, "CHROMIUM="+chromium, "SCREENSHOTS="+t.ArtifactDir())
	command.Env = append(command.Env, variables...)
	out, err := command.CombinedOutput()
	t.Logf("%s:\n%s", name, out)
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

var shoot = turntable.Shoot{Frames: 12, Glaze: turntable.Blue}

// frames photographs the shoot and returns a view's frames and what answers their addresses.
func frames(t *testing.T) ([]viewer.Frame, map[string][]byte) {
	t.Helper()
	var list []viewer.Frame
	files := map[string][]byte{}
	for i := range shoot.Frames {
		var file bytes.Buffer
		if err := shoot.WriteFrame(&file, i, time.Now()); err != nil {
			t.Fatal(err)
		}
		path := "/frames/" + shoot.Name(i)
		files[path] = file.Bytes()
		list = append(list, viewer.Frame{URL: path, Thumb: path, Alt: fmt.Sprintf("Teapot, turned by %d°", 30*i)})
	}
	return list, files
}

func TestViewer(t *testing.T) {
	browser(t)
	turn, files := frames(t)
	hostile := `</script><script>document.title="owned"</script><img src=x onerror="document.title='owned'">`
	lost := []viewer.Frame{{URL: "/frames/lost_1.jpg"}, {URL: "/frames/lost_2.jpg"}}
	gap := append([]viewer.Frame{}, turn...)
	gap[3].URL = "/frames/lost.jpg"
	silent := append([]viewer.Frame{}, turn...)
	for i := range silent {
		silent[i].Alt = ""
	}
	views := map[string]viewer.View{
		"/view":    {Title: "Blue teapot", Frames: turn, Responsive: true},
		"/bounded": {Title: "Blue teapot", Frames: turn, Width: 400, Height: 300},
		"/hostile": {Title: hostile, Frames: []viewer.Frame{{URL: turn[0].URL, Alt: hostile}, {URL: turn[1].URL, Alt: hostile}}},
		"/silent":  {Frames: silent},
		"/one":     {Title: "Still", Frames: turn[:1]},
		"/gap":     {Title: "Gap", Frames: gap},
		"/lost":    {Title: "Lost", Frames: lost},
		"/empty":   {Title: "Nothing yet"},
		"/video":   {Title: "Turning teapot", VideoURL: "/turn.webm"},
	}
	drive(t, "viewer.mjs", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if view, ok := views[r.URL.Path]; ok {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			if err := viewer.Page(w, view); err != nil {
				t.Errorf("page %s: %v", r.URL.Path, err)
			}
			return
		}
		if file, ok := files[r.URL.Path]; ok {
			w.Header().Set("Content-Type", "image/jpeg")
			w.Write(file)
			return
		}
		if r.URL.Path == "/framed" {
			fmt.Fprint(w, framedBy("http://"+strings.Replace(r.Host, "127.0.0.1", "localhost", 1)+"/view"))
			return
		}
		http.NotFound(w, r)
	}))
}

// framedBy is a shop's page that shows a view of another host.
func framedBy(source string) string {
	return `<!doctype html><html lang="en"><title>Shop</title><body style="height:3000px"><h1>Shop</h1>` +
		`<iframe title="View" width="640" height="480" src="` + source + `" allowfullscreen></iframe>`
}
