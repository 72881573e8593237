package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/zalando/go-keyring"
)

const loginHelp = `Asks for the password of the user in sync.toml, tries it on the service, and keeps it in the system's keychain. Without a
terminal it is read from standard input.

The keychain is that of the person who runs this. A service that runs as another user does not see it: give it the
password with password_file.`

func loginCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "login", Short: "Keep the password in the system's keychain", Args: cobra.NoArgs, Long: loginHelp,
		RunE: func(c *cobra.Command, _ []string) error { return login(c.Context(), a) },
	}
}

func logoutCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "logout", Short: "Remove the password from the system's keychain", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return logout(a) },
	}
}

func login(ctx context.Context, a *app) error {
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

func logout(a *app) error {
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
