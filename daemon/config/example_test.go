package config

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const examplePath = "../../sync.toml.example"

// switchedOff finds the settings that the example holds as a comment: a "#"
// with no space after it.
var switchedOff = regexp.MustCompile(`(?m)^#([^\s])`)

func TestExampleShowsTheDefaults(t *testing.T) {
	dir := t.TempDir()
	got, err := Parse(readExample(t), dir)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Parse([]byte(minimal), dir)
	if err != nil {
		t.Fatal(err)
	}
	root, err := pathIn(dir)("/srv/shoots")
	if err != nil {
		t.Fatal(err)
	}
	want.Watch[0].Path, want.Watch[0].Ignore = root, []string{}
	if diff := cmp.Diff(want, got, byPattern, showSecrets); diff != "" {
		t.Errorf("(-default +example):\n%s", diff)
	}
}

// What the loader asks for stands in the example, and what stands there with
// "#" in front is right too.
func TestExampleHasEveryKey(t *testing.T) {
	text := switchedOff.ReplaceAll(readExample(t), []byte("$1"))
	d := newDocument(text)
	readConfig(d, t.TempDir(), "")
	if err := d.finish(); err != nil {
		t.Fatal(err)
	}
	for _, table := range d.tables {
		for key := range table.asked {
			if _, ok := table.values[key]; !ok {
				t.Errorf("%s is missing", join(table.name, key))
			}
		}
	}
}

// The names are fixed: people and scripts rely on them.
func TestKeysOfTheContract(t *testing.T) {
	d := newDocument([]byte("[[watch]]\n[[upload.limits]]"))
	readConfig(d, t.TempDir(), "")
	var got []string
	for _, table := range d.tables {
		for key := range table.asked {
			got = append(got, join(table.name, key))
		}
	}
	slices.Sort(got)
	want := []string{
		"dashboard", "dashboard.cert_file", "dashboard.hosts", "dashboard.key_file", "dashboard.listen", "dashboard.password_file",
		"dashboard.read_only",
		"fleet", "fleet.ca_file", "fleet.cert_file", "fleet.etcd", "fleet.key_file", "fleet.lease", "fleet.password_file",
		"fleet.prefix", "fleet.station", "fleet.username",
		"log", "log.format", "log.level",
		"notify", "notify.command", "notify.every", "notify.webhook", "notify.webhook_secret",
		"poll", "poll.first", "poll.give_up", "poll.max",
		"service", "service.access_key_field", "service.base_url", "service.ca_file", "service.password", "service.password_file",
		"service.username",
		"state", "state.path",
		"upload", "upload.limit", "upload.limits", "upload.limits.days", "upload.limits.from", "upload.limits.rate", "upload.limits.to",
		"upload.parallel",
		"watch", "watch.frames", "watch.ignore", "watch.include", "watch.layout", "watch.locale", "watch.marker", "watch.name", "watch.on_remove",
		"watch.order", "watch.path", "watch.poll", "watch.products", "watch.project", "watch.quiet", "watch.rescan", "watch.settle",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func readExample(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile(examplePath)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
