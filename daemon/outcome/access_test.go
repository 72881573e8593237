package outcome

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"spinsync/watcher"
)

// Each system has its own command. Without setfacl the account's group is let in; a NAS does not
// know the account LocalSystem, so that no command there helps.
func TestRemedyIsACommandOfTheSystem(t *testing.T) {
	linux := account{system: "linux", name: "spinsync", group: "photo", lists: true}
	bare := linux
	bare.lists = false
	windows := account{system: "windows", name: `NT AUTHORITY\SYSTEM`, local: true}
	for name, test := range map[string]struct {
		account account
		denied  watcher.AccessError
		want    string
	}{
		"linux":           {linux, watcher.AccessError{Dir: "/srv/a b"}, "`sudo setfacl -R -m u:spinsync:rX '/srv/a b'`"},
		"without setfacl": {bare, watcher.AccessError{Dir: "/srv"}, "`sudo chgrp -R photo /srv && sudo chmod -R g+rX /srv`"},
		"own":             {bare, watcher.AccessError{Dir: "/srv", Own: true}, "`chmod -R u+rX /srv`"},
		"mac":             {account{system: "darwin", name: "anna"}, watcher.AccessError{Dir: "/srv"}, "`sudo chmod -R +a 'anna allow read,execute' /srv`"},
		"mac's privacy":   {account{system: "darwin", name: "anna"}, watcher.AccessError{Dir: "/srv", Err: syscall.EPERM}, "Files and Folders"},
		"mac's daemon":    {account{system: "darwin", name: "root", local: true}, watcher.AccessError{Dir: "/srv", Err: syscall.EPERM}, "Full Disk Access"},
		"windows":         {windows, watcher.AccessError{Dir: `C:\shoots`}, "`icacls C:\\shoots /grant \"NT AUTHORITY\\SYSTEM:(OI)(CI)RX\" /T`"},
		"NAS":             {windows, watcher.AccessError{Dir: `\\nas\shoots`}, "`spinsync service install --account NAME`"},
		"NAS, known":      {account{system: "windows", name: "anna"}, watcher.AccessError{Dir: `\\nas\a`}, "icacls"},
	} {
		if got := test.account.remedy(&test.denied); !strings.Contains(got, test.want) {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

// The cause for a root that may not be read names this account and the place; every other error
// stays as it is.
func TestUnreadableNamesAccountAndPlace(t *testing.T) {
	got := Unreadable(&watcher.AccessError{Path: "/srv/shoots", Dir: "/srv", Err: fs.ErrPermission})
	want := "cannot be read: the account " + thisAccount().name + " cannot read /srv/shoots; give it the right with `"
	if !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Unreadable(errors.New("is missing")); got != "is missing" {
		t.Errorf("another error is %q", got)
	}
}
