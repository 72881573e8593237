package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/zalando/go-keyring"

	"spinsync/cmd/spinsync/cli"
)

const loginHelp = `Asks for the password of the user in sync.toml, tries it on the service, and keeps
it in the system's keychain. Without a terminal it reads the password from
standard input.

The keychain belongs to the person who runs this command. A service that runs as
another user cannot read it: use password_file there.`

func loginCommand(call *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use: "login", Short: "Keep the password in the system's keychain", Args: cobra.NoArgs, Long: loginHelp,
		RunE: func(c *cobra.Command, _ []string) error { return login(c.Context(), call) },
	}
}

func logoutCommand(call *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use: "logout", Short: "Remove the password from the system's keychain", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return logout(call) },
	}
}

func login(ctx context.Context, call *cli.Call) error {
	c, err := call.Config()
	if err != nil {
		return err
	}
	if call.Keychain() == nil {
		return cli.ErrNoKeychain
	}
	password, err := call.AskPassword(c.Service)
	if err != nil {
		return err
	}
	client, err := call.Connect(c, password)
	if err != nil {
		return err
	}
	if _, err := client.Projects(ctx); err != nil {
		return fmt.Errorf("nothing is kept: %w", err)
	}
	if err := keyring.Set(cli.KeychainItem(c.Service.BaseURL), c.Service.Username, password.Reveal()); err != nil {
		return fmt.Errorf("keychain: %w", err)
	}
	_, err = fmt.Fprintf(call.Stdout, "the password of %s is in the keychain\n", c.Service.Username)
	return err
}

func logout(call *cli.Call) error {
	c, err := call.Config()
	if err != nil {
		return err
	}
	if call.Keychain() == nil {
		return cli.ErrNoKeychain
	}
	outcome := "is no longer in the keychain"
	err = keyring.Delete(cli.KeychainItem(c.Service.BaseURL), c.Service.Username)
	if errors.Is(err, keyring.ErrNotFound) {
		outcome, err = "was not in the keychain", nil
	}
	if err != nil {
		return fmt.Errorf("keychain: %w", err)
	}
	_, err = fmt.Fprintf(call.Stdout, "the password of %s %s\n", c.Service.Username, outcome)
	return err
}
