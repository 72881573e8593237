//go:build !windows

package service

// NetworkPlace returns where a path on a mapped drive lies. Only Windows has drives that a service
// does not see.
func NetworkPlace(string) string { return "" }
