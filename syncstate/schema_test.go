package syncstate

import (
	"fmt"
	"go/parser"
	"go/token"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	bolt "go.etcd.io/bbolt"
)

// TestSchemaIsThePackageComment dumps a file in which everything is recorded and compares it with
// the tree in the package comment.
func TestSchemaIsThePackageComment(t *testing.T) {
	path := checkedPath(t)
	s := opened(t, path)
	recordAll(t, s, 1)
	must(t, s.current.Load().db.Update(func(tx *bolt.Tx) error { return noteRenewal(tx, time.Now(), true) }))

	var dump strings.Builder
	must(t, s.current.Load().db.View(func(tx *bolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bolt.Bucket) error { return dumpBucket(&dump, "", string(name), b) })
	}))
	if diff := cmp.Diff(schemaInComment(t), dump.String()); diff != "" {
		t.Errorf("schema (-comment +file):\n%s", diff)
	}
	if got := fmt.Sprintf("version %d", schema); !strings.Contains(packageComment(t), got) {
		t.Errorf("the package comment is not that of %s", got)
	}
}

func dumpBucket(w *strings.Builder, indent, name string, b *bolt.Bucket) error {
	fmt.Fprintf(w, "%s%s\n", indent, placeholder(name))
	indent += "  "
	return b.ForEach(func(key, value []byte) error {
		if value == nil {
			return dumpBucket(w, indent, string(key), b.Bucket(key))
		}
		fmt.Fprintf(w, "%s%s = \n", indent, placeholder(string(key)))
		return nil
	})
}

// placeholder is what the comment has for the names in the test's file.
func placeholder(name string) string {
	switch name {
	case string(studio().key()):
		return "<base URL NUL user>"
	case string(shoe().key()):
		return "<root NUL path>"
	case "Summer":
		return "<title>"
	case "/srv/shoots":
		return "<path>"
	case string(indexKey(0)):
		return "<0>"
	case string(frameKey(0)):
		return "<number>"
	}
	return name
}

func packageComment(t *testing.T) string {
	file, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments|parser.PackageClauseOnly)
	must(t, err)
	return file.Doc.Text()
}

// schemaInComment is the indented tree, each value cut after its equals sign.
func schemaInComment(t *testing.T) string {
	var tree strings.Builder
	for line := range strings.Lines(packageComment(t)) {
		entry, indented := strings.CutPrefix(line, "\t")
		if !indented {
			continue
		}
		name, _, isValue := strings.Cut(strings.TrimRight(entry, "\n"), " = ")
		if isValue {
			name += " = "
		}
		tree.WriteString(name + "\n")
	}
	return tree.String()
}
