package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zalando/go-keyring"

	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/rootlock"
	osservice "spinsync/cmd/spinsync/service"
	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

func environment(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

// The exit codes are what scripts rely on, however deep the cause lies.
func TestExitCode(t *testing.T) {
	wrapped := func(err error) error { return fmt.Errorf("do this: %w", err) }
	for want, errs := range map[int][]error{
		0:   {nil},
		1:   {wrapped(daemon.ErrUnpublished), wrapped(syncstate.ErrSchema)},
		2:   {wrapped(cli.Usagef("no such thing")), wrapped(syncstate.ErrPath)},
		3:   {wrapped(syncstate.ErrLocked), wrapped(syncstate.ErrDamaged)},
		130: {wrapped(errEnded)},
	} {
		for _, err := range errs {
			if got := exitCode(err); got != want {
				t.Errorf("exit code of %v is %d, want %d", err, got, want)
			}
		}
	}
}

// TestWhatTheServiceManagerHears: launchd would start the program every ten seconds until somebody
// corrects sync.toml, or runs rebuild on a damaged state file, and hears of no failure. Neither
// manager leaves the program ended because another one had the state file or a folder for a moment.
func TestWhatTheServiceManagerHears(t *testing.T) {
	launchd := environment(map[string]string{osservice.LogFileVariable: "/Library/Logs/spinsync.log"})
	systemd := environment(map[string]string{"NOTIFY_SOCKET": "/run/systemd/notify"})
	for _, test := range []struct {
		err                         error
		onLaunchd, onSystemd, alone int
	}{
		{nil, exitDone, exitDone, exitDone},
		{errors.New("a failure"), exitFailed, exitFailed, exitFailed},
		{cli.Usage(errors.New("a mistake")), exitDone, exitUsage, exitUsage},
		{syncstate.ErrDamaged, exitDone, exitStateFile, exitStateFile},
		{syncstate.ErrLocked, exitStateFile, exitFailed, exitStateFile},
		{rootlock.ErrHeld, exitStateFile, exitFailed, exitStateFile},
	} {
		got := []int{managerCode(test.err, launchd), managerCode(test.err, systemd), managerCode(test.err, environment(nil))}
		if want := []int{test.onLaunchd, test.onSystemd, test.alone}; !slices.Equal(got, want) {
			t.Errorf("%v is for launchd, systemd and a shell %v, want %v", test.err, got, want)
		}
	}
}

// The sandbox makes a password up, keeps it for the next time, and ends when it is interrupted.
func TestSandboxCommand(t *testing.T) {
	dir := t.TempDir()
	first := serveOnce(t, dir)
	if second := serveOnce(t, dir); second != first {
		t.Errorf("the password is %q the second time, %q the first", second, first)
	}
}

// serveOnce runs the sandbox for two requests and returns the password it printed.
func serveOnce(t *testing.T, dir string) (password string) {
	t.Helper()
	said, stop := startSandbox(t, nil, 3, "--data", dir, "--storage-version", "1", "--groups", "still_=additional,detail_=gallery")
	check := func(method, path, body string, want int) {
		request, err := http.NewRequest(method, said["address"]+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.SetBasicAuth(said["user"], said["password"])
		request.Header.Set("Accept", "application/json")
		if body != "" {
			request.Header.Set("Content-Type", "application/json")
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("%s %s answered %s, want %d", method, path, answer.Status, want)
		}
	}
	check(http.MethodGet, "/api/v2/projects", "", http.StatusOK)
	check(http.MethodPost, "/api/v2/projects", `{"title": "Summer"}`, http.StatusCreated)
	if err := stop(); !errors.Is(err, errEnded) {
		t.Errorf("ended with %v, want ended as was meant", err)
	}
	return said["password"]
}

func TestSandboxRefusesWhatItDoesNotUnderstand(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, args := range [][]string{
		{"--storage-version", "three"}, {"--storage-version", "3"}, {"--groups", "still"}, {"--public-url", "views.example.com"},
		{"--cert-file", "page.crt"}, {"--tls", "--cert-file", "page.crt", "--key-file", "page.key"}, {"--cert-file", "none", "--key-file", "none"},
		{"--listen", taken.Addr().String()}, {"--password-file", "none"},
	} {
		args = append([]string{"sandbox", "--listen", "127.0.0.1:0", "--data", t.TempDir()}, args...)
		err := run(t.Context(), args, environment(nil), strings.NewReader(""), io.Discard, io.Discard)
		if exitCode(err) != exitUsage {
			t.Errorf("%v: %v", args, err)
		}
	}
}

// login proves the password before it keeps it, and every other command finds it then.
func TestLogin(t *testing.T) {
	keyring.MockInit()
	s := startService(t, "right")
	env := environment(map[string]string{"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"})
	config := filepath.Join(t.TempDir(), "sync.toml")
	text := fmt.Sprintf("[service]\nbase_url = %q\nusername = \"studio\"\n[state]\npath = \"state.db\"\n[[watch]]\npath = \"shoots\"\nlayout = \"{project}/{sku}\"\n", s.url)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	command := func(stdin string, want int, args ...string) string {
		t.Helper()
		var printed bytes.Buffer
		err := run(t.Context(), append(args, "--config", config), env, strings.NewReader(stdin), &printed, &printed)
		if exitCode(err) != want {
			t.Fatalf("%v ended with %v, want exit code %d", args, err, want)
		}
		return printed.String()
	}
	command("", exitUsage, "remote", "projects")
	command("wrong\n", exitFailed, "login")
	command("", exitUsage, "remote", "projects")
	if said := command("right\n", exitDone, "login"); strings.Contains(said, "right") {
		t.Errorf("login printed the password: %s", said)
	}
	command("", exitDone, "remote", "projects")
	command("", exitDone, "logout")
	command("", exitUsage, "remote", "projects")
	command("", exitDone, "logout")
}

// TestExportOnScreen: names do not steer the terminal of who reads the lines, and programs get them
// as they are.
func TestExportOnScreen(t *testing.T) {
	const folder = "Summer/\x1b[31mred\u202e"
	for _, test := range []struct {
		write format
		want  string
	}{
		{writeCSV(func(cell string) string { return cell }), folder},
		{writeCSV(terminal.Printable), terminal.Printable(folder)},
	} {
		var b bytes.Buffer
		err := test.write(&b, func(yield func(status.ExportedProduct) error) error {
			return yield(status.ExportedProduct{Folder: folder})
		})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), ","+test.want+",") {
			t.Errorf("%q is not in %q", test.want, b.String())
		}
	}
}

