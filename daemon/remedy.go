package daemon

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"unicode"

	"spinsync/daemon/config"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// nameInShell is a product folder as a person writes it behind `spinsync retry` in a shell: as the
// export names it, and with the root in front where another root has a folder of the same name.
func (b *board) nameInShell(key syncstate.Folder) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.shellName(key)
}

// shellName is nameInShell for a caller that holds the mutex.
func (b *board) shellName(key syncstate.Folder) string {
	name := key.Path
	for root := range b.roots {
		if _, twin := b.folders[syncstate.Folder{Root: root, Path: key.Path}]; twin && root != key.Root {
			name = filepath.ToSlash(key.Root) + "/" + key.Path
		}
	}
	return ShellWord(name)
}

// command is a command of spinsync for the folder of the scene.
func (s scene) command(verb string) string { return inBackquotes(verb, s.nameInShell) }

// command is a command of spinsync for the job's folder.
func (j *job) command(verb string) string { return inBackquotes(verb, j.board.nameInShell(j.key)) }

// recordedCommands write commands for the folder of a state file. Its name has the root in front
// where another watched root has a folder of the same name.
func recordedCommands(c *config.Config, store *syncstate.Store, key syncstate.Folder) status.Command {
	return func(verb string) string {
		name := key.Path
		for _, w := range c.Watch {
			twin, err := store.Head(syncstate.Folder{Root: w.Path, Path: key.Path})
			if w.Path != key.Root && err == nil && twin.State != "" {
				name = filepath.ToSlash(key.Root) + "/" + key.Path
			}
		}
		return inBackquotes(verb, ShellWord(name))
	}
}

func inBackquotes(verb, name string) string { return "`spinsync " + verb + " " + name + "`" }

// ShellWord is a text as one word for the shells of this system; see shellWord.
func ShellWord(text string) string { return shellWord(text, runtime.GOOS == "windows") }

// shellWord is a text as one word for a shell that takes nothing in it for its own. What would not
// stand in its place on a terminal is escaped as $'…' understands it; Windows has no such names.
func shellWord(text string, windows bool) string {
	text = strings.ToValidUTF8(text, "\ufffd") // as the export names it
	word := text
	switch {
	case strings.IndexFunc(text, func(r rune) bool { return !isPlain(r) && (!windows || r != '\\') }) < 0 && text != "":
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
