// Package setup has the command that asks for address, user, password and folder, and writes
// sync.toml. Call Command.
package setup

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"github.com/zalando/go-keyring"

	"spinsync/apiclient"
	"spinsync/cmd/spinsync/backend"
	"spinsync/cmd/spinsync/check"
	"spinsync/cmd/spinsync/cli"
	osservice "spinsync/cmd/spinsync/service"
	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon/config"
	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
)

const help = `Asks for address, user, password and the folder with the photos, tries each one,
and writes sync.toml. It reads layout, project and the photos of a full turn off the
folders that it finds, and shows them. Correct them in sync.toml.

sync.toml goes to the place that --config names. With --system it goes to the
system's place, otherwise to your own. setup overwrites nothing but the unchanged
example of a package. It changes nothing on the service or below the folder.

The password goes into the system's keychain. Where there is none, it goes into a
file next to sync.toml that only its owner can read. With --system it always goes
into that file.

Without a terminal setup reads the answers from standard input to its end, one on
each line: address, user, password, folder. The first wrong answer ends setup, and
so does a line too many. Nothing is written then.`

// Command is the command setup.
func Command(call *cli.Call) *cobra.Command {
	var caFile string
	system := runtime.GOOS == "windows" || os.Geteuid() == 0 // may install the system's service
	c := &cobra.Command{
		Use: "setup", Short: "Ask for address, user, password and folder, and write sync.toml",
		Args: cobra.NoArgs, Long: help,
		Example: `  spinsync setup
  printf '%s\n' https://views.example.com studio "$PASSWORD" /srv/shoots | spinsync setup`,
		RunE: func(c *cobra.Command, _ []string) error {
			s := &setup{call: call, ask: newQuestions(call), system: system}
			if caFile != "" {
				var err error
				if s.caFile, err = filepath.Abs(caFile); err != nil {
					return err
				}
			}
			return s.run(c.Context())
		},
	}
	c.Flags().StringVar(&caFile, "ca-file", "",
		"trust the certificates in this `FILE` too (PEM), for a proxy or a test host")
	c.Flags().BoolVar(&system, "system", system, "write it for the service of the whole system")
	return c
}

// A setup is the answers so far.
type setup struct {
	call   *cli.Call
	ask    *questions
	system bool   // for the service of the whole system
	path   string // of the sync.toml to write
	fill   bool   // the example that a package put there is still unchanged
	caFile string // absolute; empty for the system's trust roots alone

	service  config.Service
	password apiclient.Secret
	folder   string
	layout   string
	project  string // where the layout has none
	frames   int    // of a full turn; 0 when it varies
}

func (s *setup) run(ctx context.Context) error {
	if err := s.findPlace(); err != nil {
		return err
	}
	fmt.Fprintf(s.call.Stdout, "This writes %s after the last answer.\n\n", terminal.Printable(s.path))
	for _, ask := range []func(context.Context) error{s.askAddress, s.askAccount, s.askFolder} {
		if err := ask(ctx); err != nil {
			return err
		}
	}
	if err := s.ask.end(); err != nil {
		return err
	}
	if err := s.write(ctx); err != nil {
		return err
	}
	return s.showWay()
}

// findPlace settles where sync.toml belongs, and that none is there.
func (s *setup) findPlace() (err error) {
	path := s.call.ConfigPath
	switch {
	case path != "":
	case s.system:
		path = config.SystemPath(s.call.Env)
	default:
		path = config.DefaultPath(s.call.Env)
	}
	if s.path, err = filepath.Abs(path); err != nil {
		return err
	}
	s.system = s.system && s.path == config.SystemPath(s.call.Env)
	s.fill = s.isExample()
	switch _, err := os.Lstat(s.path); {
	case err == nil && !s.fill:
		return cli.Usagef(
			"%s is there already, and setup overwrites nothing; edit it, or name another place with --config", s.path)
	case errors.Is(err, fs.ErrPermission): // the remedy is added where the command ends
		return cli.Usage(err)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return cli.Usagef("%w; name another place with --config", err)
	}
	if _, err := os.Lstat(s.passwordFile()); err == nil && (s.system || s.call.Keychain() == nil) {
		return alreadyThere(s.passwordFile())
	}
	return nil
}

// passwordFile is where the password goes without a keychain.
func (s *setup) passwordFile() string { return filepath.Join(filepath.Dir(s.path), "password") }

func alreadyThere(path string) error {
	return cli.Usagef("%s is there already, and another sync.toml may use it; "+
		"name a place in another directory with --config, or move the file away if nothing uses it", path)
}

// isExample reports whether sync.toml is the example that packages bring. It has an address that no
// service has.
func (s *setup) isExample() bool {
	c, err := config.Load(s.path, s.call.Env)
	return err == nil && c.Service.BaseURL == "https://views.example.com"
}

