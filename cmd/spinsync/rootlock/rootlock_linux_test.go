package rootlock

import (
	"errors"
	"net"
	"testing"
)

// A program that is stopped holds its names, and lets all others go on.
func TestHolderThatIsStopped(t *testing.T) {
	name := t.TempDir()
	listener, err := net.ListenUnix("unix", addressOf(name))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if _, held := find(name); !held {
		t.Error("its name is free")
	}
}

// TestProgramOfTheFleetThatIsStopped: another one of the fleet goes on, also as the stopped one goes on
// while it is asked.
func TestProgramOfTheFleetThatIsStopped(t *testing.T) {
	folder := t.TempDir()
	first, second := Lock{State: "a.db", Fleet: "nas"}, Lock{State: "b.db", Fleet: "nas"}
	if err := errors.Join(first.Take(folder), second.Take(folder), first.Release()); err != nil {
		t.Fatal(err)
	}
	for _, h := range second.held { // as the first one has them, which answers the second call only
		listener, err := net.ListenUnix("unix", addressOf(h.name))
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		go func() {
			for silent := true; ; silent = false {
				conn, err := listener.AcceptUnix()
				if err != nil {
					return
				}
				if !silent {
					_, _ = conn.Write(holder{State: "a.db", Fleet: "nas"}.card())
					_ = conn.Close()
				}
			}
		}()
	}
	for range 3 {
		if err := second.Check(folder); err != nil {
			t.Error(err)
		}
	}
	if err := second.Release(); err != nil {
		t.Error(err)
	}
}

func TestTheEndOfAHolder(t *testing.T) {
	listener, err := net.ListenUnix("unix", addressOf(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		hand(listener, nil)
		close(ended)
	}()
	if err := listener.Close(); err != nil {
		t.Error(err)
	}
	<-ended
}
