//go:build unix

package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spinsync/daemon/config"
	"spinsync/daemon/daemontest"
)

// An account that may not read the service's password hears where the file is, and gets no other password.
func TestHandedPasswordThatOthersMayNotRead(t *testing.T) {
	if daemontest.AsOrdinaryUser(t) {
		return
	}
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte("hunter2"), 0); err != nil {
		t.Fatal(err)
	}
	keychain := func(string, string) (string, error) { return "other", nil }
	s := config.Service{Username: "studio", BaseURL: "https://x", Handed: file}
	_, err := s.ResolvePassword(func(string) string { return "" }, keychain)
	if err == nil || !strings.Contains(err.Error(), "the service has it, in "+file+"; use sudo") {
		t.Error(err)
	}
}
