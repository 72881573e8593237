//go:build !linux && !darwin && !windows

package watcher

// groundOf knows nothing here, and what is unknown is treated as a network drive.
func groundOf(string) (ground, error) { return ground{network: true}, nil }
