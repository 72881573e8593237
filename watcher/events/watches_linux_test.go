package events

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// Where the system allows no more watches, a folder that became active takes the watch of an idle
// one, and no other idle folder gets one. The system allows few in a user namespace of its own.
func TestSystemAllowsNoMoreWatches(t *testing.T) {
	const few = "/proc/sys/user/max_inotify_watches"
	if os.Getenv("FEW_WATCHES") == "" {
		test := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
		test.Env = append(os.Environ(), "FEW_WATCHES=1")
		test.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		}
		out, err := test.CombinedOutput()
		if _, ran := err.(*exec.ExitError); err != nil && !ran {
			t.Skip("this account may make no user namespace: ", err)
		} else if ran {
			t.Fatalf("%s", out)
		}
		return
	}
	n := opened(t, false, "a", "a/1", "a/2", "a/3", "b")
	if err := os.WriteFile(few, []byte("2"), 0); err != nil {
		t.Fatal(err)
	}
	n.Add("a", Above)
	n.Add("a/1", IdleFolder)
	if n.Add("a/2", IdleFolder); !n.Has("a/1") || n.Has("a/2") || n.Complete() {
		t.Error("beyond the limit an idle folder is watched, or the watches are complete")
	}
	if n.Add("a/3", ActiveFolder); n.Has("a/1") || !n.Has("a/3") || len(n.fs.WatchList()) != 2 {
		t.Errorf("no idle folder gave way to an active one: watched are %v", n.fs.WatchList())
	}
	if n.Add("b", Above); n.Has("a/3") || !n.Has("b") || len(n.fs.WatchList()) != 2 {
		t.Errorf("no folder gave way to a directory above: watched are %v", n.fs.WatchList())
	}
}
