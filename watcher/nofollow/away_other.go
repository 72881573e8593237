//go:build !unix && !windows

package nofollow

import "io/fs"

func isAway(fs.FileInfo) bool { return false }