// No text that came from outside may begin a cell with what a spreadsheet calculates.
func TestInert(t *testing.T) {
	got := inert("=1+1", "+1", "-1", "@a", "\t=1", "\r=1", "＝1", "a=b", "", "frame_01.jpg", "bad\xff")
	want := []string{"'=1+1", "'+1", "'-1", "'@a", "'\t=1", "'\r=1", "'＝1", "a=b", "", "frame_01.jpg", "bad\ufffd"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A daemon watches a folder also where bytes of its path are no text.
func TestWatches(t *testing.T) {
	roots := []watcher.RootStatus{{Path: "/Gr\ufffd\ufffde/shoots"}}
	if !watches(roots, "/Gr\xf6\xdfe/shoots") || watches(roots, "/more") {
		t.Error("a folder is not watched, or another one is")
	}
}

// uninstall names the files of the state file's name that stay, and no others.
func TestBesideState(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"state.db", "state.db.kept-20270102-150405", "state.db.page-ca.crt", "sync.toml"} {
		write(t, filepath.Join(dir, name), "")
	}
	want := []string{filepath.Join(dir, "state.db.kept-20270102-150405"), filepath.Join(dir, "state.db.page-ca.crt")}
	if diff := cmp.Diff(want, besideState(filepath.Join(dir, "state.db"))); diff != "" {
		t.Error(diff)
	}
}
