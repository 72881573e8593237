package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"spinsync/cmd/spinsync/cli"
	"spinsync/daemon/config"
	"spinsync/daemon/control"
)

// healthPatience is shorter than the timeout of the health check in docs/compose.yaml, so that the
// command names the trouble before the check is ended.
const healthPatience = 30 * time.Second

// printHealth asks the daemon whether publishing can go on. A mistake that came into sync.toml since
// its start is no answer to that.
func printHealth(ctx context.Context, call *cli.Call) error {
	path := config.StatePath(call.ConfigFile(), call.Env)
	if path == "" {
		c, err := call.Config()
		if err != nil {
			return err
		}
		path = c.State.Path
	}
	ctx, cancel := context.WithTimeout(ctx, healthPatience)
	defer cancel()
	running, err := control.Dial(ctx, path)
	if err != nil {
		return err
	}
	trouble, err := running.Health(ctx)
	if err != nil {
		return err
	}
	if trouble != "" {
		return errors.New(trouble)
	}
	_, err = fmt.Fprintln(call.Stdout, "ok")
	return err
}
