package config

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/apiclient"
	"spinsync/daemon/layout"
	"spinsync/daemon/manifest"
)

const minimal = `[service]
base_url = "https://views.example.com"
username = "studio"
[[watch]]
path = "shoots"
`

func TestDefaults(t *testing.T) {
	dir := t.TempDir()
	got, err := Parse([]byte(minimal), dir)
	if err != nil {
		t.Fatal(err)
	}
	want := &Config{
		Service: Service{BaseURL: "https://views.example.com", Username: "studio"},
		Watch: []Watch{{
			Path:     filepath.Join(dir, "shoots"),
			Layout:   parsedLayout(t, "{project}/{sku}"),
			Include:  []string{"*.jpg", "*.jpeg", "*.png", "*.webp", "*.tif", "*.tiff", "*.mp4", "*.mov"},
			Settle:   5 * time.Second,
			Quiet:    30 * time.Second,
			Order:    manifest.Natural,
			Locale:   "en",
			OnRemove: RemoveKeep,
		}},
		Poll:      Poll{First: time.Second, Max: time.Minute, GiveUp: 6 * time.Hour},
		Dashboard: Dashboard{Listen: "127.0.0.1:8360"},
		Notify:    Notify{Every: time.Minute},
		Log:       Log{Level: slog.LevelInfo, Format: LogText},
	}
	if diff := cmp.Diff(want, got, byPattern); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEveryKey(t *testing.T) {
	dir := t.TempDir()
	got, err := Parse([]byte(`
[service]
base_url = "http://localhost:8361/"
username = "studio"
password = "a#b\"c"
ca_file = "certs/proxy.pem"
access_key_field = "XAccessKeyId"
[state]
path = "state/spinsync.db"
[[watch]]
path = "a/../b"
layout = "{sku}"
project = " Summer "
include = ["*.jpg"]
ignore = ["draft_*", "!draft_7.jpg", "old/", "{x", "[:a]*"]
settle = "300ms"
quiet = "1m30s"
frames = 36
marker = "done.txt"
order = "captured"
rescan = "10m"
poll = true
locale = "de_CH.UTF-8"
on_remove = "delete"
products = "lists/products.csv"
[[watch]]
path = "c"
[upload]
parallel = 8
limit = "20MB/s"
[[upload.limits]]
days = ["mon-fri", "Sunday"]
from = "22:00"
to = "06:30"
rate = ""
[poll]
first = "2s"
max = "30s"
give_up = "1h"
[dashboard]
listen = ":8360"
password_file = "page-password"
cert_file = "page.crt"
key_file = "page.key"
hosts = ["studio.local"]
read_only = true
[notify]
webhook = "https://chat.example.com/hooks/studio?key=1"
webhook_secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
command = ["bin/tell", "--to", "studio"]
every = "5m"
[log]
level = "debug"
format = "json"
`), dir)
	if err != nil {
		t.Fatal(err)
	}
	second := got.Watch[1]
	want := &Config{
		Service: Service{
			BaseURL: "http://localhost:8361", Username: "studio", Password: `a#b"c`,
			CAFile: filepath.Join(dir, "certs", "proxy.pem"), AccessKeyField: "XAccessKeyId",
		},
		State: State{Path: filepath.Join(dir, "state", "spinsync.db")},
		Watch: []Watch{{
			Path: filepath.Join(dir, "b"), Layout: parsedLayout(t, "{sku}"), Project: "Summer",
			Include: []string{"*.jpg"}, Ignore: []string{"draft_*", "!draft_7.jpg", "old/", "{x", "[:a]*"},
			Settle: 300 * time.Millisecond, Quiet: 90 * time.Second, Frames: 36, Marker: "done.txt", Order: manifest.Captured,
			Rescan: 10 * time.Minute, Poll: true, Locale: "de-CH", OnRemove: RemoveDelete, Products: "lists/products.csv",
		}, second},
		Upload: Upload{Parallel: 8, Limit: 20_000_000, Limits: []Limit{{
			Days: []time.Weekday{1, 2, 3, 4, 5, 0}, From: 22 * time.Hour, To: 6*time.Hour + 30*time.Minute,
		}}},
		Poll: Poll{First: 2 * time.Second, Max: 30 * time.Second, GiveUp: time.Hour},
		Dashboard: Dashboard{
			Listen: ":8360", PasswordFile: filepath.Join(dir, "page-password"), CertFile: filepath.Join(dir, "page.crt"),
			KeyFile: filepath.Join(dir, "page.key"), Hosts: []string{"studio.local"}, ReadOnly: true,
		},
		Notify: Notify{
			Webhook: "https://chat.example.com/hooks/studio?key=1", WebhookSecret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
			Command: []string{filepath.Join(dir, "bin", "tell"), "--to", "studio"},
			Every:   5 * time.Minute,
		},
		Log: Log{Level: slog.LevelDebug, Format: LogJSON},
	}
	if diff := cmp.Diff(want, got, byPattern, showSecrets); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if second.Path != filepath.Join(dir, "c") || second.Order != manifest.Natural {
		t.Errorf("the second [[watch]] took over from the first: %+v", second)
	}
}

func TestAllMistakesAtOnce(t *testing.T) {
	_, err := Parse([]byte(`[service]
base_url = "http://views.example.com"
usrname = "studio"
parallel = 4

[[watch]]
path = "shoots"
layuot = "{sku}"
settle = 5
order = "exif"

[[watch]]
frames = -1
layout = "{sku}"

[notify]
url = "x"
`), t.TempDir())
	want := Mistakes{
		{1, "service.username", `it is missing; write for instance username = "studio"`},
		{2, "service.base_url", "http would send the password in the clear; write https (http serves this machine alone)"},
		{3, "service.usrname", "unknown key; did you mean username?"},
		{4, "service.parallel", "unknown key; it belongs in [upload]"},
		{8, "watch.layuot", "unknown key; did you mean layout?"},
		{9, "watch.settle", `want a duration in quotes such as "5s", got a whole number`},
		{10, "watch.order", `unknown order "exif"; write "name", "natural" or "captured"`},
		{12, "watch.path", `it is missing; write for instance path = "/srv/shoots"`},
		{12, "watch.project", `layout "{sku}" has no {project}; name the project here`},
		{13, "watch.frames", "-1 is out of range; write a number from 0 to 100000"},
		{17, "notify.url", "unknown key"},
	}
	if diff := cmp.Diff(want, mistakesIn(t, err)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if text := err.Error(); !strings.HasPrefix(text, "11 mistakes\n  line 1: service.username: it is missing") {
		t.Error(text)
	}
}

func TestMistakes(t *testing.T) {
	tests := []struct{ name, toml, want string }{
		{"empty file", "", "service.base_url: it is missing"},
		{"no watch", "[service]", "watch: no folder is watched"},
		{"watch nothing", "watch = []", "line 1: watch: no folder is watched"},
		{"watch a text", "watch = [\"x\"]", "line 1: watch: want tables, got a list"},
		{"one bracket", "[watch]\npath = \"x\"", "line 1: watch: write [[watch]] with two brackets"},
		{"no table", "watch = 1", "line 1: watch: want tables, got a whole number; write [[watch]]"},
		{"no table either", "service = 1", "line 1: service: want a table, got a whole number; write [service]"},
		{"inline table", "watch = [\n  {path = \"x\"},\n  {path = 1},\n]", "line 3: watch.path: want text in quotes, got a whole number"},
		{"dotted key", "service.base_url = 1", "line 1: service.base_url: want text in quotes"},
		{"unknown array", minimal + "[[wach]]", "line 6: wach: unknown key; did you mean watch?"},
		{"unknown table without header", minimal + "[a.b]", "line 6: a: unknown key"},
		{"key at the wrong place", "rate = 1\n[[upload.limits]]", "line 1: rate: unknown key; it belongs in [upload.limits]"},
		{"the top of the file", minimal + "service = 1", "line 6: watch.service: unknown key; it belongs at the top of the file"},
		{"hostile key", minimal + "\"a\\nb\" = 1", `line 6: watch."a\nb": unknown key`},

		{"address", service("base_url", `"views.example.com"`), "line 2: service.base_url: this is no web address"},
		{"scheme", service("base_url", `"ftp://x"`), "ftp is no scheme for the service"},
		{"whole interface", service("base_url", `"https://x/api/v2/"`), "/api/v2 is added by itself"},
		{"query", service("base_url", `"https://x/?a"`), `"?" and "#" do not belong in the address`},
		{"user in address", service("base_url", `"https://u:hunter2@x"`), "use username and password"},
		{"username", service("username", `"a:b"`), "without a colon"},
		{"field name", service("access_key_field", `"a\"b"`), "is no name of a form field"},
		{"no field name", service("access_key_field", `""`), "is no name of a form field"},
		{"two passwords", service("password", "\"hunter2\"\npassword_file = \"x\""), "line 3: service.password_file: password is in this file too"},
		{"password without quotes", service("password", "hunter2"), "line 2: this cannot be read; write text between single quotes"},
		{"password with escape", service("password", `"hun\ter2\q"`), "line 2: this cannot be read"},
		{"password is a number", service("password", "123"), "service.password: want text in quotes, got a whole number"},
		{"password on two lines", service("password", `"hunter2\n"`), "service.password: the text holds a line break"},

		{"windows path", watch("path", `"C:\Users"`), `line 5: this cannot be read; write text between single quotes, as in '5s' or 'C:\shoots'`},
		{"windows path that is TOML", watch("path", `"C:\temp"`), `the path holds a control character; write a Windows path with "/"`},
		{"home", watch("path", `"~/shoots"`), "~ is not replaced by the home directory"},
		{"no path", watch("path", `""`), "line 5: watch.path: the path is empty"},
		{"layout", watch("layout", `"{project}/{skuu}"`), "line 5: watch.layout: layout \"{project}/{skuu}\": segment 2: unknown field {skuu}"},
		{"two projects", watch("project", `"Summer"`), "line 5: watch.project: layout \"{project}/{sku}\" takes the project from the folder"},
		{"include a folder", watch("include", `["raw/*.jpg"]`), `"raw/*.jpg" names a folder`},
		{"include nothing", watch("include", "[]"), "no file would be a frame"},
		{"include text", watch("include", `"*.jpg"`), "want a list of texts in [ ], got text"},
		{"include numbers", watch("include", "[1]"), "want text in quotes, got a whole number"},
		{"include pattern", watch("include", `["[a"]`), `"[a" is no pattern`},
		{"ignore comment", watch("ignore", `["#recycle"]`), `write '\#recycle' in single quotes`},
		{"ignore nothing", watch("ignore", `["!/"]`), `the pattern "!/" fits nothing`},
		{"ignore bracket", watch("ignore", `["[a"]`), `"[a" is no pattern; look for a [ or { that is not closed`},
		{"ignore class", watch("ignore", `["[[:digit:]]*.jpg"]`), "write its characters, such as [0-9]"},
		{"include class", watch("include", `["[a[:digit:]]*.jpg"]`), "write its characters, such as [0-9]"},
		{"ignore blank", watch("ignore", `[" "]`), `the pattern " " fits nothing`},
		{"ignore control", watch("ignore", `["a\tb"]`), "a pattern holds a control character"},
		{"duration", watch("settle", `"5 seconds"`), `"5 seconds" is no duration; write for instance "300ms"`},
		{"no duration", watch("settle", `"0s"`), "0s is out of range; write a duration above 0 and up to 1h0m0s"},
		{"long", watch("quiet", `"200h"`), "200h is out of range"},
		{"frames", watch("frames", `"36"`), "want a whole number without quotes, got text"},
		{"half frames", watch("frames", "36.5"), "got a number with a point"},
		{"marker", watch("marker", `"../done"`), `"../done" is no plain file name`},
		{"rescan", watch("rescan", `"often"`), `"1m30s", or "auto"`},
		{"poll", watch("poll", `"yes"`), "want true or false without quotes, got text"},
		{"locale", watch("locale", `"english"`), `"english" is no locale`},
		{"no locale", watch("locale", `"C"`), `"C" is no locale`},
		{"private locale", watch("locale", `"x-default"`), `"x-default" is no locale`},
		{"on_remove", watch("on_remove", `"trash"`), `"trash" is not known; write "keep" or "delete"`},
		{"date", watch("locale", "2027-01-02"), "got a date or time"},
		{"table as text", watch("locale", "{a = 1}"), "got a table"},

		{"parallel", minimal + "[upload]\nparallel = -1", "line 7: upload.parallel: -1 is out of range; write a number from 0 to 256"},
		{"limit", minimal + "[upload]\nlimit = \"20Mb/s\"", `"20Mb/s" is no rate; write for instance "20MB/s" or "100Mbit/s"`},
		{"first after max", minimal + "[poll]\nfirst = \"2m\"\nmax = \"1m\"", "line 7: poll.first: 2m0s is longer than max, which is 1m0s"},
		{"give up at once", minimal + "[poll]\nmax = \"1m\"\ngive_up = \"5s\"", "line 8: poll.give_up: 5s is shorter than max"},
		{"listen", minimal + "[dashboard]\nlisten = \"8360\"", `"8360" is no address to listen on`},
		{"port", minimal + "[dashboard]\nlisten = \":99999\"", "is no address to listen on"},
		{"page for all", minimal + "[dashboard]\nlisten = \":8360\"", `line 7: dashboard.listen: ":8360" can be reached from other computers; add password_file, or write`},
		{"page without password", minimal + "[dashboard]\nlisten = \"192.0.2.1:8360\"\ncert_file = \"c\"\nkey_file = \"k\"", "can be reached from other computers"},
		{"certificate without key", minimal + "[dashboard]\ncert_file = \"c\"", "cert_file and key_file belong together"},
		{"host with port", minimal + "[dashboard]\nhosts = [\"studio.local:8360\"]", `"studio.local:8360" is no host name`},
		{"webhook", minimal + "[notify]\nwebhook = \"chat.example.com/hunter2\"", "line 7: notify.webhook: this is no web address"},
		{"webhook without quotes", minimal + "[notify]\nwebhook = https://chat/hunter2", "line 7: this cannot be read; write text between single quotes"},
		{"webhook with fragment", minimal + "[notify]\nwebhook = \"https://chat.example.com/#hunter2\"", `"#" does not belong in the address`},
		{"secret of a webhook", minimal + "[notify]\nwebhook = \"https://a\"\nwebhook_secret = \"hunter2\"", "line 8: notify.webhook_secret: this is no secret; write whsec_ and"},
		{"short secret of a webhook", minimal + "[notify]\nwebhook = \"https://a\"\nwebhook_secret = \"whsec_aHVudGVyMg==\"", "this is no secret"},
		{"secret without webhook", minimal + "[notify]\nwebhook_secret = \"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\"", "name the webhook too"},
		{"command as text", minimal + "[notify]\ncommand = \"mail -s x\"", "no shell reads a command; write the program and its arguments as a list"},
		{"command without name", minimal + "[notify]\ncommand = [\"\", \"x\"]", "the program has no name"},
		{"level", minimal + "[log]\nlevel = \"trace\"", `"trace" is not known; write "debug" or "info" or "warn" or "error"`},
		{"format", minimal + "[log]\nformat = \"xml\"", `write "text" or "json"`},

		{"same root", minimal + "[[watch]]\npath = \"./shoots/\"", "line 7: watch.path: "},
		{"root in root", minimal + "[[watch]]\npath = \"shoots/new\"", "lie within one another; watch only one of them"},
		{"root around root", minimal + "[[watch]]\npath = \".\"", "lie within one another; watch only one of them"},
		{"state in root", minimal + "[state]\npath = \"shoots/state.db\"", "line 7: state.path: "},

		{"heading", "[service\nusername = 1", "line 1: this cannot be read; write text between single quotes, as in '5s' or 'C:\\shoots', " +
			"a heading like [service] or [[watch]], and each key on a line of its own"},
		{"heading of an element", "[log]\n[[watch]\npath = \"x\"", "line 2: this cannot be read"},
		{"heading cut off", "[log]\n[serv", "line 2: this cannot be read"},
		{"quote", "[service]\nusername = \"studio\n", "line 2: this cannot be read"},
		{"no quotes", "[service]\nusername = studio", "line 2: this cannot be read"},
		{"duration without quotes", watch("settle", "5s"), "line 5: this cannot be read; write text between single quotes, as in '5s'"},
		{"several passwords without quotes", service("password", "hunter2\npassword = hunter3"), "line 2: this cannot be read"},
		{"quote not closed on several lines", service("password", "\"\"\"hunter2\nhunter3\n"), "line 4: this cannot be read"},
		{"list not closed", watch("include", "['*.jpg',\n'*.png'\n"), "line 8: this cannot be read"},
		{"no equals sign", "[service]\nusername \"studio\"", "line 2: this cannot be read"},
		{"two words", "[service]\nusername = \"a\" b", "line 2: this cannot be read"},
		{"duplicate", "[log]\nlevel = \"info\"\nlevel = \"warn\"", "line 3: log.level: the file has it already; remove one of the two"},
		{"one bracket twice", "[watch]\npath = \"a\"\n[watch]\npath = \"b\"", "line 3: watch: write [[watch]] with two brackets, once for each"},
		{"one bracket, then two", "[watch]\npath = \"a\"\n[[watch]]\npath = \"b\"", "line 3: watch: write [[watch]] with two brackets, once for each"},
		{"duplicate table", "[log]\n[log]", "line 2: log: the file has it already"},
		{"deep", "a = " + strings.Repeat("[", 1000), "tables lie too deep within one another"},
		{"deep key", strings.Repeat("a.", 1000) + "a = 1", "tables lie too deep within one another"},
		{"large", strings.Repeat("#", MaxSize+1), "the file is larger than 1024 KiB; shorten it"},
		{"latin-1", "[service]\nusername = \"caf\xe9\"", "the file is not text in UTF-8"},
		{"utf-16", "\xff\xfea\x00", "the file is not text in UTF-8; save it as UTF-8"},
	}
	for _, tt := range tests {
		_, err := Parse([]byte(tt.toml), t.TempDir())
		text := fmt.Sprint(err)
		if mistakesIn(t, err); !strings.Contains(text, tt.want) {
			t.Errorf("%s: got %s\nwant %s", tt.name, text, tt.want)
		}
		if strings.Contains(text, "hun") {
			t.Errorf("%s: the error has the password: %s", tt.name, text)
		}
	}
}

// A root holds what lies below it, and no folder whose name only begins like its own.
func TestContains(t *testing.T) {
	dir := t.TempDir()
	top := filepath.VolumeName(dir) + string(filepath.Separator)
	if !contains(top, dir) || !contains(dir, dir) || contains(dir, top) || contains(dir, dir+"2") {
		t.Error("wrong about " + dir)
	}
}

func TestLoad(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	path := filepath.Join(dir, "sync.toml")
	write(t, path, minimal, 0o600)
	c, err := Load(path, homeAt(home))
	if err != nil {
		t.Fatal(err)
	}
	if c.Path != path || c.Watch[0].Path != filepath.Join(dir, "shoots") {
		t.Errorf("got %s, watching %s", c.Path, c.Watch[0].Path)
	}
	if filepath.Base(c.State.Path) != "state.db" || !contains(home, c.State.Path) {
		t.Errorf("the state file is %s, want it below %s", c.State.Path, home)
	}
}

func TestLoadNamesTheFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "sync.toml")
	if _, err := Load(path, homeAt(dir)); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "spinsync setup") {
		t.Errorf("got %v", err)
	}
	write(t, path, "[servce]", 0o600)
	if _, err := Load(path, homeAt(dir)); !strings.HasPrefix(fmt.Sprint(err), path+": 4 mistakes\n") {
		t.Errorf("got %v", err)
	}
	write(t, path, minimal, 0o600)
	if _, err := Load(path, func(string) string { return "" }); !strings.HasPrefix(fmt.Sprint(err), path+": state.path: no home directory") {
		t.Errorf("got %v", err)
	}
	if _, err := Load(dir, homeAt(dir)); err == nil {
		t.Error("a directory is no file")
	}
}

