package rootlock

import (
	"path/filepath"
	"testing"
	"testing/synctest"
)

// A drive that does not answer keeps nothing from starting, and is still one folder.
func TestFolderThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		folder := t.TempDir()
		answers := make(chan struct{})
		hanging := func(path string) (string, error) {
			<-answers
			return path + "-elsewhere", nil
		}
		plain := func(path string) (string, error) { return path, nil }
		if nameOf(folder+string(filepath.Separator), hanging) != nameOf(folder, plain) {
			t.Error("it is not named by its path")
		}
		close(answers)
	})
}
