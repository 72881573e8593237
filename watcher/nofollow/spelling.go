package nofollow

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Spelled makes sure that each segment of a path below the root is in the listing of the directory
// above, by its very bytes. A drive that ignores letter case, or has one name for all Unicode forms,
// finds a renamed directory under its old name too. As is how the caller knows a listed name.
func Spelled(root, below string, as func(listed string) string) error {
	at := root
	for seg := range strings.SplitSeq(below, "/") {
		if seg == "." {
			continue
		}
		if err := spelled(at, seg, as); err != nil {
			return err
		}
		at = filepath.Join(at, seg)
	}
	return nil
}

func otherSpelling(dir, name string) error {
	return fmt.Errorf("%s is spelled in another way: %w", filepath.Join(dir, name), ErrGone)
}
