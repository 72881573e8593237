package check

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"time"

	"spinsync/apiclient"
	"spinsync/cmd/spinsync/cli"
	"spinsync/daemon/config"
	"spinsync/daemon/control"
)

// examineSecrecy checks whether others may read a password in sync.toml. The program refuses a
// password file that is open to others. Windows has no modes: there service install closes the
// directory of sync.toml.
func examineSecrecy(c *config.Config, r *Report) {
	info, err := os.Stat(c.Path)
	if c.Service.Password != "" && err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o044 != 0 {
		r.warn("config", c.Path+": others may read the password in it; run chmod 600 on it, or spinsync login and take it out")
		return
	}
	r.ok("config", c.Path)
}

// examinePage checks whether the page's files are in order, and its address is free unless a daemon
// has it.
func examinePage(ctx context.Context, c *config.Config, r *Report) {
	if c.Dashboard.Listen != "" {
		examinePageFiles(c.Dashboard, time.Now(), r)
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

// Files checks the files that a configuration names, and some of its roots.
func Files(c *config.Config, roots []string) error {
	r := &Report{remedied: func(err error) error { return err }}
	for _, path := range roots {
		if err := Readable(path, "correct path in [[watch]]"); err != nil {
			r.fail("root", err)
		}
	}
	examinePageFiles(c.Dashboard, time.Now(), r)
	examineNotify(c, r)
	return errors.Join(r.failures...)
}

// examinePageFiles warns also of a certificate that is at its end, which browsers refuse.
func examinePageFiles(c config.Dashboard, now time.Time, r *Report) {
	const soon = 14 * 24 * time.Hour
	_, certificate, err := cli.PageFiles(c)
	switch {
	case err != nil:
		r.fail("page", fmt.Errorf("%w; correct password_file, cert_file and key_file in [dashboard]", err))
	case certificate != nil && certificate.Leaf.NotAfter.Before(now.Add(soon)):
		r.warn("page", fmt.Sprintf("%s ends on %s; renew it, and the page uses the new one by itself",
			c.CertFile, certificate.Leaf.NotAfter.Format(time.DateOnly)))
	}
}

// examineNotify checks whether the program that receives news is there. The webhook is not asked: it
// would pass the question on.
func examineNotify(c *config.Config, r *Report) {
	if hook, err := url.Parse(c.Notify.Webhook.Reveal()); err == nil && hook.Scheme == "http" &&
		!apiclient.IsLoopback(hook.Hostname()) {
		r.warn("notify",
			"the webhook is plain http, so others in the network can read its address and the product names; write https")
	}
	if len(c.Notify.Command) == 0 {
		return
	}
	if _, err := exec.LookPath(c.Notify.Command[0]); err != nil {
		r.fail("notify", fmt.Errorf("%w; correct command in [notify]", err))
	}
}
