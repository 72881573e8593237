package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var noon = time.Date(2026, 5, 17, 12, 0, 0, 0, time.UTC)

func TestVersions(t *testing.T) {
	for recorded, want := range map[string]string{
		"v1.2.3": "1.2.3", "v0.0.0-20260517120000-0123456789ab+dirty": "0.0.0-20260517120000-0123456789ab+dirty", "(devel)": "0.0.0", "": "0.0.0",
	} {
		if got := versionOf(recorded); got != want {
			t.Errorf("versionOf(%q) = %s, want %s", recorded, got, want)
		}
	}
	for version, want := range map[string][2]string{
		"1.2.3": {"1.2.3", "1.2.4"}, "2.0.10-rc.1": {"2.0.10", "2.0.11"}, "0.0.0-20260517120000-0123456789ab": {"0.0.2328", "0.0.2329"},
	} {
		this, next := windowsVersion(version, noon)
		if got := [2]string{this, next}; got != want {
			t.Errorf("windowsVersion(%q) = %v, want %v", version, got, want)
		}
	}
}

func TestReleaseTime(t *testing.T) {
	info := &buildinfo.BuildInfo{}
	info.Settings = []debug.BuildSetting{{Key: "vcs.time", Value: "2026-05-17T12:00:00Z"}}
	if got, err := releaseTime("", info); err != nil || !got.Equal(noon) {
		t.Errorf("of the commit: %v, %v", got, err)
	}
	if got, err := releaseTime("86400", info); err != nil || got.Unix() != 86400 {
		t.Errorf("of SOURCE_DATE_EPOCH: %v, %v", got, err)
	}
	for _, epoch := range []string{"", "yesterday"} {
		if got, err := releaseTime(epoch, &buildinfo.BuildInfo{}); err == nil {
			t.Errorf("of %q without a commit: %v", epoch, got)
		}
	}
}

// TestArchivesDependOnContentsAlone: neither the times nor the rights that files have here get into
// an archive.
func TestArchivesDependOnContentsAlone(t *testing.T) {
	pack := func(rights os.FileMode, touched time.Time, write func(io.Writer, []entry, time.Time) error) []byte {
		path := filepath.Join(t.TempDir(), "spinsync")
		if err := os.WriteFile(path, []byte("program"), rights); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, touched, touched); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := write(&b, []entry{{"top/spinsync", path, 0o755}}, noon); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	for name, write := range map[string]func(io.Writer, []entry, time.Time) error{"tar.gz": writeTar, "zip": writeZip} {
		if !bytes.Equal(pack(0o600, noon, write), pack(0o777, noon.Add(time.Hour), write)) {
			t.Errorf("the %s depends on more than contents", name)
		}
	}
}

// summary is an OLE property set as wixl writes it: a package code and two times, at these places
// behind junk.
func summary() []byte {
	set := append(make([]byte, 28), summaryFormat...)
	set = binary.LittleEndian.AppendUint32(set, 48)
	section := make([]byte, 8)
	binary.LittleEndian.PutUint32(section[4:], 3)
	for _, row := range [][2]uint32{{packageCode, 32}, {created, 80}, {saved, 92}} {
		section = binary.LittleEndian.AppendUint32(section, row[0])
		section = binary.LittleEndian.AppendUint32(section, row[1])
	}
	section = append(section, "\x1e\x00\x00\x00\x27\x00\x00\x00{57F66AD7-F49B-471A-87A2-F7748422E6B6}\x00\x00"...)
	section = append(section, "\x40\x00\x00\x00ABCDEFGH\x40\x00\x00\x00IJKLMNOP"...)
	return append(append([]byte("junk"), set...), section...)
}

func TestSummaryIsSettled(t *testing.T) {
	data := summary()
	const code = "01234567-89AB-5CDE-8F01-23456789ABCD"
	if err := settleSummary(data, code, noon); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(data, []byte("{"+code+"}\x00")) || bytes.Contains(data, []byte("ABCDEFGH")) || bytes.Contains(data, []byte("IJKLMNOP")) {
		t.Errorf("settled to %q", data)
	}
	if got := fileTime(time.Unix(0, 0)); got != 116444736000000000 {
		t.Errorf("1970 is %d", got)
	}
	if err := settleSummary([]byte("not an installer"), code, noon); err == nil {
		t.Error("a file without a summary is accepted")
	}
}

func FuzzSettleSummary(f *testing.F) {
	f.Add(summary())
	f.Add(summaryFormat)
	f.Fuzz(func(t *testing.T, data []byte) {
		length := len(data)
		if err := settleSummary(data, "01234567-89AB-5CDE-8F01-23456789ABCD", noon); err == nil && len(data) != length {
			t.Error("the length changed")
		}
	})
}

func newTestRelease(t *testing.T) *release {
	t.Helper()
	r := &release{version: "1.2.3", time: noon}
	r.dist, r.url, r.homepage = t.TempDir(), "https://example.com/dist/", "https://example.com"
	for _, name := range allTargets {
		system, arch, _ := strings.Cut(name, "/")
		r.targets = append(r.targets, target{system, arch})
	}
	return r
}

