package daemon

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"spinsync/daemon/status"
	"spinsync/watcher"
)

// NoAccess names the account, the path that it may not read, and the command that grants the right.
// It reports false when the error is not about access.
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

// accessRemedy is the command or setting with which a person grants the right.
func accessRemedy(e *watcher.AccessError) string {
	if runtime.GOOS == "darwin" && errors.Is(e, syscall.EPERM) {
		return "allow spinsync in System Settings, Privacy & Security, Files and Folders"
	}
	return "give it the right with `" + grantCommand(runtime.GOOS, accountName(), e.Dir, e.Own) + "`"
}

// grantCommand is the command that lets an account read a directory with all its content.
func grantCommand(system, account, dir string, own bool) string {
	switch {
	case system == "windows":
		return fmt.Sprintf(`icacls %s /grant "%s:(OI)(CI)RX" /T`, shellWord(dir, true), account)
	case own:
		return "chmod -R u+rX " + shellWord(dir, false)
	case system == "darwin":
		return fmt.Sprintf("sudo chmod -R +a %s %s",
			shellWord(account+" allow read,execute", false), shellWord(dir, false))
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

// planUnreadable plans for a folder that cannot be read. A published folder below an unreadable
// directory stays published: the directory has a status of its own.
func (s scene) planUnreadable() step {
	next := unreadable(s.snapshot.Err)
	place := filepath.Join(s.snapshot.Root, filepath.FromSlash(s.snapshot.Folder))
	e, denied := errors.AsType[*watcher.AccessError](s.snapshot.Err)
	switch {
	case !denied || e.Path == place:
	case State(s.record.State) == Published:
		next.state = Published
	case !strings.HasPrefix(e.Path, place+string(filepath.Separator)):
		next.state = Retrying // a person is called to the directory above, once for all of its folders
	}
	return next
}

// unreadable is the step of a folder that cannot be read. A person is called when the account lacks
// a right.
func unreadable(err error) step {
	if denied := noAccess(err); denied != nil {
		return attention(denied)
	}
	return step{action: rest, state: Retrying, cause: &status.Cause{Kind: status.Unreadable, Said: err.Error()}}
}
