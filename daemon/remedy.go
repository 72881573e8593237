package daemon

import (
	"path/filepath"

	"spinsync/daemon/config"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// NameInShell is a product folder as a person writes it behind `spinsync retry` in a shell: as the
// export names it, and with the root in front where another root has a folder of the same name.
func (b *board) NameInShell(key syncstate.Folder) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.shellName(key)
}

// shellName is NameInShell for a caller that holds the mutex.
func (b *board) shellName(key syncstate.Folder) string {
	name := key.Path
	for root := range b.roots {
		if _, twin := b.folders[syncstate.Folder{Root: root, Path: key.Path}]; twin && root != key.Root {
			name = filepath.ToSlash(key.Root) + "/" + key.Path
		}
	}
	return status.ShellWord(name)
}

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
		return status.CommandFor(verb, status.ShellWord(name))
	}
}
