package diagnose

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"spinsync/cmd/spinsync/cli"
)

// The password of the fleet's cluster is a secret, in the environment and in its file.
func TestPasswordOfTheClusterIsHidden(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"sync.toml": "[service]\nbase_url = \"http://127.0.0.1:1\"\nusername = \"studio\"\n[[watch]]\npath = \"shoots\"\nname = \"shoots\"\n" +
			"[fleet]\netcd = [\"http://127.0.0.1:1\"]\nstation = \"anna\"\nusername = \"spinsync\"\npassword_file = \"etcd\"\n",
		"etcd": "canary of the file\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	call := &cli.Call{ConfigPath: filepath.Join(dir, "sync.toml"), Env: func(name string) string {
		return map[string]string{"SPINSYNC_ETCD_PASSWORD": "canary of the environment", "HOME": dir}[name]
	}}
	if _, err := call.Config(); err != nil {
		t.Fatal(err)
	}
	secrets, _ := bundleParts(call, "")
	if out := secrets.hide("canary of the file, canary of the environment"); strings.Contains(out, "canary") {
		t.Errorf("it shows %q", out)
	}
}

// Whatever surrounds a secret that is text, the bundle does not hold it.
func FuzzRedactor(f *testing.F) {
	f.Add("GET /?policy=", "canary-0815", " HTTP/1.1")
	f.Add(`{"password": "`, `a"b\c`, `"}`)
	f.Add("canary-08", "canary-0815", "15")
	f.Fuzz(func(t *testing.T, before, secret, after string) {
		if len([]rune(secret)) < 6 || strings.Contains(secret, "*") || !utf8.ValidString(secret) {
			return // what is shorter is hidden as a word alone, and what stands in its place is no secret
		}
		r := &redactor{}
		r.add(secret)
		if out := r.hide(before + secret + after); strings.Contains(out, secret) {
			t.Errorf("%q is left in %q", secret, out)
		}
	})
}
