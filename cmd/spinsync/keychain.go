package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/zalando/go-keyring"
	"golang.org/x/term"

	"spinsync/apiclient"
	"spinsync/daemon/config"
)

// askPassword reads a password without showing it.
func (a *app) askPassword(s config.Service) (apiclient.Secret, error) {
	var typed string
	if keyboard, ok := terminal(a.stdin); ok {
		fmt.Fprintf(a.stderr, "password of %s at %s: ", s.Username, s.BaseURL)
		line, err := term.ReadPassword(int(keyboard.Fd()))
		fmt.Fprintln(a.stderr)
		if err != nil {
			return "", err
		}
		typed = string(line)
	} else {
		typed, _ = bufio.NewReader(a.stdin).ReadString('\n')
	}
	typed = strings.TrimRight(typed, "\r\n")
	if typed == "" {
		return "", usageErrorf("no password was given")
	}
	return apiclient.Secret(typed), nil
}

var errNoKeychain = errors.New("this system has no keychain to keep a password in; use password_file in sync.toml")

// keychain returns how the system's keychain is asked, nil where there is none: on Linux that is a
// session without a bus, where asking would start one.
func (a *app) keychain() config.Keychain {
	if runtime.GOOS == "linux" && a.env("DBUS_SESSION_BUS_ADDRESS") == "" {
		if _, err := os.Stat(filepath.Join(a.env("XDG_RUNTIME_DIR"), "bus")); a.env("XDG_RUNTIME_DIR") == "" ||
			err != nil {
			return nil
		}
	}
	return func(baseURL, username string) (string, error) {
		password, err := keyring.Get(keychainItem(baseURL), username)
		if errors.Is(err, keyring.ErrNotFound) {
			return "", nil
		}
		return password, err
	}
}

// keychainItem is the name of the password in the keychain, beside the user's.
func keychainItem(baseURL string) string { return "spinsync " + baseURL }