// The default place of the state file is held against the roots too.
func TestLoadRefusesToWatchItsState(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "sync.toml")
	write(t, path, strings.Replace(minimal, `"shoots"`, `"."`, 1), 0o600)
	if _, err := Load(path, homeAt(dir)); !strings.Contains(fmt.Sprint(err), "lies below the watched folder") {
		t.Errorf("got %v", err)
	}
}

func FuzzParse(f *testing.F) {
	example, err := os.ReadFile(examplePath)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(example)
	f.Add([]byte(minimal + "[upload]\nlimit = \"1.5GiB/s\"\n[[upload.limits]]\ndays = [\"fri-mon\"]\nrate = \"1kbit/s\""))
	f.Add([]byte("watch = [{path = 'a'}, {path = 'b'}]\nservice.username = \"\"\"a\"\"\"\n"))
	f.Add([]byte("\ufeff[[watch]]\r\npath = \"\\u00e9\"\r\n[watch.x]\r\n"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse(data, dir)
		if err != nil {
			mistakesIn(t, err)
			return
		}
		for _, w := range c.Watch {
			if !filepath.IsAbs(w.Path) || w.Settle <= 0 || w.Layout.HasProject() == (w.Project != "") {
				t.Errorf("%s\nbecame %+v", data, w)
			}
		}
	})
}

