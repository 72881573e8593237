package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"spinsync/cmd/spinsync/check"
	"spinsync/cmd/spinsync/cli"
	osservice "spinsync/cmd/spinsync/service"
	"spinsync/daemon/config"
)

// probeCommand is what service install has the service manager run once, in the service's account.
func probeCommand(call *cli.Call) *cobra.Command {
	var to string
	c := &cobra.Command{
		Use: "probe", Short: "Check as JSON, for service install", Args: cobra.NoArgs, Hidden: true,
		RunE: func(c *cobra.Command, _ []string) error {
			return osservice.Host(c.Context(), func(ctx context.Context) error { return probe(ctx, call, to) })
		},
	}
	c.Flags().StringVar(&to, "to", "", "write to this `FILE` instead of standard output")
	return c
}

func probe(ctx context.Context, call *cli.Call, to string) error {
	found := findings(ctx, call)
	if to == "" {
		return json.NewEncoder(call.Stdout).Encode(found)
	}
	data, err := json.Marshal(found)
	if err != nil {
		return err
	}
	if err := os.WriteFile(to+".part", data, 0o600); err != nil {
		return err
	}
	return os.Rename(to+".part", to) // a waiting reader sees it whole
}

// findings are those of check, and what bars the way to the files it could not read.
func findings(ctx context.Context, call *cli.Call) osservice.Findings {
	var found osservice.Findings
	if who, err := user.Current(); err == nil {
		found.Account = who.Username
	}
	c, err := call.Config()
	if err != nil {
		found.Rows = [][]string{{"fail", "config", err.Error()}}
		found.Failure = "sync.toml cannot be read"
		found.Blocked = obstacles(call.ConfigPath)
		return found
	}
	report := check.Examine(ctx, call, c)
	found.Rows = report.Rows
	if err := report.Verdict(); err != nil {
		found.Failure = err.Error()
	}
	found.Blocked = obstacles(neededFiles(c)...)
	return found
}

// neededFiles are those without which nothing works, if they are there.
func neededFiles(c *config.Config) []string {
	var paths []string
	for _, w := range c.Watch {
		paths = append(paths, w.Path)
	}
	paths = append(paths, c.State.Path, c.Service.PasswordFile, c.Service.CAFile,
		c.Dashboard.PasswordFile, c.Dashboard.CertFile, c.Dashboard.KeyFile)
	return slices.DeleteFunc(paths, func(path string) bool { return path == "" })
}

func obstacles(paths ...string) []string {
	var found []string
	for _, path := range paths {
		if place := obstacle(path); place != "" && !slices.Contains(found, place) {
			found = append(found, place)
		}
	}
	return found
}

// obstacle returns the place on the way to path that this account may not pass or read. It is empty
// when the trouble is not one of permissions.
func obstacle(path string) string {
	f, err := os.Open(path)
	if err == nil {
		f.Close()
	}
	if !errors.Is(err, fs.ErrPermission) {
		return ""
	}
	for place := path; ; place = filepath.Dir(place) {
		if _, err := os.Lstat(place); err == nil || place == filepath.Dir(place) {
			return place
		}
	}
}
