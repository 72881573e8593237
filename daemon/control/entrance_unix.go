//go:build !windows

package control

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
)

// errReset is the system's error for a connection that the other side dropped.
const errReset = syscall.ECONNRESET

// open makes the socket of a state file, in the place of one that a killed daemon left. Who calls it
// has the state file locked, so that no other daemon listens there.
func open(statePath string, handler http.Handler) (entrance, error) {
	socket := meetingFile(statePath)
	if err := os.Remove(socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return entrance{}, err
	}
	listener, err := listen(socket)
	if err != nil {
		return entrance{}, explain(err)
	}
	made, err := os.Lstat(socket)
	if err != nil {
		return entrance{}, errors.Join(err, listener.Close())
	}
	remove := func() {
		if found, err := os.Lstat(socket); err == nil && os.SameFile(found, made) { // else it is another daemon's
			os.Remove(socket)
		}
	}
	return entrance{listener, handler, remove}, nil
}

// listen makes a socket for this account alone. The process makes nothing for others in the meantime:
// were the mode set later, all users could connect for a moment.
func listen(socket string) (listener *net.UnixListener, err error) {
	err = withShortName(socket, func(name string) (err error) {
		before := syscall.Umask(0o077)
		defer syscall.Umask(before)
		listener, err = net.ListenUnix("unix", &net.UnixAddr{Name: name})
		return err
	})
	if err == nil {
		listener.SetUnlinkOnClose(false) // its name may be another daemon's by then
	}
	return listener, err
}

// explain adds what to do where a file system has no sockets, as FAT and exFAT, or the state file has a
// long name.
func explain(err error) error {
	switch {
	case errors.Is(err, syscall.EPERM), errors.Is(err, errors.ErrUnsupported):
		return fmt.Errorf("%w; this drive has no sockets, name a state file on another one with path in [state]", err)
	case errors.Is(err, syscall.EINVAL):
		return fmt.Errorf("%w; name a state file with a shorter name with path in [state]", err)
	}
	return err
}

// reach connects to the socket of a state file. It keeps no connection: a command that asks again and
// again would hold all that the daemon accepts.
func reach(_ context.Context, statePath string) (http.RoundTripper, error) {
	return &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return connect(ctx, meetingFile(statePath))
	}}, nil
}

func connect(ctx context.Context, socket string) (conn net.Conn, err error) {
	err = withShortName(socket, func(name string) (err error) {
		conn, err = new(net.Dialer).DialContext(ctx, "unix", name)
		return err
	})
	var dialled *net.OpError
	if !errors.As(err, &dialled) {
		return conn, err
	}
	switch no, ok := errors.AsType[syscall.Errno](err); {
	case no == syscall.ENOENT, no == syscall.ENOTDIR, no == syscall.ECONNREFUSED, no == syscall.EINVAL: // since a kill, or nobody can listen there
		return nil, ErrNoDaemon
	case ok:
		return nil, &fs.PathError{Op: "connect to", Path: socket, Err: no}
	}
	return nil, err
}

// longestName is what macOS takes as the name of a socket. Linux takes four bytes more.
const longestName = 103

// withShortName gives do a name of a socket that the system takes. One that is too long leads through
// a link to its directory.
func withShortName(socket string, do func(name string) error) error {
	if len(socket) <= longestName {
		return do(socket)
	}
	dir, err := os.MkdirTemp("", "spinsync-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	link := filepath.Join(dir, "s")
	if err := os.Symlink(filepath.Dir(socket), link); err != nil {
		return err
	}
	return do(filepath.Join(link, filepath.Base(socket)))
}
