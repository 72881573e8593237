package daemon

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"

	"spinsync/daemon/status"
	"spinsync/watcher"
)

// NoAccess tells who may not read what, and the command that changes it, if that is what an error
// is about.
func NoAccess(err error) (reason string, denied bool) {
	c := noAccess(err)
	return status.Sentence(c, status.AnyFolder), c != nil
}

func noAccess(err error) *status.Cause {
	e, denied := errors.AsType[*watcher.AccessError](err)
	if !denied {
		return nil
	}
	said := fmt.Sprintf("the account %s may not read %s", accountName(), status.Name(e.Path))
	return &status.Cause{Kind: status.NoAccess, Said: said, Remedy: accessRemedy(e)}
}

// accessRemedy is what a person types who may change the rights.
func accessRemedy(e *watcher.AccessError) string {
	if runtime.GOOS == "darwin" && errors.Is(e, syscall.EPERM) {
		return "allow spinsync in System Settings, Privacy & Security, Files and Folders"
	}
	return "give it the right with `" + grantCommand(runtime.GOOS, accountName(), e.Dir, e.Own) + "`"
}

// grantCommand lets an account read a directory and all that is in it.
func grantCommand(system, account, dir string, own bool) string {
	switch {
	case system == "windows":
		return fmt.Sprintf(`icacls %s /grant "%s:(OI)(CI)RX" /T`, shellWord(dir, true), account)
	case own:
		return "chmod -R u+rX " + shellWord(dir, false)
	case system == "darwin":
		return fmt.Sprintf("sudo chmod -R +a %s %s", shellWord(account+" allow read,execute", false), shellWord(dir, false))
	}
	return fmt.Sprintf("sudo setfacl -R -m %s %s", shellWord("u:"+account+":rX", false), shellWord(dir, false))
}

// accountName is the account of this process, by its number where it has no name.
var accountName = sync.OnceValue(func() string {
	if who, err := user.Current(); err == nil {
		return who.Username
	}
	return strconv.Itoa(os.Geteuid())
})

// planUnreadable is for a folder that cannot be read. One that is published and lies below a
// directory that bars the way stays published: that directory is told by itself.
func (s scene) planUnreadable() step {
	next := unreadable(s.snapshot.Err)
	place := filepath.Join(s.snapshot.Root, filepath.FromSlash(s.snapshot.Folder))
	e, denied := errors.AsType[*watcher.AccessError](s.snapshot.Err)
	if denied && e.Path != place && State(s.record.State) == Published {
		next.state = Published
	}
	return next
}

// unreadable is the step of a folder that cannot be read: a person is called where an account lacks
// a right.
func unreadable(err error) step {
	if denied := noAccess(err); denied != nil {
		return attention(denied)
	}
	return step{action: rest, state: Retrying, cause: &status.Cause{Kind: status.Unreadable, Said: err.Error()}}
}
