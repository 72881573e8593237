package rootlock

import (
	"errors"
	"io"
	"net"
	"syscall"
	"time"
)

func folded(path string) string { return path }

// hold listens on a socket that has a name and no file: services with a private /tmp see it too.
// The socket answers each caller with its holder.
func hold(name string, me holder) (h heldName, by holder, err error) {
	listener, err := net.ListenUnix("unix", addressOf(name))
	if errors.Is(err, syscall.EADDRINUSE) {
		by, held := find(name)
		if held {
			return heldName{}, by, ErrHeld
		}
		listener, err = net.ListenUnix("unix", addressOf(name)) // the other one ended meanwhile
	}
	if errors.Is(err, syscall.EADDRINUSE) {
		return heldName{}, holder{}, ErrHeld
	}
	if err != nil {
		return heldName{}, holder{}, err
	}
	go hand(listener, me.card())
	return heldName{release: listener.Close}, holder{}, nil
}

func addressOf(name string) *net.UnixAddr {
	return &net.UnixAddr{Name: "@" + systemName(name)}
}

// answerPatience is the wait for a program that holds a name. A program that is stopped holds it
// too, and does not answer.
const answerPatience = time.Second

// hand gives everybody the card until the listener is closed. It never waits, since a card fits
// into what the system keeps for a socket.
func hand(listener *net.UnixListener, card []byte) {
	for {
		conn, err := listener.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // no descriptor is free
			time.Sleep(answerPatience)
			continue
		}
		_, _ = conn.Write(card)
		_ = conn.Close()
	}
}

// find finds who holds a name.
func find(name string) (by holder, held bool) {
	conn, err := net.DialUnix("unix", nil, addressOf(name))
	if err != nil {
		return holder{}, errors.Is(err, syscall.EAGAIN) // too many wait for its answer
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(answerPatience))
	card, _ := io.ReadAll(io.LimitReader(conn, cardSize))
	return readCard(card), true
}
