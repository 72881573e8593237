package nofollow

import "syscall"

// IsPlain reports whether a path that ends with a name leads to what has this very name in its
// directory. Windows drops dots and spaces at the end of a name, and takes aux.png for a device.
func IsPlain(name string) bool {
	path := `C:\` + name
	full, err := syscall.FullPath(path)
	return err == nil && full == path
}
