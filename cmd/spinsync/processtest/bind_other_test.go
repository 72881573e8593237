//go:build unix && !linux

package processtest

import "testing"

// bindMount is of Linux.
func bindMount(*testing.T, string, string) bool { return false }
