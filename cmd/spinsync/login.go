package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"github.com/zalando/go-keyring"
	"golang.org/x/term"

	"spinsync/apiclient"
	"spinsync/daemon/config"
)

const loginHelp = `Asks for the password of the user in sync.toml, tries it on the service, and keeps it in the system's keychain. Without a
terminal it is read from standard input.

The keychain is that of the person who runs this. A service that runs as another user does not see it: give it the
password with password_file.`

func (a *app) loginCommand() *cobra.Command {
	return &cobra.Command{
		Use: "login", Short: "Keep the password in the system's keychain", Args: cobra.NoArgs, Long: loginHelp,
		RunE: func(c *cobra.Command, _ []string) error { return a.login(c.Context()) },
	}
}

func (a *app) logoutCommand() *cobra.Command {
	return &cobra.Command{
		Use: "logout", Short: "Remove the password from the system's keychain", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.logout() },
	}
}

func (a *app) login(ctx context.Context) error {
	c, err := a.config()
	if err != nil {
		return err
	}
	if a.keychain() == nil {
		return errNoKeychain
	}
	password, err := a.askPassword(c.Service)
	if err != nil {
		return err
	}
	client, err := a.clientWith(c, password)
	if err != nil {
		return err
	}
	if _, err := client.Projects(ctx); err != nil {
		return fmt.Errorf("nothing is kept: %w", err)
	}
	if err := keyring.Set(keychainItem(c.Service.BaseURL), c.Service.Username, password.Reveal()); err != nil {
		return fmt.Errorf("keychain: %w", err)
	}
	_, err = fmt.Fprintf(a.stdout, "the password of %s is in the keychain\n", c.Service.Username)
	return err
}

func (a *app) logout() error {
	c, err := a.config()
	if err != nil {
		return err
	}
	if a.keychain() == nil {
		return errNoKeychain
	}
	outcome := "is no longer in the keychain"
	err = keyring.Delete(keychainItem(c.Service.BaseURL), c.Service.Username)
	if errors.Is(err, keyring.ErrNotFound) {
		outcome, err = "was not in the keychain", nil
	}
	if err != nil {
		return fmt.Errorf("keychain: %w", err)
	}
	_, err = fmt.Fprintf(a.stdout, "the password of %s %s\n", c.Service.Username, outcome)
	return err
}

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
