package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestSettingsPageShowsTheWholeExample, word for word, in the words of man.
func TestSettingsPageShowsTheWholeExample(t *testing.T) {
	example, err := os.ReadFile("../../sync.toml.example")
	if err != nil {
		t.Fatal(err)
	}
	page := settingsPage(string(example)+"#.odd = '\\\\nas\\`~^-'\n", noon)
	shown := page
	if man, err := exec.LookPath("man"); err == nil {
		c := exec.Command(man, "-E", "UTF-8", "-P", "cat", "-l", "-")
		c.Stdin, c.Env = strings.NewReader(page), append(os.Environ(), "LC_ALL=C.UTF-8", "MANWIDTH=120", "MAN_KEEP_FORMATTING=")
		out, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		shown = string(out)
	} else if os.Getenv("CI") != "" {
		t.Fatal("man is not installed")
	} else {
		t.Skip("man is not installed")
	}
	for line := range strings.Lines(string(example)) {
		line = strings.TrimSpace(strings.TrimLeft(line, "# "))
		if !strings.Contains(shown, line) {
			t.Errorf("%q is not on the page", line)
		}
	}
	if want := `.odd = '\\nas\` + "`~^-'"; !strings.Contains(shown, want) {
		t.Errorf("%q is not on the page", want)
	}
}
