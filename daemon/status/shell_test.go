package status

import (
	"os/exec"
	"runtime"
	"testing"
)

func TestShellWord(t *testing.T) {
	for text, want := range map[string]string{
		"Summer/SKU-1":      "Summer/SKU-1",
		"夏/靴":               "夏/靴",
		"Summer/SKU 1":      "'Summer/SKU 1'",
		"it's $HOME `id` !": `'it'\''s $HOME ` + "`id` !'",
		"~/*":               "'~/*'",
		"-5":                "-- -5",
		"a\nb'\u202e":       `$'a\x0ab\'\U0000202e'`,
		"bad\xff":           "'bad\ufffd'",
	} {
		if got := ShellWordFor(text, false); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{
		`C:\shoots/Summer`: `C:\shoots/Summer`, "it's 1": `"it's 1"`, "a & b": `"a & b"`, "$(calc)": "'$(calc)'", "it’s `calc`": "'it’’s `calc`'",
		"”; calc; “": "'”; calc; “'", "$(calc) & calc": "FOLDER",
	} {
		if got := ShellWordFor(text, true); got != want {
			t.Errorf("%q on Windows: got %s, want %s", text, got, want)
		}
	}
}

// A remedy that is copied into a shell names the folder and does nothing else.
func TestShellTakesTheWordAsItIs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its shells are others")
	}
	for _, text := range []string{"Summer/SKU 1", "it's $HOME `id` \"x\" \\ !", "~/*", "{a,b};c|d&e", "(x) #y", "[z]?=%"} {
		out, err := exec.Command("sh", "-c", "printf %s "+ShellWordFor(text, false)).Output()
		if err != nil || string(out) != text {
			t.Errorf("%q: the shell makes %q of it (%v)", text, out, err)
		}
	}
}
