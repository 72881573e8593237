package main

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"

	"spinsync/apiclient"
	"spinsync/daemon/config"
	"spinsync/daemon/control"
)

// examineSecrecy looks whether others may read a password that stands in sync.toml.
func examineSecrecy(c *config.Config, r *report) {
	info, err := os.Stat(c.Path)
	if err == nil && c.Service.Password != "" && runtime.GOOS != "windows" && info.Mode().Perm()&0o044 != 0 {
		r.warn("config", c.Path+": others may read the password in it; run chmod 600 on it, or spinsync login and take it out")
		return
	}
	r.ok("config", c.Path)
}

// examinePage looks whether the page's files are in order, and its address is free unless a daemon has it.
func examinePage(ctx context.Context, c *config.Config, r *report) {
	if c.Dashboard.Listen != "" {
		if _, _, err := pageFiles(c.Dashboard); err != nil {
			r.fail("page", fmt.Errorf("%w; correct password_file, cert_file and key_file in [dashboard]", err))
		}
	}
	listen := c.Dashboard.Listen
	if _, err := control.Dial(ctx, c.State.Path); listen == "" || !errors.Is(err, control.ErrNoDaemon) {
		return
	}
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		r.warn("page", fmt.Sprintf("%v; name another address at listen in [dashboard], or \"\" for no page", err))
		return
	}
	listener.Close()
}

// examineNotify looks whether the program that is told of news is there. The webhook is not asked: it would pass it on.
func examineNotify(c *config.Config, r *report) {
	if len(c.Notify.Command) == 0 {
		return
	}
	if _, err := exec.LookPath(c.Notify.Command[0]); err != nil {
		r.fail("notify", fmt.Errorf("%w; correct command in [notify]", err))
	}
}

// examineWatches compares a tree with what Linux lets one user watch. Without a watch the tree is read again and again,
// which is safe, and slower.
func examineWatches(seen tree, w config.Watch, r *report) {
	text, err := os.ReadFile("/proc/sys/fs/inotify/max_user_watches")
	if err != nil || w.Poll {
		return
	}
	limit, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err == nil && seen.dirs >= limit {
		r.warn("watches", fmt.Sprintf("%s has at least %d folders, this user may watch %d; raise it: sysctl fs.inotify.max_user_watches=524288", w.Path, seen.dirs, limit))
	}
}

// remedied adds what to do to why the service was not reached.
func remedied(err error) error {
	var said *apiclient.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, new(x509.UnknownAuthorityError)):
		return fmt.Errorf("%w; name the file of its certificate at ca_file in [service]", err)
	case errors.As(err, new(x509.HostnameError)):
		return fmt.Errorf("%w; write base_url with the name that the certificate is for", err)
	case errors.As(err, new(x509.CertificateInvalidError)):
		return fmt.Errorf("%w; is the clock of this machine right?", err)
	case errors.As(err, new(*net.DNSError)):
		return fmt.Errorf("%w; correct base_url, or see to the network", err)
	case errors.As(err, new(*net.OpError)):
		return fmt.Errorf("%w; correct base_url, or see to network, proxy and firewall", err)
	case errors.As(err, &said) && (said.NotFound() || !said.Temporary()):
		return fmt.Errorf("%w; is base_url the hosting service's address?", err)
	}
	return err
}
