//go:build !linux && !darwin && !windows

package watcher

// groundOf knows no volumes on this system, and treats each as a network drive.
func groundOf(string) (ground, error) { return ground{network: true}, nil }
