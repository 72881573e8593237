package watcher

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A Volume identifies what a root stands on from one start of the program to the next, without a
// marker file of our own. Empty fields are unknown and equal to everything.
type Volume struct {
	FS   string // type of the file system: "ext4", "apfs", "NTFS", "smb"
	ID   string // the volume's own id, where it lasts: of ext4, btrfs, ZFS and on Windows
	Root FileID // file id of the root
}

// IsZero reports whether nothing is known.
func (v Volume) IsZero() bool { return v == Volume{} }

// Survey tells what a root stands on now. The error completes the sentence "the root …".
func Survey(root string) (Volume, error) {
	g, err := survey(root)
	return g.Volume, err
}

// Differs completes the sentence "the root …", or is "" when both may be the same.
func (v Volume) Differs(now Volume) string {
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

// ground is the volume that a root is on at present.
type ground struct {
	Volume
	network bool    // a network drive, or an unknown file system
	lasting bool    // file ids stay the same from one mount to the next
	sure    bool    // an equal Volume proves that it is the same one
	device  fileKey // of the root; changes with each mount
}

// fileKey is device and inode; zero on Windows, where asking for it means opening the file.
type fileKey struct{ device, inode uint64 }

// survey looks at what the root stands on. The error completes the sentence "the root …".
func survey(root string) (ground, error) {
	info, err := os.Stat(root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ground{}, errors.New("is missing: connect the drive, or correct the path")
	case err != nil:
		return ground{}, rootError(err)
	case !info.IsDir():
		return ground{}, errors.New("is not a directory: correct the path")
	}
	g, err := groundOf(root)
	if err != nil {
		return ground{}, rootError(err)
	}
	if g.device, err = keyAt(root); err != nil {
		return ground{}, rootError(err)
	}
	if g.Root == 0 {
		g.Root = g.lastingID(g.device.inode)
	}
	// The root of a volume has the same file id on every volume: there only the volume's own id
	// tells.
	g.sure = g.lasting && (g.ID != "" || !mounted(root, g.device))
	return g, nil
}

// rootError makes an error in reading the root itself complete the sentence "the root …".
func rootError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("cannot be read: %w: give this user the right", cause(err))
	}
	return fmt.Errorf("cannot be read: %w", cause(err))
}

// mounted reports whether a volume is mounted at this very directory.
func mounted(root string, at fileKey) bool {
	parent, err := keyAt(filepath.Dir(root))
	return err != nil || parent.device != at.device || parent == at
}

// stands reports whether the root is still the directory that was surveyed.
func (g ground) stands(root string) bool {
	if g.device == (fileKey{}) {
		return true
	}
	now, err := keyAt(root)
	return err == nil && now == g.device
}

// lastingID gives a file's id, or zero where ids do not last.
func (g ground) lastingID(inode uint64) FileID {
	if !g.lasting {
		return 0
	}
	return FileID(inode)
}

// lastingChange is 0 where the time of a file's last change depends on who asks for it.
func (g ground) lastingChange(changed int64) int64 {
	if !g.lasting {
		return 0
	}
	return changed
}

// cause strips the operation and path that the os package puts in front.
func cause(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	return err
}
