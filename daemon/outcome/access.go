package outcome

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"runtime"
	"strconv"
	"sync"
	"syscall"

	"spinsync/daemon/status"
	"spinsync/watcher"
)

// NoAccess names the account, the path that it may not read, and the command that grants the right.
// It is nil when the error is not about access.
func NoAccess(err error) *status.Cause {
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
		return fmt.Sprintf(`icacls %s /grant "%s:(OI)(CI)RX" /T`, status.ShellWordFor(dir, true), account)
	case own:
		return "chmod -R u+rX " + status.ShellWordFor(dir, false)
	case system == "darwin":
		return fmt.Sprintf("sudo chmod -R +a %s %s",
			status.ShellWordFor(account+" allow read,execute", false), status.ShellWordFor(dir, false))
	}
	right := status.ShellWordFor("u:"+account+":rX", false)
	return fmt.Sprintf("sudo setfacl -R -m %s %s", right, status.ShellWordFor(dir, false))
}

// accountName is the account of this process, by its number where it has no name.
var accountName = sync.OnceValue(func() string {
	if who, err := user.Current(); err == nil {
		return who.Username
	}
	return strconv.Itoa(os.Geteuid())
})
