// Package config reads sync.toml, and product.toml of a product folder. Call Load for the file of the
// program, and ParseProduct for that of a folder.
//
// Reading is strict. An unknown key, a value of the wrong kind and values that do not go together
// are mistakes. All mistakes are reported at once, each with its line, its key and the remedy.
// Reading changes nothing and opens no other file; only ResolvePassword does. The package does not
// check whether a folder exists, a password is right or an address can be reached.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"spinsync/apiclient"
	"spinsync/daemon/alttext"
	"spinsync/daemon/layout"
	"spinsync/daemon/manifest"
)

// MaxSize is the number of bytes that a sync.toml or product.toml may have.
const MaxSize = 1 << 20

// Upper bounds. A value beyond them is a slip.
const (
	maxWait     = 7 * 24 * time.Hour
	maxFrames   = 100_000
	maxParallel = 256
)

// Config is a whole sync.toml. Its fields are the keys of the contract, with
// the defaults filled in; all paths are absolute and clean.
type Config struct {
	Path      string // of the file
	Service   Service
	State     State
	Watch     []Watch // at least one
	Upload    Upload
	Poll      Poll
	Dashboard Dashboard
	Notify    Notify
	Log       Log
	Fleet     *Fleet `toml:",omitempty"` // nil for a computer alone
}

// Service is where the views are hosted, and as whom.
type Service struct {
	BaseURL        string // without a slash at the end
	Username       string
	Password       apiclient.Secret // as it is in the file; see ResolvePassword
	PasswordFile   string           // empty for none
	Handed         string           // the file that setup keeps the password of the system's service in; else empty
	CAFile         string           // empty for the system's trust roots alone
	AccessKeyField string           // of interface 4.3; empty to find it ("auto")
}

// State is where spinsync keeps its state file.
type State struct {
	Path string
}

// Watch is one root.
type Watch struct {
	Path            string
	Layout          layout.Layout
	Project         string // title or UUID; set exactly where Layout has no {project}
	Include, Ignore []string
	Settle, Quiet   time.Duration
	Frames          int // of a full turn; 0 means unknown
	Marker          string
	Order           manifest.Order
	Rescan          time.Duration // 0 means auto
	Poll            bool
	Locale          string // normalised
	OnRemove        OnRemove
	Products        string // the products file, a slash-separated path below Path; empty for none
	Name            string // of the tree in a fleet; set exactly there
}

// OnRemove is the fate of a view on the service when its product folder goes away.
type OnRemove string

const (
	RemoveKeep   OnRemove = "keep"
	RemoveDelete OnRemove = "delete"
)

// Upload bounds the uploads: how many are in flight, and how many bytes a second they take.
type Upload struct {
	Parallel int     // uploads in flight; 0 means that the program finds it
	Limit    Rate    // where no entry of Limits holds; see LimitAt
	Limits   []Limit // a timetable
}

// Poll holds the waits between requests for the processing status.
type Poll struct {
	First, Max, GiveUp time.Duration
}

// Dashboard is the page. Beyond loopback it has PasswordFile, CertFile and KeyFile.
type Dashboard struct {
	Listen            string   // host:port; empty for none
	PasswordFile      string   // empty for no password; see ResolvePassword
	CertFile, KeyFile string   // PEM; both empty for plain HTTP on loopback, else for a certificate of its own
	Hosts             []string // more names under which it is asked for
	ReadOnly          bool
}

// Notify names the receivers of news: views that went live, and folders that need a person.
type Notify struct {
	Webhook apiclient.Secret // an http or https address, which may hold a token; empty for none
	// WebhookSecret signs what the webhook gets, as base64 with whsec_ before it; empty for no
	// signature.
	WebhookSecret apiclient.Secret
	Command       []string      // a program, as a path or in PATH, and its arguments; may be empty
	Every         time.Duration // the least time between two messages
}

// LogFormat is how a line of the log is written.
type LogFormat string

const (
	LogText LogFormat = "text"
	LogJSON LogFormat = "json"
)

// Log is what the log holds.
type Log struct {
	Level  slog.Level
	Format LogFormat
}

// Load reads the sync.toml at path. The environment, in the form of os.Getenv,
// decides where the state file lies when the file does not. The error holds
// Mistakes when the file can be read and is wrong.
func Load(path string, env func(string) string) (*Config, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a directory; name a file in it with --config", path)
	}
	data, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf(`%w; make one with "spinsync setup", or name another with --config`, err)
	}
	if err != nil {
		return nil, err
	}
	c, err := parse(data, filepath.Dir(path), defaultState(path, env))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if c.State.Path == "" {
		return nil, fmt.Errorf(
			"%s: state.path: no home directory is known where the state file could lie; name a place for it",
			path,
		)
	}
	c.Path, c.Service.Handed = path, handed(path, env)
	return c, nil
}

