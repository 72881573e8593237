package main

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
)

// namespace is what signatures of a release are for. ssh refuses them for anything else.
const namespace = "spinsync-release"

// sign writes SHA256SUMS.sig, which `ssh-keygen -Y verify` checks on every system.
func sign(ctx context.Context, dist, key string) error {
	c := exec.CommandContext(ctx, "ssh-keygen", "-Y", "sign", "-f", key, "-n", namespace,
		filepath.Join(dist, "SHA256SUMS"))
	err := execute("signature", c)
	if errors.Is(err, exec.ErrNotFound) {
		return errors.New("ssh-keygen is needed to sign; on Debian: apt install openssh-client")
	}
	return err
}
