package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A command gets each digest as JSON on its standard input, and its text and counts in the
// environment. It runs without a shell, with the rights of spinsync, and is killed when it takes
// too long.
type command struct {
	args    []string
	environ []string
}

func (c command) send(ctx context.Context, d Digest) error {
	body, err := json.Marshal(d)
	if err != nil {
		return err
	}
	var said tail
	run := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	run.Stdin, run.Stderr = bytes.NewReader(body), &said
	run.Env = append(slices.Clip(c.environ),
		"SPINSYNC_TEXT="+d.Text,
		"SPINSYNC_PUBLISHED="+strconv.Itoa(d.PublishedCount),
		"SPINSYNC_ATTENTION="+strconv.Itoa(d.AttentionCount))
	run.WaitDelay = time.Second // for children that outlive it and hold its pipes
	err = run.Run()
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("it took too long and was ended%s", said.text())
	case err != nil:
		return fmt.Errorf("%w%s", err, said.text())
	}
	return nil
}

// withoutPasswords is an environment for programs that have no business with the passwords of the
// service and of the fleet's cluster.
func withoutPasswords(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		secret := func(s string) bool { return strings.EqualFold(name, s) }
		return slices.ContainsFunc([]string{"SPINSYNC_PASSWORD", "SPINSYNC_ETCD_PASSWORD", "CREDENTIALS_DIRECTORY"}, secret)
	})
}

// A tail is a writer that keeps only the end of its input.
type tail struct{ kept []byte }

const tailLength = 400

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	t.kept = t.kept[max(0, len(t.kept)-tailLength):]
	return len(p), nil
}

func (t *tail) text() string {
	if said := strings.TrimSpace(strings.ToValidUTF8(string(t.kept), "")); said != "" {
		return ": " + said
	}
	return ""
}
