//go:build !windows

package simulation

import "syscall"

// makePipe makes a file whose reader waits for a writer.
func makePipe(name string) error { return syscall.Mkfifo(name, 0o644) }