// TestBillListsWhatIsLinked: every module that Go recorded in a program, this test, is in its
// bill of materials.
func TestBillListsWhatIsLinked(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := newTestRelease(t)
	root, err := goEnv(t.Context(), "GOROOT")
	if err != nil {
		t.Fatal(err)
	}
	terms, err := readTerms(root)
	if err != nil {
		t.Fatal(err)
	}
	r.terms = map[string][]string{"std": terms}
	info.Deps = slices.DeleteFunc(info.Deps, func(m *debug.Module) bool { return m.Path == "spinsync" }) // this test's own
	info.Deps = append(info.Deps, &debug.Module{Path: "example.com/old", Version: "v1.0.0",
		Replace: &debug.Module{Path: "example.com/new", Version: "v1.0.0+dirty", Sum: "h1:x"}})
	b := r.billOf(r.targets[0], info)
	var names []string
	for _, c := range b.Components {
		names = append(names, c.Name)
		if c.URL != "pkg:golang/"+c.Name+"@"+strings.ReplaceAll(c.Version, "+", "%2B") || c.Version == "" {
			t.Errorf("component %+v", c)
		}
	}
	if len(names) != len(info.Deps)+1 || !slices.Contains(names, "github.com/google/uuid") {
		t.Errorf("the bill lists %v", names)
	}
	if !slices.Contains(names, "example.com/new") || slices.Contains(names, "example.com/old") {
		t.Errorf("the bill lists what was replaced: %v", names)
	}
	if std := b.Components[0]; strings.HasPrefix(std.Version, "go") || len(std.Licenses) != 1 || std.Licenses[0].License.ID != "BSD-3-Clause" {
		t.Errorf("the standard library is listed as %+v", std)
	}
	if b.Format != "CycloneDX" || b.SpecVersion != "1.5" || b.Metadata.Timestamp != "2026-05-17T12:00:00Z" {
		t.Errorf("the bill begins %+v", b)
	}
	if again := r.billOf(r.targets[0], info); !cmp.Equal(b, again) {
		t.Error("a second bill differs")
	}
}

