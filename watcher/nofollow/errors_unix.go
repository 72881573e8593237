//go:build unix

package nofollow

import "golang.org/x/sys/unix"

var (
	gone = []error{unix.ENOENT, unix.ENOTDIR}
	busy = []error{unix.EBUSY, unix.ETXTBSY, unix.EAGAIN} // EAGAIN: a lease is being given back
)
