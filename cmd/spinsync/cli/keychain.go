package cli

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
	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon/config"
)

// AskPassword reads a password without showing it.
func (call *Call) AskPassword(s config.Service) (apiclient.Secret, error) {
	var typed string
	if keyboard, ok := terminal.IsTerminal(call.Stdin); ok {
		fmt.Fprintf(call.Stderr, "password of %s at %s: ", s.Username, s.BaseURL)
		line, err := term.ReadPassword(int(keyboard.Fd()))
		fmt.Fprintln(call.Stderr)
		if err != nil {
			return "", err
		}
		typed = string(line)
	} else {
		typed, _ = bufio.NewReader(call.Stdin).ReadString('\n')
	}
	typed = strings.TrimRight(typed, "\r\n")
	if typed == "" {
		return "", Usagef("no password was given")
	}
	return apiclient.Secret(typed), nil
}

// ErrNoKeychain is the error for a password that cannot be kept.
var ErrNoKeychain = errors.New("this system has no keychain to keep a password in; use password_file in sync.toml")

// Keychain returns how the system's keychain is asked, nil where there is none: on Linux that is a
// session without a bus, where asking would start one.
func (call *Call) Keychain() config.Keychain {
	if runtime.GOOS == "linux" && call.Env("DBUS_SESSION_BUS_ADDRESS") == "" {
		if _, err := os.Stat(filepath.Join(call.Env("XDG_RUNTIME_DIR"), "bus")); call.Env("XDG_RUNTIME_DIR") == "" ||
			err != nil {
			return nil
		}
	}
	return func(baseURL, username string) (string, error) {
		password, err := keyring.Get(KeychainItem(baseURL), username)
		if errors.Is(err, keyring.ErrNotFound) {
			return "", nil
		}
		return password, err
	}
}

// KeychainItem is the name of the password in the keychain. The entry also has the user's name.
func KeychainItem(baseURL string) string { return "spinsync " + baseURL }