// TestEachModuleHasALicence: the bill names one for all that the program is made of, also where
// the text is Zlib's or Unlicense's. Words that only resemble a licence are none.
func TestEachModuleHasALicence(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	program := filepath.Join(t.TempDir(), "spinsync")
	if out, err := exec.Command("go", "build", "-o", program, "./cmd/spinsync").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r := &release{work: filepath.Dir(program), targets: []target{{runtime.GOOS, runtime.GOARCH}}}
	if err := os.MkdirAll(filepath.Dir(r.host()), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(program, r.host()); err != nil {
		t.Fatal(err)
	}
	if err := r.findModules(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, m := range r.modules {
		if len(licencesOf(r.terms[m.path])) != 1 {
			t.Errorf("%s has the licences %v", m.path, licencesOf(r.terms[m.path]))
		}
	}
	if found := licencesOf([]string{"Copyright 2027, all rights reserved"}); len(found) != 0 {
		t.Errorf("a notice is taken for %v", found)
	}
}

// TestManifestsNameTheFiles: digest and address of each archive are in the manifests, and no
// field of a template is missing.
func TestManifestsNameTheFiles(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	r := newTestRelease(t)
	for _, target := range r.targets {
		for _, ending := range []string{".zip", ".tar.gz", ".msi"} {
			if err := os.WriteFile(filepath.Join(r.dist, r.dir(target)+ending), []byte(r.dir(target)+ending), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := r.makeManifests(); err != nil {
		t.Fatal(err)
	}
	for name, files := range map[string][]string{
		"spinsync.rb":   {"darwin_arm64.tar.gz", "darwin_amd64.tar.gz", "linux_arm64.tar.gz", "linux_amd64.tar.gz"},
		"spinsync.json": {"windows_amd64.zip", "windows_arm64.zip"},
		"winget.yaml":   {"windows_amd64.msi"},
	} {
		text, err := os.ReadFile(filepath.Join(r.dist, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			sum, err := digest(filepath.Join(r.dist, "spinsync_1.2.3_"+file))
			if err != nil || !bytes.Contains(text, []byte(sum)) || !bytes.Contains(text, []byte("https://example.com/dist/spinsync_1.2.3_"+file)) {
				t.Errorf("%s lacks address or digest of %s (%v)", name, file, err)
			}
		}
	}
	scoop, err := os.ReadFile(filepath.Join(r.dist, "spinsync.json"))
	if err != nil || !json.Valid(scoop) {
		t.Errorf("spinsync.json is no JSON (%v)", err)
	}
}

// TestUpgradeCodeIsTheInstallersOwn: the upgrade code of the installer's text is the one its codes
// come from.
func TestUpgradeCodeIsTheInstallersOwn(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "windows", "spinsync.wxs"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), strings.ToUpper(installerSpace.String())); n != 2 {
		t.Errorf("spinsync.wxs names the upgrade code %d times, not in Product and Upgrade", n)
	}
}

// TestOnlyAnEarlierBuildIsRemoved: -o into a directory with anything else is refused, and takes
// nothing away.
func TestOnlyAnEarlierBuildIsRemoved(t *testing.T) {
	dist := filepath.Join(t.TempDir(), "dist")
	if err := freshDirectory(dist); err != nil {
		t.Fatal("a new one:", err)
	}
	for _, name := range []string{"spinsync_1.2.3_linux_amd64.tar.gz", "spinsync-1.2.3-1.x86_64.rpm", "spinsync.rb", "winget.yaml", "SHA256SUMS"} {
		if err := os.WriteFile(filepath.Join(dist, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := freshDirectory(dist); err != nil {
		t.Fatal("an earlier build:", err)
	}
	if left, err := os.ReadDir(dist); err != nil || len(left) > 0 {
		t.Errorf("of an earlier build remains %v, %v", left, err)
	}
	diary := filepath.Join(dist, "diary.txt")
	if err := os.WriteFile(diary, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := freshDirectory(dist); err == nil || !strings.Contains(err.Error(), "diary.txt") {
		t.Errorf("a directory of somebody: %v", err)
	}
	if _, err := os.Stat(diary); err != nil {
		t.Error(err)
	}
}

// TestInstallerToolIsLookedForFirst: its absence ends the build before anything is built, and only
// where there is an MSI to make.
func TestInstallerToolIsLookedForFirst(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if err := findInstallerTool([]target{{"linux", "amd64"}, installerTarget}); err == nil || !strings.Contains(err.Error(), "apt install wixl") {
		t.Errorf("without wixl: %v", err)
	}
	if err := findInstallerTool([]target{{"linux", "amd64"}, {"windows", "arm64"}}); err != nil {
		t.Error(err)
	}
}

func TestChecksums(t *testing.T) {
	dist := t.TempDir()
	if err := os.WriteFile(filepath.Join(dist, "a"), []byte("abc"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := writeChecksums(dist); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dist, "SHA256SUMS"))
	const want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a\n"
	if err != nil || string(got) != want {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestSignatureHoldsEveryFile: the commands of docs/install.md take what was signed, and refuse a
// byte that changed, checksums that were made again, another's key and a signature for other uses.
func TestSignatureHoldsEveryFile(t *testing.T) {
	ours, others := newKey(t), newKey(t)
	for name, c := range map[string]struct {
		key    string
		tamper func(t *testing.T, dist string)
		want   bool
	}{
		"as it was signed": {ours, func(*testing.T, string) {}, true},
		"another byte":     {ours, func(t *testing.T, dist string) { flipByte(t, filepath.Join(dist, "spinsync.rb")) }, false},
		"another checksum": {ours, func(t *testing.T, dist string) { flipByte(t, filepath.Join(dist, "SHA256SUMS")) }, false},
		"another's key":    {others, func(*testing.T, string) {}, false},
		"for other uses":   {ours, func(t *testing.T, dist string) { signAsFile(t, dist, ours) }, false},
		"checksums made again": {ours, func(t *testing.T, dist string) {
			flipByte(t, filepath.Join(dist, "spinsync.rb"))
			if err := writeChecksums(dist); err != nil {
				t.Fatal(err)
			}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			dist := signedDist(t, c.key)
			c.tamper(t, dist)
			if out, err := verify(t, dist, ours); (err == nil) != c.want {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

func newKey(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "key")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

func signedDist(t *testing.T, key string) (dist string) {
	t.Helper()
	dist = t.TempDir()
	if err := os.WriteFile(filepath.Join(dist, "spinsync.rb"), []byte("class Spinsync"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(writeChecksums(dist), sign(t.Context(), dist, key)); err != nil {
		t.Fatal(err)
	}
	return dist
}

// signAsFile signs the checksums as `ssh-keygen` does it for files of any kind.
func signAsFile(t *testing.T, dist, key string) {
	t.Helper()
	sums := filepath.Join(dist, "SHA256SUMS")
	if err := os.Remove(sums + ".sig"); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("ssh-keygen", "-Y", "sign", "-f", key, "-n", "file", sums).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

func flipByte(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[0] ^= 1
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// verify runs the commands of docs/install.md in the directory of the downloads.
func verify(t *testing.T, dist, key string) ([]byte, error) {
	t.Helper()
	public, err := os.ReadFile(key + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	signers := "releases@spinsync " + string(public)
	if err := os.WriteFile(filepath.Join(dist, "spinsync.signers"), []byte(signers), 0o644); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "install.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, commands, found := strings.Cut(string(page), "```sh\nssh-keygen ")
	commands, _, closed := strings.Cut(commands, "```")
	if !found || !closed {
		t.Fatal("docs/install.md does not show how to verify")
	}
	c := exec.Command("bash", "-e", "-c", "ssh-keygen "+commands)
	c.Dir = dist
	return c.CombinedOutput()
}
