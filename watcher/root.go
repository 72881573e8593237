package watcher

import (
	"strings"
	"time"

	"spinsync/watcher/names"
	"spinsync/watcher/volume"
)

// Root is a directory tree to watch.
type Root struct {
	Path    string   // absolute
	Depth   int      // path segments between the root and its product folders, at least 1
	Include []string // patterns of frame names, in any letter case
	Ignore  []string // in the language of gitignore, after the built-in list; "!" takes a name out
	Marker  string   // the file whose appearance marks a folder as complete; "" = none

	Settle time.Duration // how long a still file was unchanged; at least 2 s on network drives
	Rescan time.Duration // time between whole reads; 0 = as the watcher finds necessary
	Poll   bool          // true: no events, reading only
	// Shared: other computers know the files by what is reported of them. So numbers of files are left
	// out, and times are cut down as all protocols have them.
	Shared bool

	Drive Drive // of a simulation

	// MayRead is asked at each survey of the root, and so before each reading of its tree, and every
	// 5 s while nothing is read, or 30 s on a network drive. Its error ends the Watcher, and is what
	// Run returns. Nil allows every read.
	MayRead func() error

	// Volume is where the root was last time, as RootStatus reports it; the zero value accepts any.
	Volume volume.Identity
	// Mounts are the drives that were mounted below the root last time, as Mounts reports them.
	Mounts map[string]volume.Identity
	// Aside are the product folders that were set aside last time, as Aside reports them.
	Aside []string
	// Known has the product folders known from before, as Snapshot.Folder names them.
	Known map[string]Idle
	// Directories are those, no product folders, that snapshots reported before; see MisplacedError
	// and AccessError.
	Directories []string
}

func (r Root) rules() (*names.Rules, error) { return names.New(r.Include, r.Ignore, r.Marker) }

// productFolder is the one above a directory that lies deeper.
func (r *Root) productFolder(dir string) string {
	return strings.Join(strings.Split(dir, "/")[:r.Depth], "/")
}

// Idle is how a product folder became idle.
type Idle struct {
	Fingerprint Fingerprint // of its listing; zero = it did not become idle
	At          time.Time   // zero = long ago
	Frames      int         // how many that listing had; 0 = unknown
	Newest      int64       // when the newest of them was written, see Newest
	Gone        bool        // whole reads did not find it any more
}

// RootStatus is the condition of a root.
type RootStatus struct {
	Path   string `json:"path"`
	Online bool   `json:"online"` // it was read as a whole
	Reason string `json:"reason"` // why it is not online
	// Denied is what this account may not read, where that is the reason.
	Denied *AccessError `json:"-"`
	Since  time.Time    `json:"since,omitzero"` // when it came online, or went offline
	Unread bool         `json:"unread"`         // it is not online because it was not read yet
	Hung   bool         `json:"hung"`           // offline: the system does not answer a reading
	// Untrusted means that the root is offline because its volume is untrusted, or that folders
	// have a MountError. Accept trusts them.
	Untrusted bool            `json:"untrusted"`
	Emptied   bool            `json:"-"`               // untrusted because no product folder is left
	Network   bool            `json:"network"`         // a network drive: no event is trusted
	Volume    volume.Identity `json:"volume,omitzero"` // of the root; keep it for the next start

	LastRead time.Time     `json:"last_read,omitzero"` // end of the last whole read while it was healthy
	ReadTook time.Duration `json:"read_took_ns"`       // how long that took
	Folders  int           `json:"folders"`            // product folders, those that are gone included
	Watches  int           `json:"watches"`            // directories that send events
	Missed   int           `json:"missed"`             // changes without an event
	Links    Links         `json:"links,omitzero"`     // in place of folders; none is followed
}

// Links are links above product folders and in place of them.
type Links struct {
	Count int    `json:"count"`
	First string `json:"first"` // by name, below the root
}

// Offline reports whether the root cannot be read, which is more than that it was not read yet.
func (r RootStatus) Offline() bool { return !r.Online && !r.Unread }

// Level counts the directories of a path below the root; the root is ".".
func Level(below string) int {
	if below == "." {
		return 0
	}
	return strings.Count(below, "/") + 1
}

// within reports whether a path is a directory or lies below it.
func within(dir, path string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }

// AsShared is the time of a file as all protocols have it.
func AsShared(t time.Time) time.Time { return t.Truncate(2 * time.Second) }
