//go:build !unix && !windows

package nofollow

import "io/fs"

var gone, busy = []error{fs.ErrNotExist}, []error(nil)
