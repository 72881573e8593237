package status

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"unicode"

	"spinsync/syncstate"
)

// CommandFor is a command of spinsync for a folder, which is named as in a shell.
func CommandFor(verb, name string) string { return "`spinsync " + verb + " " + name + "`" }

// ShellWord is a text as one word for the shells of this system; see ShellWordFor.
func ShellWord(text string) string { return ShellWordFor(text, runtime.GOOS == "windows") }

// ShellWordFor is a text as one word for a shell that takes nothing in it for its own. Characters
// that would move others on a terminal are escaped for $'…'; Windows has no such names.
func ShellWordFor(text string, windows bool) string {
	text = strings.ToValidUTF8(text, "\ufffd") // as the export names it
	word := text
	switch {
	case strings.IndexFunc(text, func(r rune) bool { return !isPlain(r) && (!windows || r != '\\') }) < 0 && text != "":
	case windows && strings.ContainsAny(text, "$`“”„"): // for PowerShell, even between double quotes
		word = "'" + singleQuotes.Replace(text) + "'"
		if strings.Contains(text, "&") {
			word = "FOLDER" // no quotes serve in cmd too, which takes single ones for letters
		}
	case windows:
		word = `"` + text + `"`
	case strings.IndexFunc(text, func(r rune) bool { return !unicode.IsGraphic(r) }) >= 0:
		word = "$'" + escapedForShell(text) + "'"
	default:
		word = "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	if strings.HasPrefix(text, "-") {
		return "-- " + word // or it would be taken for an option
	}
	return word
}

// singleQuotes writes what ends a text between single quotes in PowerShell.
var singleQuotes = strings.NewReplacer("'", "''", "‘", "‘‘", "’", "’’", "‚", "‚‚", "‛", "‛‛")

func isPlain(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-./:", r)
}

func escapedForShell(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\'' || r == '\\':
			b.WriteString(`\` + string(r))
		case unicode.IsGraphic(r):
			b.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}

// HowToAccept is the remedy for an untrusted root that is right as it is.
func HowToAccept(root string) string {
	return "if it is right as it is, accept it with " + CommandFor("retry", ShellWord(root))
}

// NameFrom is what a folder is called where another one is shown: it has its root in front where
// that is another one.
func NameFrom(root string, key syncstate.Folder) string {
	if key.Root != root {
		return filepath.ToSlash(key.Root) + "/" + key.Path
	}
	return key.Path
}
