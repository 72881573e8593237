package rootlock

import (
	"errors"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

func folded(path string) string { return path }

// hold listens on a socket that has a name and no file: services with a private /tmp see it too.
func hold(name string) (release func() error, holder string, err error) {
	address := &net.UnixAddr{Net: "unix", Name: "@" + name}
	listener, err := net.ListenUnix("unix", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, listenerOf(address), ErrHeld
	}
	if err != nil {
		return nil, "", err
	}
	return listener.Close, "", nil
}

// listenerOf names the process that listens, or nobody when it cannot be asked.
func listenerOf(address *net.UnixAddr) (holder string) {
	conn, err := net.DialUnix("unix", nil, address)
	if err != nil {
		return ""
	}
	defer conn.Close()
	raw, err := conn.SyscallConn()
	if err != nil {
		return ""
	}
	_ = raw.Control(func(fd uintptr) {
		if peer, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil && peer.Pid > 0 {
			holder = process(int(peer.Pid))
		}
	})
	return holder
}
