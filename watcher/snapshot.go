package watcher

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"time"

	"spinsync/watcher/names"
	"spinsync/watcher/volume"
)

// A Snapshot is one product folder as the last read found it.
type Snapshot struct {
	Root   string // the root's Path
	Folder string // below the root, with slashes

	// Present is false when whole reads of a healthy root did not find the folder; Absent is then
	// since when.
	Present bool
	Absent  Absence

	// Idle means that the listing equals the known fingerprint. Nothing below but Fingerprint and
	// ID is filled in then; Refresh sends the whole.
	Idle        bool
	Fingerprint Fingerprint

	Frames   []File // in the byte order of their names, those not yet still included, held ones not
	Busy     []Busy // names of files that are still being written
	Sidecars []File
	Marker   *File // nil while it is not there
	// NotTaken are the photos that are no frames; nil for none. It is filled in for idle folders
	// too.
	NotTaken *NotTaken

	// Changed is the end of the last read that found a frame, a busy file or the marker different.
	// It carries the monotonic clock. Zero means: not since the folder became idle.
	Changed time.Time
	// Mixed means that some of the frames were written over after they were still, or came since then,
	// and others were not.
	Mixed bool
	// Overslept is clock.Overslept at the last read: a sleep since then is no time without a
	// change.
	Overslept time.Duration

	// ID is the folder's own, to recognise the folder after a rename.
	ID volume.FileID

	// Err is why the folder cannot be read at present. All else is then as it was last seen.
	Err error
}

// Absence is how surely a folder is gone.
type Absence struct {
	Since time.Time // the start of the first whole read that did not find it
	Reads int       // whole reads of a healthy root that did not find it, at least 5 s apart
}

// A File is a directory entry as the last read found it. Its slice is shared: do not change it.
type File struct {
	Name    string // the raw bytes of the directory entry
	Size    int64  // bytes
	ModTime time.Time
	ID      volume.FileID
	// Changed is when the content or the attributes changed last, in nanoseconds of the file
	// system's own clock, which no program can set; 0 where it is unknown, as on Windows and on
	// FAT. It is no part of what a file is known by, but a file with another one is not still.
	Changed int64

	// Held is why the file cannot be read at present; "" = nothing is known against it. It is no part
	// of what a file is known by. A file does not become still while it is held.
	Held string

	// Still means that at least two reads, settle apart on the monotonic clock, found size, times
	// and id the same and that no event named the file in between.
	Still bool
	// Since is the end of the first read since which the file is unchanged, or the marker the same
	// file. Zero means: since before the folder became idle.
	Since time.Time
}

// Newest is the latest time of any of these files, in nanoseconds since 1970; 0 for none.
func Newest(files []File) (newest int64) {
	for _, f := range files {
		newest = max(newest, f.ModTime.UnixNano())
	}
	return newest
}

// Busy is a file or directory with a temporary name: a program writes it, or left it behind. It may
// also be a frame that is held.
//
// Since is the last time of writing. A change between two reads counts by our clock. For a file
// that the first read found, the file's own time counts.
type Busy struct {
	File
	// Frame is the name of the frame in lower case, "frame_07.jpg" of "frame_07.jpg.part"; "" =
	// none.
	Frame  string
	Reason string // "a browser's unfinished download"
	// Lasting means that a frame of the set is there and cannot be read as long as this file is
	// there: its age does not count.
	Lasting bool
}

// A Fingerprint identifies a whole listing: names, sizes, times and ids of frames, busy files,
// sidecars and marker.
type Fingerprint [16]byte

// IsZero reports whether f is that of no listing.
func (f Fingerprint) IsZero() bool { return f == Fingerprint{} }

// fingerprint gives the same value for the same files on every start of the program.
func fingerprint(files *[names.Kinds][]File) Fingerprint {
	buf := make([]byte, 0, 2048)
	for k, list := range files {
		for i := range list {
			f := &list[i]
			buf = append(buf, byte(k))
			buf = binary.AppendUvarint(buf, uint64(len(f.Name)))
			buf = append(buf, f.Name...)
			buf = binary.AppendVarint(buf, f.Size)
			buf = binary.AppendVarint(buf, f.ModTime.UnixNano())
			buf = binary.AppendUvarint(buf, uint64(f.ID))
		}
	}
	sum := sha256.Sum256(buf)
	return Fingerprint(sum[:16])
}

// NotTaken are photos in a product folder that are no frames. A photo with a frame of the same
// name, as a raw file with its JPEG, is not among them.
type NotTaken struct {
	Files []NotTakenFile `json:"ignored"` // the first few
	Count int            `json:"ignored_count"`
}

// A NotTakenFile is a photo that is no frame.
type NotTakenFile struct {
	File string `json:"file"`
	Why  string `json:"why"`
}

// Same reports whether two folders have the same photos that are not taken, as far as is known. Nil
// is none.
func (n *NotTaken) Same(m *NotTaken) bool {
	if n == nil || m == nil {
		return n == m
	}
	return n.Count == m.Count && slices.Equal(n.Files, m.Files)
}
