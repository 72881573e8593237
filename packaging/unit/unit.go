// Package unit holds the texts with which systemd and launchd run spinsync. The packages ship the
// one of the whole system as it is; spinsync service install writes them for other places. The
// package writes no file and starts nothing.
package unit

import (
	"embed"
	"encoding/xml"
	"strings"
	"text/template"

	systemd "github.com/coreos/go-systemd/v22/unit"
)

// A Service is what differs between two installations. Paths are absolute.
type Service struct {
	Executable string
	Config     string // sync.toml
	Log        string // where launchd writes the log; systemd has its journal
}

// Systemd returns the unit of the whole system.
func (s Service) Systemd() string { return render("spinsync.service", s) }

// SystemdUser returns the unit of one person.
func (s Service) SystemdUser() string { return render("spinsync-user.service", s) }

// ExecStart returns the setting of a unit that runs the program with other arguments.
func (s Service) ExecStart(arguments ...string) string {
	words := []string{quoteCommand(s.Executable)}
	for _, argument := range arguments {
		words = append(words, quoteCommand(argument))
	}
	return "ExecStart=" + strings.Join(words, " ")
}

// Launchd returns the property list of an agent or a daemon.
func (s Service) Launchd() string { return render("spinsync.plist", s) }

// LaunchdOnce returns a property list with which launchd runs a command once.
func LaunchdOnce(label string, command ...string) string {
	return render("once.plist", map[string]any{"Label": label, "Command": command})
}

//go:embed *.service *.plist *.conf
var files embed.FS

var texts = template.Must(template.New("").Funcs(template.FuncMap{
	"xml": escapeXML, "percent": escapePercent, "path": quotePath,
	"words": func(list []string) string { return strings.Join(list, " ") },
}).ParseFS(files, "*"))

func render(name string, data any) string {
	var b strings.Builder
	if err := texts.ExecuteTemplate(&b, name, data); err != nil {
		panic(err) // the texts are the program's own
	}
	return b.String()
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
func (s Site) DropIn() string { return render("10-install.conf", s) }

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

// MountUnit returns systemd's name for the mount at an absolute path.
func MountUnit(path string) string { return systemd.UnitNamePathEscape(path) + ".mount" }

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

// escapeXML writes text for a property list.
func escapeXML(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // a Builder takes everything
	return b.String()
}
