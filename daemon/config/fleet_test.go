package config

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const inFleet = `[service]
base_url = "https://views.example.com"
username = "studio"
[[watch]]
path = "/srv/shoots"
name = "shoots"
[fleet]
etcd = ["https://nas:2379/", "http://localhost:2379"]
`

func TestFleet(t *testing.T) {
	text := strings.Replace(inFleet, "localhost:2379", "localhost", 1) // etcd's own port
	c, err := Parse([]byte(text+"lease = \"15s\"\nstation = \"anna\"\n"), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	want := &Fleet{
		Etcd: []string{"https://nas:2379", "http://localhost:2379"}, Station: "anna", Prefix: "/spinsync", Lease: 15 * time.Second,
	}
	if diff := cmp.Diff(want, c.Fleet); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if trees := c.Trees(); trees[c.Watch[0].Path] != "shoots" || len(trees) != 1 {
		t.Error(trees)
	}
	alone, err := Parse([]byte(minimal), t.TempDir())
	if err != nil || alone.Fleet != nil || alone.Trees() != nil {
		t.Errorf("without the table: %+v, %v", alone.Fleet, err)
	}
}

// TestFleetMistakes are told with their lines.
func TestFleetMistakes(t *testing.T) {
	for old, new := range map[string]string{
		`name = "shoots"`:     ``,
		`etcd = ["https`:      `etcd = ["http`,
		`:2379/"`:             `:2379/spinsync"`,
		"[fleet]\netcd":       "[fleet]\nmembers",
		`localhost:2379"]`:    "localhost:2379\"]\nlease = \"4s\"",
		`, "http://`:          `, "ftp://`,
		"localhost:2379\"]\n": "localhost:2379\"]\nkey_file = \"key.pem\"\n",
		"[fleet]\n":           "[other]\n",
		"[[watch]]":           "[[watch]]\npath = \"/srv/more\"\nname = \"shoots\"\n[[watch]]",
	} {
		text := strings.Replace(inFleet, old, new, 1)
		_, err := Parse([]byte(text), t.TempDir())
		if err == nil || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%s: %v", new, err)
		}
	}
}

// TestMemberByHTTP is one mistake.
func TestMemberByHTTP(t *testing.T) {
	text := strings.Replace(inFleet, `["https://nas:2379/", "http://localhost:2379"]`, `["http://nas:2379"]`, 1)
	_, err := Parse([]byte(text), t.TempDir())
	if err == nil || strings.Count(err.Error(), "fleet.etcd") != 1 || !strings.Contains(err.Error(), "by https") {
		t.Error(err)
	}
}
