package rootlock

import (
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
