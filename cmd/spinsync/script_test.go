package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"spinsync/apiclient/sandbox"
	"spinsync/cmd/spinsync/demo/turntable"
	"spinsync/daemon/daemontest"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"spinsync": main}) }

// TestScripts plays whole sessions at the command line, each against a hosting service of its own.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:       filepath.Join("testdata", "script"),
		Setup:     setUp,
		Condition: hasTool,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":    exits,
			"expand":   expand,
			"keep":     keepMatch,
			"requests": requests,
			"shoot":    shoot,
			"turn":     turn,
			"unpack":   unpack,
			"profiled": profiled,
			"until":    until,
		},
	})
}

// hasTool answers [tool:NAME]. Where every tool has to be there none is missing, so that a script
// fails for it instead of being skipped.
func hasTool(condition string) (bool, error) {
	name, ok := strings.CutPrefix(condition, "tool:")
	if !ok {
		return false, fmt.Errorf("unknown condition %q", condition)
	}
	_, err := exec.LookPath(name)
	return err == nil || os.Getenv("CI") == "true", nil
}

// setUp starts the service. It knows the user studio and, without edit permission, the user guest.
func setUp(env *testscript.Env) error {
	const password = "canary-4711"
	s := startService(env.T().(testing.TB), password)
	env.Setenv("SERVICE", s.url)
	env.Setenv("HOST", strings.TrimPrefix(s.url, "http://"))
	env.Setenv("ALIAS", strings.Replace(s.url, "127.0.0.1", "localhost", 1)) // the same under another name
	env.Setenv("SPINSYNC_PASSWORD", password)
	docs, err := filepath.Abs(filepath.Join("..", "..", "docs"))
	env.Setenv("DOCS", docs)
	env.Values[requestCount{}] = &s.requests
	return err
}

// A testService is a sandbox that counts what it is asked.
type testService struct {
	box      *sandbox.Server
	url      string
	requests atomic.Int64
}

func startService(t testing.TB, password string) *testService {
	s := &testService{}
	s.box, s.url = daemontest.Service(t, sandbox.Options{
		Users:      []sandbox.User{{Name: "studio", Password: password, CanEdit: true}, {Name: "guest", Password: password}},
		Processing: time.Millisecond,
		NoSync:     true,
		Intercept:  func(*sandbox.Call) sandbox.Fault { s.requests.Add(1); return sandbox.Fault{} },
	})
	return s
}

// requestCount is the key of the service's counter in a script.
type requestCount struct{}

// requests N fails unless the service received N requests since the last time. Without N it only
// starts to count again.
func requests(ts *testscript.TestScript, _ bool, args []string) {
	got := ts.Value(requestCount{}).(*atomic.Int64).Swap(0)
	if len(args) > 0 && args[0] != fmt.Sprint(got) {
		ts.Fatalf("the service received %d requests, not %s", got, args[0])
	}
}

// exits CODE COMMAND... runs a command that ends with this exit code.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	code := 0
	var failed *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &failed) {
		code = failed.ExitCode()
	} else {
		ts.Check(err)
	}
	if args[0] != strconv.Itoa(code) {
		ts.Fatalf("the exit code is %d, not %s", code, args[0])
	}
}

// expand FILE... replaces $SERVICE, $ALIAS and $WORK in files.
func expand(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args {
		text := os.Expand(ts.ReadFile(name), func(variable string) string { return filepath.ToSlash(ts.Getenv(variable)) })
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o600))
	}
}

// keep VARIABLE PATTERN sets a variable to the first group of the pattern in what the last command
// printed.
func keepMatch(ts *testscript.TestScript, _ bool, args []string) {
	found := regexp.MustCompile("(?m)" + args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if found == nil {
		ts.Fatalf("%s does not match the output", args[1])
	}
	ts.Setenv(args[0], found[1])
}

// until PATTERN COMMAND... repeats a command until what it prints matches.
func until(ts *testscript.TestScript, _ bool, args []string) {
	pattern := regexp.MustCompile("(?m)" + args[0])
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); <-tick.C {
		if err := ts.Exec(args[1], args[2:]...); err == nil && pattern.MatchString(ts.ReadFile("stdout")) {
			return
		}
	}
	ts.Fatalf("never printed %s", args[0])
}

// unpack FILE DIR unpacks a ZIP file.
func unpack(ts *testscript.TestScript, _ bool, args []string) {
	archive, err := zip.OpenReader(ts.MkAbs(args[0]))
	ts.Check(err)
	defer archive.Close()
	ts.Check(os.CopyFS(ts.MkAbs(args[1]), archive))
}

// profiled FILE... fails unless each file is a whole profile.
func profiled(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args {
		packed, err := gzip.NewReader(strings.NewReader(ts.ReadFile(name)))
		ts.Check(err)
		n, err := io.Copy(io.Discard, packed)
		ts.Check(err)
		if n == 0 {
			ts.Fatalf("%s is empty", name)
		}
	}
}

// shoot DIR N makes N photos, other ones each time.
func shoot(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	for i := range n {
		ts.Check(os.WriteFile(filepath.Join(dir, fmt.Sprintf("frame_%02d.jpg", i+1)), photo(i), 0o644))
	}
}

// turn DIR makes the photos of a full turn, which a camera took two seconds apart.
func turn(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	table := turntable.Shoot{Frames: 36, Glaze: turntable.Blue}
	began := time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)
	for i := range table.Frames {
		var file bytes.Buffer
		ts.Check(table.WriteFrame(&file, i, began.Add(time.Duration(i)*2*time.Second)))
		ts.Check(os.WriteFile(filepath.Join(dir, table.Name(i)), file.Bytes(), 0o644))
	}
}

var shots atomic.Int64 // so that no two photos are the same

func photo(i int) []byte {
	img := image.NewRGBA(image.Rect(0, 0, 32, 24))
	shot := shots.Add(1)
	for x := range 32 {
		for y := range 24 {
			img.Set(x, y, color.RGBA{R: uint8(shot * 37), G: uint8(i * 9), B: uint8(x*y) + uint8(shot>>3), A: 255})
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 90}); err != nil {
		panic(err)
	}
	return b.Bytes()
}