func (s *setup) askAddress(ctx context.Context) error {
	return s.ask.until("address of the hosting service", "", func(answer string) error {
		if !strings.Contains(answer, "://") {
			answer = "https://" + answer
		}
		s.service.BaseURL = strings.TrimSuffix(strings.TrimRight(answer, "/"), "/api/v2")
		c, err := s.draft("nobody", "/", "{sku}", "none")
		if err != nil {
			return err
		}
		s.service = c.Service
		err = s.try(ctx, "")
		switch {
		case errors.As(err, new(x509.UnknownAuthorityError)):
			return fmt.Errorf("%w; name the file of its certificate with --ca-file", err)
		case errors.Is(err, http.ErrSchemeMismatch):
			return cli.SpeaksHTTP(s.service.BaseURL)
		case err != nil && !rejected(err):
			return fmt.Errorf("%w; correct the address, or check the network", err)
		}
		return s.found("it answers")
	})
}

// askAccount asks for user and password until the service takes them.
func (s *setup) askAccount(ctx context.Context) error {
	for user := ""; ; user = s.service.Username {
		err := s.ask.until("user name", user, func(answer string) error {
			s.service.Username = answer
			return nil
		})
		if err != nil {
			return err
		}
		if s.password, err = s.ask.secret(s.call, s.service); err != nil {
			return err
		}
		if err = s.try(ctx, s.password); err == nil {
			return s.found(s.service.Username + " may work there")
		}
		if rejected(err) { // in fewer words than the service and the client have together
			err = errors.New(outcome.Explain(err, "correct the user name or the password").String())
		}
		if err := s.ask.wrong(err); err != nil {
			return err
		}
	}
}

// try asks the service for its projects, which changes nothing.
func (s *setup) try(ctx context.Context, password apiclient.Secret) error {
	client, err := s.call.Connect(&config.Config{Service: s.service}, password)
	if err != nil {
		return err
	}
	defer client.CloseIdle()
	_, err = client.Projects(ctx)
	return err
}

func rejected(err error) bool {
	var said *apiclient.Error
	return errors.As(err, &said) && said.Unauthorized()
}

func (s *setup) askFolder(ctx context.Context) error {
	return s.ask.until("folder that holds the photos' folders", "", func(answer string) (err error) {
		if s.folder, err = s.absolute(answer); err != nil {
			return err
		}
		c, err := s.draft(s.service.Username, s.folder, "{sku}", "none")
		if err != nil {
			return err
		}
		if err := check.Readable(s.folder, "name another folder"); err != nil {
			return err
		}
		found, err := check.List(ctx, c.Watch[0])
		if err != nil {
			return err
		}
		if err := s.choose(found); err != nil {
			return err
		}
		return s.found(status.Counted(len(found), "folder") + " with photos")
	})
}

// choose reads layout, project and frames off the folders with photos.
func (s *setup) choose(found check.Listing) error {
	s.layout, s.project, s.frames = found.Layout(), "", found.UsualCount()
	switch {
	case s.layout == "":
		return fmt.Errorf(
			"the photos lie directly in %s; name the folder above it, so that each product has a folder of its own",
			s.folder)
	case s.layout == "{sku}" && filepath.Dir(s.folder) == s.folder:
		return fmt.Errorf(
			"%s has no name that the project could take; move the products' folders into one folder, and name that one",
			s.folder)
	case s.layout == "{sku}":
		s.project = filepath.Base(s.folder)
	}
	_, err := s.draft(s.service.Username, s.folder, s.layout, s.project)
	return err
}

// absolute reads a folder as a person types or drags it: terminals put it into quotes, and that of
// macOS writes a backslash before each space.
func (s *setup) absolute(answer string) (string, error) {
	folder := strings.Trim(answer, `"'`)
	if folder == answer && runtime.GOOS != "windows" {
		folder = escaped.ReplaceAllString(answer, "$1")
	}
	if rest, ok := strings.CutPrefix(folder, "~/"); ok && s.call.Env("HOME") != "" {
		folder = filepath.Join(s.call.Env("HOME"), rest)
	}
	return filepath.Abs(folder)
}

var escaped = regexp.MustCompile(`\\(.)`)

// found prints the result of a trial.
func (s *setup) found(what string) error {
	_, err := fmt.Fprintf(s.call.Stdout, "  ok, %s\n", terminal.Printable(what))
	return err
}

// draft is the configuration that certain answers make, read as it will be read.
func (s *setup) draft(user, folder, pattern, project string) (*config.Config, error) {
	text := document(s.service.BaseURL, user, folder, pattern, project, s.caLine(), s.frames)
	c, err := config.Parse([]byte(text), filepath.Dir(s.path))
	if mistakes, ok := errors.AsType[config.Mistakes](err); ok {
		return nil, errors.New(mistakes[0].Message) // a person has not seen the lines of this file
	}
	if err == nil && folder != "/" && c.Watch[0].Path != folder {
		return nil, fmt.Errorf("%s: its name is no valid text; rename it", folder)
	}
	return c, err
}

