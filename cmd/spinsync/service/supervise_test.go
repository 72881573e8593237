package service

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// listen receives notifications, as the service manager does.
func listen(t *testing.T) *net.UnixConn {
	t.Helper()
	path := filepath.Join(t.TempDir(), "notify")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close() })
	t.Setenv("NOTIFY_SOCKET", path)
	t.Setenv("WATCHDOG_USEC", "3000")
	t.Setenv("WATCHDOG_PID", "")
	return socket
}

func hear(t *testing.T, socket *net.UnixConn) string {
	t.Helper()
	message := make([]byte, 1024)
	n, err := socket.Read(message)
	if err != nil {
		t.Fatal(err)
	}
	return string(message[:n])
}

// TestWatchdogIsFedByThePulse: ready after the first pulse, food after each of the others, none
// while the loop hangs.
func TestWatchdogIsFedByThePulse(t *testing.T) {
	socket := listen(t)
	pulses, hanging := 0, make(chan struct{})
	hangs := sync.OnceFunc(func() { close(hanging) })
	s := Supervised{
		Summary: func() string { return "well" },
		Pulse: func(ctx context.Context) error {
			if pulses++; pulses <= 3 {
				return nil
			}
			hangs()
			<-ctx.Done()
			return ctx.Err()
		},
	}
	ctx, stop := context.WithCancel(t.Context())
	failure := errors.New("the work's own error")
	ended := make(chan error, 1)
	go func() {
		ended <- s.Run(ctx, func(ctx context.Context) error {
			<-ctx.Done()
			return failure
		})
	}()
	<-hanging
	stop()
	if err := <-ended; err != failure {
		t.Errorf("Run returned %v", err)
	}
	var heard []string
	for len(heard) == 0 || heard[len(heard)-1] != "STOPPING=1" {
		heard = append(heard, hear(t, socket))
	}
	want := []string{"READY=1\nSTATUS=well", "WATCHDOG=1\nSTATUS=well", "WATCHDOG=1\nSTATUS=well", "STOPPING=1"}
	if diff := cmp.Diff(want, heard); diff != "" {
		t.Errorf("what systemd received (-want +got):\n%s", diff)
	}
}

// TestReloadIsNotified: systemd hears when the settings are read again, and when that is over.
func TestReloadIsNotified(t *testing.T) {
	socket := listen(t)
	over := Reloading()
	if got := hear(t, socket); got != "RELOADING=1" {
		t.Errorf("at first it hears %q", got)
	}
	over("well")
	if got := hear(t, socket); got != "READY=1\nSTATUS=well" {
		t.Errorf("at the end it hears %q", got)
	}
}

func TestNothingIsNotifiedWhereNobodyListens(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "nobody")
	for _, socket := range []string{"", nowhere} {
		t.Setenv("NOTIFY_SOCKET", socket)
		s := Supervised{Summary: func() string { return "" }, Pulse: func(context.Context) error { return nil }}
		if err := s.Run(t.Context(), func(context.Context) error { return nil }); err != nil {
			t.Errorf("with %q: %v", socket, err)
		}
	}
}

func TestBeatIsAThirdOfTheWatchdogs(t *testing.T) {
	for _, test := range []struct {
		usec, pid string
		want      string
	}{
		{"", "", "10s"}, {"6000000", "", "2s"}, {"600000000", "", "10s"}, {"6000000", "1", "10s"}, {"0", "", "10s"},
		{"-5", "", "10s"}, {"tea", "", "10s"}, {"1", "", "1ms"},
	} {
		t.Setenv("WATCHDOG_USEC", test.usec)
		t.Setenv("WATCHDOG_PID", test.pid)
		if got := watchdogTick().String(); got != test.want {
			t.Errorf("with %s for %q: %s, want %s", strings.TrimSpace(test.usec), test.pid, got, test.want)
		}
	}
}
