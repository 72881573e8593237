package nofollow

import (
	"path/filepath"
	"syscall"
)

// spelled asks the system for the name as it is listed, which reads no directory.
func spelled(dir, name string, as func(string) string) error {
	found, err := find(filepath.Join(dir, name))
	if err == nil && as(syscall.UTF16ToString(found.FileName[:])) != name {
		err = otherSpelling(dir, name)
	}
	return err
}