func (s *setup) caLine() string {
	if s.caFile == "" {
		return ""
	}
	return "ca_file = " + terminal.Quoted(filepath.ToSlash(s.caFile)) + "\n"
}

// document is sync.toml. more are further lines of [service], and frames is of a full turn, 0 when
// it varies.
func document(address, user, folder, pattern, project, more string, frames int) string {
	var b strings.Builder
	b.WriteString(
		"# Made by spinsync setup. sync.toml.example has every other key with its default.\n\n[service]\n")
	fmt.Fprintf(&b, "base_url = %s\nusername = %s\n%s", terminal.Quoted(address), terminal.Quoted(user), more)
	fmt.Fprintf(&b, "\n[[watch]]\npath   = %s\nlayout = %s\n",
		terminal.Quoted(filepath.ToSlash(folder)), terminal.Quoted(pattern))
	if project != "" {
		fmt.Fprintf(&b, "project = %s\n", terminal.Quoted(project))
	}
	if frames > 0 {
		fmt.Fprintf(&b, "frames = %d\n", frames)
	}
	return b.String()
}

// write keeps the password, then writes sync.toml.
func (s *setup) write(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o755); err != nil {
		return err
	}
	if s.system {
		if err := osservice.Protect(filepath.Dir(s.path), ""); err != nil {
			return fmt.Errorf("%w; run this in a terminal that was opened as administrator", err)
		}
	}
	line, where, err := s.keepPassword()
	if err != nil {
		return err
	}
	text := document(s.service.BaseURL, s.service.Username, s.folder, s.layout, s.project, line+s.caLine(), s.frames)
	if s.fill { // its owner and its mode stay, with which a package made it
		err = os.WriteFile(s.path, []byte(text), 0o644)
	} else {
		err = writeNew(s.path, text, 0o644)
	}
	if err != nil {
		return err
	}
	c, err := s.draft(s.service.Username, s.folder, s.layout, s.project)
	if err != nil {
		return err
	}
	before, err := (&backend.Reader{Call: s.call}).Status(ctx, c)
	if err != nil {
		return err
	}
	fmt.Fprintln(s.call.Stdout)
	return terminal.Table(s.call.Stdout, [][]string{
		{"written", s.path}, {"password", where}, {check.AccessKeyRow, check.AccessKeyField(c, before.AccessKeyFields)},
		{"layout", s.layout},
		{"project", cmp.Or(s.project, "the name of the folder above each product's")},
		{"frames", s.explainFrames(c)},
	})
}

// explainFrames prints when a view is ready.
func (s *setup) explainFrames(c *config.Config) string {
	if s.frames == 0 {
		return fmt.Sprintf("not set: a view is made when nothing in its folder changed for %s", c.Watch[0].Quiet)
	}
	return fmt.Sprintf("%d, as most folders have: a view is ready right after its last photo", s.frames)
}

// keepPassword returns the line of sync.toml that leads to the password, and where it is for a
// person.
func (s *setup) keepPassword() (line, where string, err error) {
	if !s.system && s.call.Keychain() != nil {
		err := keyring.Set(cli.KeychainItem(s.service.BaseURL), s.service.Username, s.password.Reveal())
		if err == nil {
			return "", "in the system's keychain", nil
		}
	}
	file := s.passwordFile()
	if err := writeNew(file, s.password.Reveal()+"\n", 0o600); err != nil {
		return "", "", err
	}
	if s.system && runtime.GOOS == "linux" {
		return "", file + ", which the service is handed by systemd", nil
	}
	return "password_file = \"password\"\n", file, nil
}

// writeNew writes a file that must not be there yet.
func writeNew(path, text string, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return alreadyThere(path)
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// showWay prints how to go on from here to the first view.
func (s *setup) showWay() error {
	with := ""
	if s.call.ConfigPath != "" {
		with = " --config " + status.ShellWord(s.path)
	}
	steps := [][]string{
		{"spinsync plan" + with, "show what would be published"},
		{"spinsync sync" + with, "publish it now"},
		{"spinsync service install --user" + with, "keep publishing after each login"},
	}
	if s.system {
		steps = [][]string{
			steps[0], {"spinsync service install", "keep publishing after each start of the machine"},
		}
	}
	steps = append(steps, []string{"spinsync status" + with, "show every product folder, its state and its reason"},
		[]string{"http://127.0.0.1:8360/", "the same in a browser, while the service or spinsync run works"})
	fmt.Fprintln(s.call.Stdout, "\nNext:")
	for i := range steps {
		steps[i][0] = "  " + steps[i][0]
	}
	return terminal.Table(s.call.Stdout, steps)
}