// StatePath is where the state file lies by a sync.toml that may be wrong in other places. It is
// empty when that is unknown.
func StatePath(path string, env func(string) string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	data, err := readFile(path)
	if err != nil {
		return ""
	}
	d := newDocument(data)
	if d.root == nil {
		table, ok := stateAlone(string(data))
		if !ok {
			return ""
		}
		d = newDocument([]byte(table))
	}
	if d.root == nil {
		return ""
	}
	state := readState(d.root.table("state"), filepath.Dir(path), defaultState(path, env), nil)
	if len(d.mistakes) > 0 {
		return ""
	}
	return state.Path
}

// stateAlone returns the [state] table of a text that is not TOML as a whole, empty when the text
// has none. It reports false when the text may name the state file elsewhere.
func stateAlone(text string) (table string, ok bool) {
	_, after, found := strings.Cut("\n"+text, "\n[state]")
	if !found || strings.Contains(after, "\n[state]") {
		return "", !found && !strings.Contains(text, "state")
	}
	table, _, _ = strings.Cut(after, "\n[")
	return "[state]" + table, true
}

// readFile reads up to one byte more than a file may have, so that a file that is too large is
// recognised.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, MaxSize+1))
}

// Parse reads the text of a sync.toml whose relative paths are relative to dir,
// which is absolute. It reads nothing else, so State.Path stays empty where
// the text names none. The error is Mistakes.
func Parse(data []byte, dir string) (*Config, error) { return parse(data, dir, "") }

func parse(data []byte, dir, state string) (*Config, error) {
	d := newDocument(data)
	if d.root == nil {
		return nil, d.mistakes
	}
	c := readConfig(d, dir, state)
	if err := d.finish(); err != nil {
		return nil, err
	}
	return c, nil
}

// Encode writes the settings as TOML, so that people can read them. Secrets are masked.
func (c *Config) Encode(w io.Writer) error { return toml.NewEncoder(w).Encode(c) }

func readConfig(d *document, dir, state string) *Config {
	c := &Config{
		Service:   readService(d.root.table("service"), dir),
		Upload:    readUpload(d.root.table("upload")),
		Poll:      readPoll(d.root.table("poll")),
		Dashboard: readDashboard(d.root.table("dashboard"), dir),
		Notify:    readNotify(d.root.table("notify"), dir),
		Log:       readLog(d.root.table("log")),
	}
	watches := d.root.elements("watch")
	if len(watches) == 0 {
		d.root.mistake("watch", "no folder is watched; add a [[watch]] with its path")
	}
	for _, t := range watches {
		c.Watch = append(c.Watch, readWatch(t, dir))
	}
	checkRoots(c.Watch, watches)
	c.Fleet = readFleet(d.root, dir, c.Watch, watches)
	c.State = readState(d.root.table("state"), dir, state, c.Watch)
	return c
}

func readService(t *table, dir string) Service {
	s := Service{
		BaseURL:        require(t, "base_url", `"https://views.example.com"`, text(parseBaseURL)),
		Username:       require(t, "username", `"studio"`, text(parseUsername)),
		Password:       apiclient.Secret(read(t, "password", "", text(oneLine))),
		PasswordFile:   read(t, "password_file", "", text(pathIn(dir))),
		CAFile:         read(t, "ca_file", "", text(pathIn(dir))),
		AccessKeyField: read(t, "access_key_field", "", text(parseFormField)),
	}
	if s.Password != "" && s.PasswordFile != "" {
		t.mistake("password_file", "password is in this file too; remove one of the two")
	}
	return s
}

func readDashboard(t *table, dir string) Dashboard {
	d := Dashboard{
		Listen:       read(t, "listen", "127.0.0.1:8360", text(parseListen)),
		PasswordFile: read(t, "password_file", "", text(pathIn(dir))),
		CertFile:     read(t, "cert_file", "", text(pathIn(dir))),
		KeyFile:      read(t, "key_file", "", text(pathIn(dir))),
		Hosts:        read(t, "hosts", nil, list(parseHost)),
		ReadOnly:     read(t, "read_only", false, boolean),
	}
	host, _, _ := net.SplitHostPort(d.Listen)
	switch {
	case (d.CertFile == "") != (d.KeyFile == ""):
		t.mistake("cert_file", "cert_file and key_file belong together; name both or neither")
	case d.Listen != "" && !apiclient.IsLoopback(host) && d.PasswordFile == "":
		t.mistake("listen", "%q can be reached from other computers; "+
			`add password_file, or write "127.0.0.1:8360"`, d.Listen)
	}
	return d
}

func readNotify(t *table, dir string) Notify {
	n := Notify{
		Webhook:       read(t, "webhook", "", text(parseWebhook)),
		WebhookSecret: read(t, "webhook_secret", "", text(parseWebhookSecret)),
		Command:       read(t, "command", nil, commandIn(dir)),
		Every:         read(t, "every", time.Minute, duration(maxWait)),
	}
	if n.WebhookSecret != "" && n.Webhook == "" {
		t.mistake("webhook_secret", "it signs what a webhook gets; name the webhook too")
	}
	return n
}

