// Package unit holds the texts with which systemd and launchd run spinsync. The packages ship the
// one of the whole system as it is; spinsync service install writes them for other places. The
// package writes no file and starts nothing.
package unit

import (
	"embed"
	"encoding/xml"
	"fmt"
	"strings"
	"text/template"
)

// A Service is what differs between two installations. Paths are absolute.
type Service struct {
	Executable string
	Config     string // sync.toml
	Log        string // where launchd writes the log; systemd has its journal
}

// Systemd returns the unit of the whole system.
func (s Service) Systemd() (string, error) { return s.render("spinsync.service") }

// SystemdUser returns the unit of one person.
func (s Service) SystemdUser() (string, error) { return s.render("spinsync-user.service") }

// ExecStart returns the setting of a unit that runs the program with other arguments.
func (s Service) ExecStart(arguments ...string) string {
	words := []string{quoteCommand(s.Executable)}
	for _, argument := range arguments {
		words = append(words, quoteCommand(argument))
	}
	return "ExecStart=" + strings.Join(words, " ")
}

// Launchd returns the property list of an agent or a daemon.
func (s Service) Launchd() (string, error) { return s.render("spinsync.plist") }

//go:embed spinsync.service spinsync-user.service spinsync.plist
var texts embed.FS

func (s Service) render(name string) (string, error) {
	functions := template.FuncMap{"xml": EscapeXML}
	t, err := template.New(name).Funcs(functions).ParseFS(texts, name)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, s)
	return b.String(), err
}

// A Site is what a unit of systemd needs at one place: a drop-in beside the unit. The zero value
// needs nothing.
type Site struct {
	Account     string   // another one than spinsync
	Groups      []string // that may read the watched folders
	WritePath   string   // the directory of a state file outside of StateDirectory=
	Password    string   // a file that root alone reads, handed over as a credential
	BeforeStart []string // the mount units of the watched folders
}

// DropIn returns the text, empty when the site needs nothing.
func (s Site) DropIn() string {
	var b strings.Builder
	if len(s.BeforeStart) > 0 {
		mounts := strings.Join(s.BeforeStart, " ")
		fmt.Fprintf(&b, "[Unit]\n# A drive that is mounted after the start would be writable.\nWants=%s\nAfter=%s\n\n",
			mounts, mounts)
	}
	if settings := s.settings(); settings != "" {
		b.WriteString("[Service]\n" + settings)
	}
	if b.Len() == 0 {
		return ""
	}
	return "# As sync.toml wants it. After other folders or another state file there: spinsync service install\n" +
		b.String()
}

// ReadSite returns the account and the groups of a text that DropIn returned. All else follows from
// sync.toml.
func ReadSite(dropIn string) Site {
	var s Site
	for line := range strings.Lines(dropIn) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		value = strings.ReplaceAll(value, "%%", "%")
		switch key {
		case "User":
			s.Account = value
		case "SupplementaryGroups":
			s.Groups = strings.Fields(value)
		}
	}
	return s
}

func (s Site) settings() string {
	var b strings.Builder
	if s.Account != "" {
		fmt.Fprintf(&b, "User=%s\nGroup=\n", escapePercent(s.Account))
	}
	if len(s.Groups) > 0 {
		fmt.Fprintf(&b, "SupplementaryGroups=%s\n", escapePercent(strings.Join(s.Groups, " ")))
	}
	if s.Password != "" {
		fmt.Fprintf(&b, "LoadCredential=password:%s\n", escapePercent(s.Password))
	}
	if s.WritePath != "" {
		fmt.Fprintf(&b, "ReadWritePaths=-%s\n", quotePath(s.WritePath))
	}
	return b.String()
}

// MountUnit returns systemd's name for the mount at an absolute path.
func MountUnit(path string) string {
	path = strings.Trim(path, "/")
	if path == "" {
		return "-.mount"
	}
	var b strings.Builder
	for i := range len(path) {
		c := path[i]
		switch {
		case c == '/':
			b.WriteByte('-')
		case c == '.' && i == 0, !plainInName(c):
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + ".mount"
}

func plainInName(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '.' || c == ':'
}

// quoteCommand writes a word of ExecStart=, where $ would be a variable and % a specifier.
func quoteCommand(s string) string { return quotePath(strings.ReplaceAll(s, "$", "$$")) }

// quotePath writes a word of a list.
func quotePath(s string) string {
	s = escapePercent(s)
	if !strings.ContainsAny(s, " \t\n\"'\\;") {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

func escapePercent(s string) string { return strings.ReplaceAll(s, "%", "%%") }

// EscapeXML writes text for a property list.
func EscapeXML(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // a Builder takes everything
	return b.String()
}
