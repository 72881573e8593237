package outcome

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"runtime"
	"strconv"
	"strings"
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
	who := thisAccount()
	text := fmt.Sprintf("the account %s cannot read %s", who.name, status.Name(e.Path))
	return &status.Cause{Kind: status.NoAccess, Text: text, Remedy: who.remedy(e)}
}

// Unreadable completes the sentence "the root …" for an error of reading it.
func Unreadable(err error) string {
	if denied := NoAccess(err); denied != nil {
		return "cannot be read: " + status.Sentence(denied, status.AnyFolder)
	}
	return err.Error()
}

// An account lacks a right on a system, which has its own way to give it.
type account struct {
	system string // as runtime.GOOS names it
	name   string // or its number
	group  string
	lists  bool // setfacl is installed
	local  bool // the system's own account: no other machine knows it, and macOS asks nobody for it
}

// remedy is the command or setting with which a person grants the right.
func (a account) remedy(e *watcher.AccessError) string {
	switch {
	case a.system == "darwin" && errors.Is(e, syscall.EPERM):
		right := "Files and Folders"
		if a.local {
			right = "Full Disk Access"
		}
		return "allow spinsync in System Settings, Privacy & Security, " + right
	case a.local && strings.HasPrefix(e.Dir, `\\`):
		return "let the service run as an account that the NAS knows, with `spinsync service install --account NAME`"
	}
	return "give it the right with `" + a.grant(e.Dir, e.Own) + "`"
}

// grant is the command that lets the account read a directory with all its content.
func (a account) grant(dir string, own bool) string {
	word := status.ShellWordFor(dir, a.system == "windows")
	switch {
	case a.system == "windows":
		return fmt.Sprintf(`icacls %s /grant "%s:(OI)(CI)RX" /T`, word, a.name)
	case own:
		return "chmod -R u+rX " + word
	case a.system == "darwin":
		return fmt.Sprintf("sudo chmod -R +a %s %s", status.ShellWordFor(a.name+" allow read,execute", false), word)
	case !a.lists:
		return fmt.Sprintf("sudo chgrp -R %s %s && sudo chmod -R g+rX %[2]s", status.ShellWordFor(a.group, false), word)
	}
	return fmt.Sprintf("sudo setfacl -R -m %s %s", status.ShellWordFor("u:"+a.name+":rX", false), word)
}

// thisAccount is the account of this process, by numbers where it has no names.
var thisAccount = sync.OnceValue(func() account {
	systems := map[string]string{"windows": "S-1-5-18", "darwin": "0"}
	_, missing := exec.LookPath("setfacl")
	a := account{
		system: runtime.GOOS, name: strconv.Itoa(os.Geteuid()), group: strconv.Itoa(os.Getegid()), lists: missing == nil,
	}
	who, err := user.Current()
	if err != nil {
		return a
	}
	a.name, a.local = who.Username, who.Uid == systems[runtime.GOOS]
	if group, err := user.LookupGroupId(who.Gid); err == nil {
		a.group = group.Name
	}
	return a
})
