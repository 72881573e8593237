//go:build !unix && !windows

package nofollow

import "io/fs"

func isAway(fs.FileInfo) bool { return false }

func isRegular(_ string, info fs.FileInfo) bool { return info.Mode().IsRegular() }
