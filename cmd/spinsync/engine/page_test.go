package engine

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/daemon/config"
)

// A page that cannot be served at first comes when it can, and the log is not filled with it.
func TestPageIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var log bytes.Buffer
		tries := 0
		go tryEachMinute(ctx, slog.New(slog.NewTextHandler(&log, nil)), func(ctx context.Context) error {
			if tries++; tries < 4 {
				return errors.New("cannot assign requested address")
			}
			<-ctx.Done()
			return nil
		})
		time.Sleep(time.Hour)
		synctest.Wait()
		cancel()
		synctest.Wait()
		if n := strings.Count(log.String(), "the page cannot be served"); tries != 4 || n != 1 {
			t.Errorf("it was tried %d times and logged %d times", tries, n)
		}
	})
}

// The address for other screens has a name that the page answers to, or an address of this machine.
func TestAddressElsewhere(t *testing.T) {
	for _, test := range []struct {
		listen string
		hosts  []string
		want   string
	}{
		{"127.0.0.1:8360", []string{"studio.local"}, ""}, {"localhost:8360", nil, ""}, {"", nil, ""}, {":0", nil, ""},
		{":8360", []string{"studio.local"}, "https://studio.local:8360/"},
		{"192.168.1.9:8360", nil, "https://192.168.1.9:8360/"}, {"[fd00::1]:8360", nil, "https://[fd00::1]:8360/"},
		{"studio.local:443", nil, "https://studio.local:443/"},
	} {
		if got := addressElsewhere(config.Dashboard{Listen: test.listen, Hosts: test.hosts}); got != test.want {
			t.Errorf("at %q: %q, want %q", test.listen, got, test.want)
		}
	}
	own := ownAddress()
	if got := addressElsewhere(config.Dashboard{Listen: "0.0.0.0:8360"}); (got == "") != (own == "") || own != "" && !strings.Contains(got, own) {
		t.Errorf("of this machine at %q: %q", own, got)
	}
}
