//go:build !windows

package control

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"spinsync/daemon"
	"spinsync/daemon/daemontest"
)

// The socket is private from its first moment, whatever the process lets others do with its files.
func TestSocketIsPrivate(t *testing.T) {
	statePath := filepath.Join(t.TempDir(), "state.db")
	before := syscall.Umask(0)
	in, err := open(statePath, nil)
	after := syscall.Umask(before)
	if err != nil {
		t.Fatal(err)
	}
	defer in.listener.Close()
	info, err := os.Lstat(meetingFile(statePath))
	if err != nil || info.Mode().Type() != fs.ModeSocket || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if after != 0 {
		t.Errorf("the process makes its files with the umask %o afterwards", after)
	}
}

// The socket of a daemon that was killed is no daemon, and the next one takes its place.
func TestSocketOfAKilledDaemon(t *testing.T) {
	statePath := filepath.Join(t.TempDir(), "state.db")
	if isReached(t, statePath) {
		t.Error("a daemon is found where none ever was")
	}
	killed, err := open(statePath, nil)
	if err != nil {
		t.Fatal(err)
	}
	killed.listener.Close()
	if isReached(t, statePath) {
		t.Error("a daemon is found where it was killed")
	}
	next, err := open(statePath, nil)
	if err != nil {
		t.Fatal(err)
	}
	next.listener.Close()
	next.remove()
}

// The state file may have a path that is too long for a socket, and the commands may know it by way of
// a link.
func TestSocketWithALongPath(t *testing.T) {
	temporary, dir := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temporary)
	link := filepath.Join(dir, "link")
	long := filepath.Join(dir, strings.Repeat("long", 40))
	if err := errors.Join(os.Mkdir(long, 0o700), os.Symlink(long, link)); err != nil {
		t.Fatal(err)
	}
	in, err := open(filepath.Join(long, "state.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer in.listener.Close()
	for _, known := range []string{long, link} {
		conn, err := connect(t.Context(), meetingFile(filepath.Join(known, "state.db")))
		if err != nil {
			t.Fatal(err)
		}
		conn.Close()
	}
	in.remove()
	for _, emptied := range []string{temporary, long} {
		if left, err := os.ReadDir(emptied); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
}

// A daemon that ends late, after another one has taken its state file, leaves that one's socket.
func TestSocketOfTheNextDaemonStays(t *testing.T) {
	statePath := filepath.Join(t.TempDir(), "state.db")
	first, err := open(statePath, nil)
	if err != nil {
		t.Fatal(err)
	}
	second, err := open(statePath, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer second.listener.Close()
	first.listener.Close()
	first.remove()
	conn, err := connect(t.Context(), meetingFile(statePath))
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
}

// The commands of another account learn that they may not, which is not that no daemon runs.
func TestSocketOfAnotherAccount(t *testing.T) {
	if daemontest.AsOrdinaryUser(t) {
		return
	}
	statePath := filepath.Join(t.TempDir(), "state.db")
	in, err := open(statePath, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer in.listener.Close()
	if err := os.Chmod(meetingFile(statePath), 0); err != nil {
		t.Fatal(err)
	}
	_, err = Dial(t.Context(), statePath)
	if denied, ok := errors.AsType[*fs.PathError](err); !ok || denied.Path != meetingFile(statePath) || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("it is found to be %v", err)
	}
}

// Where there is no directory for a short name of the socket, nobody knows whether a daemon runs.
func TestNoPlaceForAShortName(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	_, err := connect(t.Context(), filepath.Join(t.TempDir(), strings.Repeat("long", 40), "state.db.control"))
	if err == nil || errors.Is(err, ErrNoDaemon) {
		t.Errorf("it is found to be %v", err)
	}
}

// A daemon with a state file of a long name has no socket, and its commands find none.
func TestLongNameOfAStateFile(t *testing.T) {
	statePath := filepath.Join(t.TempDir(), strings.Repeat("long", 30))
	if _, err := open(statePath, nil); err == nil || !strings.Contains(err.Error(), "with a shorter name") {
		t.Errorf("it listens: %v", err)
	}
	if isReached(t, statePath) {
		t.Error("a daemon is found")
	}
}

// A daemon on its way out, which accepts and says nothing more, is none.
func TestDaemonOnItsWayOut(t *testing.T) {
	statePath := filepath.Join(t.TempDir(), "state.db")
	in, err := open(statePath, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer in.listener.Close()
	go func() {
		for {
			conn, err := in.listener.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	}()
	if _, err := Dial(t.Context(), statePath); !errors.Is(err, ErrNoDaemon) {
		t.Errorf("it is found to be %v", err)
	}
}

// A drive without sockets needs a person, who gets the remedy.
func TestDriveWithoutSockets(t *testing.T) {
	if _, err := open("/sys/state.db", nil); errors.Is(err, syscall.EPERM) && !strings.Contains(err.Error(), "with path in [state]") {
		t.Errorf("below /sys: %v", err)
	}
	for cause, needs := range map[error]bool{syscall.EPERM: true, syscall.EOPNOTSUPP: true, syscall.EACCES: false, syscall.ENOSPC: false} {
		err := explain(&net.OpError{Op: "listen", Net: "unix", Err: os.NewSyscallError("bind", cause)})
		if got := strings.Contains(err.Error(), "with path in [state]"); got != needs || !errors.Is(err, cause) {
			t.Errorf("%v", err)
		}
	}
}

// However many connections are open, descriptors are left for photos.
func TestFewConnections(t *testing.T) {
	d, statePath := newDaemon(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, daemon.NewLive(d), statePath) }()
	var held []net.Conn
	for len(held) <= mostConnections {
		conn, err := connect(t.Context(), meetingFile(statePath))
		if errors.Is(err, ErrNoDaemon) { // it does not listen yet
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, conn)
	}
	last := held[mostConnections]
	last.SetReadDeadline(time.Now().Add(4 * time.Second))
	if _, err := last.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("one more than the most: %v", err)
	}
	for _, conn := range held {
		conn.Close()
	}
	for !isReached(t, statePath) {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
