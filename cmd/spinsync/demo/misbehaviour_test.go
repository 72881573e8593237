package demo

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spinsync/apiclient/sandbox"
)

// TestCertificateNames: the names of the machine are left out on loopback, and always those that no
// certificate can hold.
func TestCertificateNames(t *testing.T) {
	f := sandboxFlags{listen: "127.0.0.1:0", tls: true}
	f.options.Dir = t.TempDir()
	f.options.PublicURL = "https://Büro-PC:8443"
	names := f.certificateNames()
	if want := []string{"localhost", "127.0.0.1", "::1", "127.0.0.1"}; !slices.Equal(names, want) {
		t.Errorf("on loopback: %q, want %q", names, want)
	}
	if err := f.ownFiles().renew(names); err != nil {
		t.Error(err)
	}
	f.listen = "0.0.0.0:0"
	if beyond := f.certificateNames(); len(beyond) <= len(names) {
		t.Errorf("beyond loopback: %q", beyond)
	}
}

// TestEveryShapeHasAName: what the sandbox can answer otherwise is told by --shape, and
// docs/sandbox.md says how.
func TestEveryShapeHasAName(t *testing.T) {
	values := map[string]string{
		"hostname": "url", "filters": "ignored", "sources": "random", "upload-status": "201", "first-revision": "7",
		"list-lag": "1s", "removed-lag": "1s",
		"finish-lag": "1s", "page-size": "2", "storage-version": "1", "groups": "detail_:gallery,still_:additional",
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "sandbox.md"))
	if err != nil {
		t.Fatal(err)
	}
	set := map[string]bool{}
	for name := range strings.FieldsFuncSeq(shapeNames(), func(r rune) bool { return strings.ContainsRune(", \n", r) }) {
		value := "x"
		if values[name] != "" {
			value = values[name]
		}
		shapes, err := parseShapes([]string{name + "=" + value})
		if err != nil {
			t.Error(err)
		}
		for field, value := range reflect.ValueOf(shapes).Fields() {
			if !value.IsZero() {
				set[field.Name] = true
			}
		}
		if !strings.Contains(string(page), "`"+name+"`") && !strings.Contains(string(page), "`"+name+"=") {
			t.Errorf("docs/sandbox.md does not tell of %s", name)
		}
	}
	for field := range reflect.TypeFor[sandbox.Shapes]().Fields() {
		if !set[field.Name] {
			t.Errorf("no --shape sets %s", field.Name)
		}
	}
}
