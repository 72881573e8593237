package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

func TestManPage(t *testing.T) {
	root := &cobra.Command{Use: "spinsync", Short: "Spin"}
	c := &cobra.Command{
		Use: "go FILE", Short: "Go there", Run: func(*cobra.Command, []string) {},
		Long:    "First line,\nsecond line.\n\n  .indented \\ block\n  stays\n\n'quoted' begins a line.",
		Example: "  spinsync go --at 5",
	}
	c.Flags().IntP("at", "a", 0, "begin at this `N`")
	c.Flags().Bool("secret", false, "not told")
	c.Flags().MarkHidden("secret")
	root.AddCommand(c)
	want := `.TH SPINSYNC\-GO 1 "" "spinsync" "spinsync"
.SH NAME
spinsync\-go \- Go there
.SH SYNOPSIS
.nf
spinsync go FILE [flags]
.fi
.SH DESCRIPTION
First line,
second line.
.PP
.nf
  .indented \e block
  stays
.fi
.PP
\&'quoted' begins a line.
.SH EXAMPLES
.nf
  spinsync go \-\-at 5
.fi
.SH OPTIONS
.TP
.B \-a, \-\-at N
begin at this N
.SH SEE ALSO
.BR spinsync (1)
`
	if diff := cmp.Diff(want, manPage(c)); diff != "" {
		t.Errorf("the page (-want +got):\n%s", diff)
	}
}

// TestEveryCommandHasAManPage, and none that is hidden.
func TestEveryCommandHasAManPage(t *testing.T) {
	dir := t.TempDir()
	root := (&app{env: os.Getenv}).command(nil)
	if err := writeManPages(root, dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"spinsync", "spinsync-run", "spinsync-service-install", "spinsync-remote-products-list"} {
		page, err := os.ReadFile(filepath.Join(dir, name+".1"))
		if err != nil || !strings.HasPrefix(string(page), ".TH ") {
			t.Errorf("page of %s: %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "spinsync-service-probe.1")); err == nil {
		t.Error("a hidden command has a page")
	}
}
