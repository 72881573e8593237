package config

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"spinsync/apiclient"
)

// Fleet is how this computer belongs to a fleet: several of them publish one share, one at a time.
type Fleet struct {
	Etcd              []string // addresses of the cluster's members, at least one
	Station           string   // this computer's name; see Name
	Prefix            string   // of all keys
	Lease             time.Duration
	Username          string // of etcd; empty for none
	PasswordFile      string // empty for the environment, or none; see ResolvePassword
	CAFile            string // empty for the system's trust roots alone
	CertFile, KeyFile string // both empty for none
}

// Name is the station's name, once in the fleet.
func (f Fleet) Name() (string, error) {
	if f.Station != "" {
		return f.Station, nil
	}
	host, err := os.Hostname()
	if _, wrong := parseStation(host); err != nil || wrong != nil || host == "" {
		return "", errors.Join(errors.New("this computer has no name for a fleet; write station in [fleet]"), err)
	}
	return host, nil
}

// ResolvePassword is the password of the etcd user; empty where the cluster asks for none.
func (f Fleet) ResolvePassword(env func(string) string) (apiclient.Secret, error) {
	if f.PasswordFile != "" {
		return readPassword("password_file of [fleet]", f.PasswordFile, checkPrivate)
	}
	return apiclient.Secret(env("SPINSYNC_ETCD_PASSWORD")), nil
}

// Trees are the names of the trees of a fleet, by their roots; nil without a fleet.
func (c *Config) Trees() map[string]string {
	if c.Fleet == nil {
		return nil
	}
	trees := map[string]string{}
	for _, w := range c.Watch {
		trees[w.Path] = w.Name
	}
	return trees
}

const (
	shortestLease = 5 * time.Second
	longestLease  = time.Minute
)

// readFleet is nil without the table.
func readFleet(root *table, dir string, roots []Watch, tables []*table) *Fleet {
	_, is := root.get("fleet")
	t := root.table("fleet")
	before := len(root.doc.mistakes)
	members := read(t, "etcd", nil, list(parseMember))
	told := len(root.doc.mistakes) > before
	f := &Fleet{
		Etcd:         members,
		Station:      read(t, "station", "", text(parseStation)),
		Prefix:       read(t, "prefix", "/spinsync", text(parsePrefix)),
		Lease:        read(t, "lease", 10*time.Second, parseLease),
		Username:     read(t, "username", "", text(oneLine)),
		PasswordFile: read(t, "password_file", "", text(pathIn(dir))),
		CAFile:       read(t, "ca_file", "", text(pathIn(dir))),
		CertFile:     read(t, "cert_file", "", text(pathIn(dir))),
		KeyFile:      read(t, "key_file", "", text(pathIn(dir))),
	}
	if (f.CertFile == "") != (f.KeyFile == "") {
		t.mistake("cert_file", "cert_file and key_file belong together; name both or neither")
	}
	if is && len(members) == 0 && !told {
		t.mistake("etcd", `no member of the cluster is named; write for instance etcd = ["https://nas:2379"]`)
	}
	checkTrees(is, roots, tables)
	if !is {
		return nil
	}
	return f
}

// checkTrees reports roots that stations of a fleet could not tell apart.
func checkTrees(fleet bool, roots []Watch, tables []*table) {
	named := map[string]string{}
	for i, w := range roots {
		switch other, twice := named[w.Name]; {
		case !fleet && w.Name != "":
			tables[i].mistake("name", "it is for the trees of a fleet; remove it, or add [fleet]")
		case !fleet:
		case w.Name == "":
			tables[i].mistake("name", `in a fleet each folder has a name, the same at all stations; write for instance name = "shoots"`)
		case twice:
			tables[i].mistake("name", "%s has the name %s too; give each folder a name of its own", other, w.Name)
		}
		named[w.Name] = w.Path
	}
}

// parseMember accepts the address of a member of the cluster. What is decided there must be safe on the
// way.
func parseMember(s string) (string, error) {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Hostname() == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "":
		return "", errors.New(`this is no address of an etcd member; write for instance "https://nas:2379"`)
	case u.Scheme == "https", u.Scheme == "http" && apiclient.IsLoopback(u.Hostname()):
		return u.Scheme + "://" + net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "2379")), nil
	}
	return "", errors.New("a member is reached by https; only one on this computer by http")
}

const longestStation = 64 // bytes

// parseStation accepts the name of a computer or of a tree.
func parseStation(s string) (string, error) {
	if len(s) > longestStation || strings.ContainsAny(s, `/\`) {
		return "", fmt.Errorf("%q is no name; write up to %d characters without a slash", s, longestStation)
	}
	return title(s)
}

func parsePrefix(s string) (string, error) {
	s = strings.TrimRight(s, "/")
	if !strings.HasPrefix(s, "/") {
		return "", errors.New(`the prefix begins with a slash and has a name; write for instance "/spinsync"`)
	}
	return oneLine(s)
}

func parseLease(value any) (time.Duration, error) {
	d, err := duration(longestLease)(value)
	if err == nil && (d < shortestLease || d%time.Second != 0) {
		err = fmt.Errorf("%s is out of range; write whole seconds from %s to %s", d, shortestLease, longestLease)
	}
	return d, err
}

// Shared are the settings of a tree that are the same at all stations of a fleet, by their keys. With
// others a station would publish other views of the same photos.
func (w Watch) Shared() map[string]string {
	return map[string]string{
		"layout": w.Layout.String(), "frames": strconv.Itoa(w.Frames), "order": string(w.Order), "marker": w.Marker,
		"project": w.Project, "include": strings.Join(w.Include, "\n"), "ignore": strings.Join(w.Ignore, "\n"),
		"on_remove": string(w.OnRemove), "locale": w.Locale, "products": w.Products,
		"settle": w.Settle.String(), "quiet": w.Quiet.String(),
	}
}