func readState(t *table, dir, fallback string, roots []Watch) State {
	path := cmp.Or(read(t, "path", "", text(pathIn(dir))), fallback)
	for _, w := range roots {
		if path != "" && w.Path != "" && contains(w.Path, path) {
			t.mistake("path", "%s lies below the watched folder %s; name a place outside of it", path, w.Path)
		}
	}
	return State{Path: path}
}

func readWatch(t *table, dir string) Watch {
	w := Watch{
		Path:     require(t, "path", `"/srv/shoots"`, text(rootIn(dir))),
		Layout:   readLayout(t),
		Project:  read(t, "project", "", text(title)),
		Include:  read(t, "include", DefaultInclude(), parseIncludes),
		Ignore:   read(t, "ignore", nil, list(parseIgnore)),
		Settle:   read(t, "settle", 5*time.Second, duration(time.Hour)),
		Quiet:    read(t, "quiet", 30*time.Second, duration(maxWait)),
		Frames:   read(t, "frames", 0, whole(0, maxFrames)),
		Marker:   read(t, "marker", "", text(parseMarker)),
		Order:    read(t, "order", manifest.Natural, text(manifest.ParseOrder)),
		Rescan:   read(t, "rescan", 0, parseRescan),
		Poll:     read(t, "poll", false, boolean),
		Locale:   read(t, "locale", "en", text(alttext.NormalizeLocale)),
		OnRemove: read(t, "on_remove", RemoveKeep, text(oneOf(RemoveKeep, RemoveDelete))),
		Products: read(t, "products", "", text(parseProducts)),
		Name:     read(t, "name", "", text(parseStation)),
	}
	checkProject(t, w)
	return w
}

func readLayout(t *table) layout.Layout {
	l, err := layout.Parse(read(t, "layout", "{project}/{sku}", text(oneLine)))
	if err != nil {
		t.mistake("layout", "%s", err)
	}
	return l
}

// checkProject reports nothing about a layout that is wrong already.
func checkProject(t *table, w Watch) {
	switch {
	case w.Layout.Depth() == 0:
	case w.Layout.HasProject() && w.Project != "":
		t.mistake("project",
			"layout %q takes the project from the folder; remove project here or {project} there",
			w.Layout)
	case !w.Layout.HasProject() && w.Project == "":
		t.mistake("project", "layout %q has no {project}; name the project here", w.Layout)
	}
}

// checkRoots reports folders that would be read twice.
func checkRoots(roots []Watch, tables []*table) {
	for i, w := range roots {
		for _, other := range roots[:i] {
			switch {
			case w.Path == "" || other.Path == "":
			case contains(w.Path, other.Path) && contains(other.Path, w.Path):
				tables[i].mistake("path", "%s is watched twice; remove one [[watch]]", w.Path)
			case contains(w.Path, other.Path) || contains(other.Path, w.Path):
				tables[i].mistake("path",
					"%s and %s lie within one another; watch only one of them", w.Path, other.Path)
			}
		}
	}
}

func readUpload(t *table) Upload {
	u := Upload{
		Parallel: read(t, "parallel", 0, whole(0, maxParallel)),
		Limit:    read(t, "limit", 0, text(parseRate)),
	}
	for _, entry := range t.elements("limits") {
		u.Limits = append(u.Limits, readLimit(entry))
	}
	return u
}

// readPoll derives the values that the file leaves out from those that it sets, so that each of the
// three can be set alone.
func readPoll(t *table) Poll {
	p := Poll{
		First:  read(t, "first", 0, duration(maxWait)),
		Max:    read(t, "max", 0, duration(maxWait)),
		GiveUp: read(t, "give_up", 0, duration(maxWait)),
	}
	p.GiveUp = cmp.Or(p.GiveUp, max(6*time.Hour, p.Max, p.First))
	p.Max = cmp.Or(p.Max, min(max(time.Minute, p.First), p.GiveUp))
	p.First = cmp.Or(p.First, min(time.Second, p.Max))
	if p.First > p.Max {
		t.mistake("first", "%s is longer than max, which is %s; shorten first", p.First, p.Max)
	}
	if p.GiveUp < p.Max {
		t.mistake("give_up", "%s is shorter than max, which is %s; lengthen give_up", p.GiveUp, p.Max)
	}
	return p
}

func readLog(t *table) Log {
	return Log{
		Level:  read(t, "level", slog.LevelInfo, text(ParseLevel)),
		Format: read(t, "format", LogText, text(oneOf(LogText, LogJSON))),
	}
}

// DefaultInclude are the patterns of names that count as frames where sync.toml names none.
func DefaultInclude() []string {
	return []string{"*.jpg", "*.jpeg", "*.png", "*.webp", "*.tif", "*.tiff", "*.mp4", "*.mov"}
}
