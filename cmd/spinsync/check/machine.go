package check

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os/exec"
	"runtime"
	"time"

	"spinsync/apiclient"
	"spinsync/cmd/spinsync/cli"
	osservice "spinsync/cmd/spinsync/service"
	"spinsync/daemon/config"
	"spinsync/daemon/control"
)

// examineSecrecy looks whether others may read a password that stands in sync.toml. On systems with
// file modes the program refuses a password file that is open to others, so only Windows needs this
// check for password files.
func examineSecrecy(c *config.Config, r *Report) {
	examined := len(r.Rows)
	if c.Service.Password != "" {
		warnOfReaders("config", c.Path, ", or spinsync login and take it out", r)
	}
	if runtime.GOOS == "windows" {
		warnOfReaders("password", c.Service.PasswordFile, "", r)
		warnOfReaders("page", c.Dashboard.PasswordFile, "", r)
	}
	if len(r.Rows) == examined {
		r.ok("config", c.Path)
	}
}

// warnOfReaders tells who else may read a file with a password in it. Whether there is such a file
// is found elsewhere.
func warnOfReaders(what, file, or string, r *Report) {
	if who, remedy, err := osservice.Readers(file); err == nil && who != "" {
		r.warn(what, fmt.Sprintf("%s: %s may read the password in it; run %s%s", file, who, remedy, or))
	}
}

// examinePage looks whether the page's files are in order, and its address is free unless a daemon
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

// examineNotify looks whether the program that is told of news is there. The webhook is not asked:
// it would pass it on.
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
