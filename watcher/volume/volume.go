// Package volume recognises the volume below a directory: Survey reads its Identity, Differs
// compares it with an earlier one, and MountedAt finds other drives. It reads only the attributes
// of directories and file systems, and writes nothing.
package volume

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// An Identity distinguishes a volume from others, over restarts of the program, without a marker
// file of our own. Empty fields are unknown and equal to everything.
type Identity struct {
	FS   string `json:"fs"`   // type of the file system: "ext4", "apfs", "NTFS", "smb"
	ID   string `json:"id"`   // the volume's own id, where it lasts: of ext4, btrfs, ZFS, on macOS and Windows
	Root FileID `json:"root"` // file id of the directory that was surveyed
}

// IsZero reports whether nothing is known.
func (v Identity) IsZero() bool { return v == Identity{} }

// Differs completes the sentence "the root …", or is "" when both may be the same.
func (v Identity) Differs(now Identity) string {
	switch {
	case v.FS != "" && now.FS != "" && v.FS != now.FS:
		return fmt.Sprintf("is on another volume than before (%s in place of %s)", now.FS, v.FS)
	case v.ID != "" && now.ID != "" && v.ID != now.ID:
		return fmt.Sprintf("is on another volume than before (%s in place of %s)", now.ID, v.ID)
	case v.Root != 0 && now.Root != 0 && v.Root != now.Root:
		return fmt.Sprintf("is another folder than before (file id %d in place of %d)", now.Root, v.Root)
	}
	return ""
}

// A FileID distinguishes a file from others of its volume: the inode number. Zero means unknown, as
// on Windows, on network drives, on FAT and on overlays of several file systems, whose numbers do
// not last.
type FileID uint64

// FileIDOf is the id of a file, whether ids last where it lies or not. On Windows it is zero: to
// know the id of a file, it would have to be opened.
func FileIDOf(info fs.FileInfo) FileID { return FileID(keyOf(info).inode) }

// A Volume is the volume below a directory at present.
type Volume struct {
	Identity Identity
	Network  bool // a network drive, or an unknown file system
	Lasting  bool // file ids stay the same from one mount to the next
	Changes  bool // it has the time of a file's last change, the same for everybody
	Sure     bool // an equal Identity proves that it is the same one
	mount    key  // of the directory; changes with each mount
}

// key is device and inode; zero on Windows, where asking for it means opening the file.
type key struct{ device, inode uint64 }

// Survey reads the volume below a directory. The error completes the sentence "the root …".
func Survey(dir string) (Volume, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Volume{}, errors.New("is missing: connect the drive, or correct the path")
	case err != nil:
		return Volume{}, ReadError(err)
	case !info.IsDir():
		return Volume{}, errors.New("is not a directory: correct the path")
	}
	v, err := volumeOf(dir)
	if err != nil {
		return Volume{}, ReadError(err)
	}
	v.mount = keyOf(info)
	if v.Identity.Root == 0 {
		v.Identity.Root = v.FileID(v.mount.inode)
	}
	// The top of a volume has the same file id on every volume of its kind. A directory below it
	// that has the recorded id is the same one, but for volumes that were made alike: without it, a
	// folder that is renamed alone would never count as gone on a drive without an id.
	v.Sure = v.Lasting && (v.Identity.ID != "" || !topmost(dir, v.mount))
	return v, nil
}

// ReadError makes an error in reading the root itself complete the sentence "the root …".
func ReadError(err error) error {
	if err == nil {
		return nil
	}
	// The path would appear twice.
	why := err
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		why = e.Err
	}
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("cannot be read: %w: give this user the right", why)
	}
	return fmt.Errorf("cannot be read: %w", why)
}

// topmost reports whether a volume is mounted at this very directory.
func topmost(dir string, at key) bool {
	parent, err := keyAt(filepath.Dir(dir))
	return err != nil || parent.device != at.device || parent == at
}

// keyAt follows links.
func keyAt(path string) (key, error) {
	info, err := os.Stat(path)
	if err != nil {
		return key{}, err
	}
	return keyOf(info), nil
}

// StandsAt reports whether the directory is the surveyed one still.
func (v Volume) StandsAt(dir string) bool {
	if v.mount == (key{}) {
		return true
	}
	now, err := keyAt(dir)
	return err == nil && now == v.mount
}

// SameMount reports whether two surveys of a directory saw the same mount.
func (v Volume) SameMount(w Volume) bool { return v.mount == w.mount }

// FileID gives a file's id, or zero where ids do not last.
func (v Volume) FileID(inode uint64) FileID {
	if !v.Lasting {
		return 0
	}
	return FileID(inode)
}

// ChangeTime is the time of a file's last change, or 0 where it depends on who asks for it.
func (v Volume) ChangeTime(changed int64) int64 {
	if !v.Changes {
		return 0
	}
	return changed
}

// MountedAt surveys a directory on which a drive is mounted. A drive that cannot be surveyed is an
// unknown one.
func MountedAt(dir string) (on Volume, mounted bool) {
	if !isMountPoint(dir) {
		return Volume{}, false
	}
	on, _ = Survey(dir)
	return on, true
}

// onOtherDevice reports whether a directory is on another device than the one above.
func onOtherDevice(dir string) bool {
	at, err := keyAt(dir)
	above, _ := keyAt(filepath.Dir(dir)) // which is there if the directory is
	return err == nil && at.device != above.device
}