var (
	byPattern   = cmp.Comparer(func(a, b layout.Layout) bool { return a.String() == b.String() })
	showSecrets = cmp.Transformer("reveal", func(s apiclient.Secret) string { return s.Reveal() })
)

func parsedLayout(t *testing.T, pattern string) layout.Layout {
	t.Helper()
	l, err := layout.Parse(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// service is a [service] with one key, on line 2.
func service(key, value string) string {
	return "[service]\n" + key + " = " + value + "\n"
}

// watch is a whole file with one more key under [[watch]], on line 5.
func watch(key, value string) string {
	s := minimal
	if key == "path" {
		s = strings.Replace(s, "path = \"shoots\"\n", "", 1)
	}
	return strings.Replace(s, "[[watch]]\n", "[[watch]]\n"+key+" = "+value+"\n", 1)
}

// mistakesIn fails when err is anything but a list of sound mistakes.
func mistakesIn(t *testing.T, err error) Mistakes {
	t.Helper()
	var mistakes Mistakes
	if !errors.As(err, &mistakes) || len(mistakes) == 0 {
		t.Fatalf("got %v, want mistakes", err)
	}
	for _, m := range mistakes {
		if m.Message == "" || m.Line < 0 {
			t.Errorf("%+v says nothing", m)
		}
	}
	return mistakes
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func homeAt(dir string) func(string) string {
	return func(name string) string {
		if name == "HOME" || name == "LOCALAPPDATA" {
			return dir
		}
		return ""
	}
}

func TestWhatPollLeavesOutFitsTheRest(t *testing.T) {
	for text, want := range map[string]Poll{
		``:                                   {time.Second, time.Minute, 6 * time.Hour},
		`first = "2m"`:                       {2 * time.Minute, 2 * time.Minute, 6 * time.Hour},
		`max = "100ms"`:                      {100 * time.Millisecond, 100 * time.Millisecond, 6 * time.Hour},
		`max = "8h"`:                         {time.Second, 8 * time.Hour, 8 * time.Hour},
		`give_up = "5s"`:                     {time.Second, 5 * time.Second, 5 * time.Second},
		`give_up = "200ms"`:                  {200 * time.Millisecond, 200 * time.Millisecond, 200 * time.Millisecond},
		"first = \"10ms\"\ngive_up = \"5s\"": {10 * time.Millisecond, 5 * time.Second, 5 * time.Second},
	} {
		c, err := Parse([]byte(minimal+"[poll]\n"+text), t.TempDir())
		if err != nil || c.Poll != want {
			t.Errorf("%s: %v, %v", text, c, err)
		}
	}
}
