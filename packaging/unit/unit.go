// Package unit holds the texts with which systemd and launchd run spinsync. Fill in a Service and
// call its methods. The packages ship the unit of the whole system as it is; spinsync service install
// writes units for other places. The package writes no file and starts nothing.
package unit

import (
	"embed"
	"encoding/xml"
	"path"
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

// PasswordFile is where the unit of the whole system has systemd take the password from: the
// directory of sync.toml.
func (s Service) PasswordFile() string { return path.Join(path.Dir(s.Config), "password") }

//go:embed *.service *.plist
var files embed.FS

var texts = template.Must(template.New("").Funcs(template.FuncMap{
	"xml": escapeXML, "percent": escapePercent,
}).ParseFS(files, "*"))

func render(name string, data any) string {
	var b strings.Builder
	if err := texts.ExecuteTemplate(&b, name, data); err != nil {
		panic(err) // the texts are the program's own
	}
	return b.String()
}

// quoteCommand writes a word of ExecStart=, where $ would be a variable and % a specifier.
func quoteCommand(s string) string { return Word(strings.ReplaceAll(s, "$", "$$")) }

// Word returns a text as one word of a setting of systemd that is a list.
func Word(s string) string {
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
