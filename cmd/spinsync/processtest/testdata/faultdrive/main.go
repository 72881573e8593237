// Faultdrive shows a directory as a drive of its own that fails on request.
//
//	faultdrive DIR MOUNTPOINT FAULTS
//
// FAULTS is a file that is read at each call and holds the faults of the moment, one word each:
// "lookup", "list", "open" and "read" fail with EIO, "deny" refuses opening with EACCES, "hang"
// answers nothing until the word is gone, and "stall" keeps only reads waiting so. "fold" is no
// fault: names are found whatever their letter case is. A process that
// is killed leaves a mount where everything fails with ENOTCONN. It needs Linux, root and
// /dev/fuse.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: faultdrive DIR MOUNTPOINT FAULTS")
		os.Exit(2)
	}
	if err := serve(os.Args[1], os.Args[2], faults(os.Args[3])); err != nil {
		fmt.Fprintln(os.Stderr, "faultdrive:", err)
		os.Exit(1)
	}
}

// serve returns when the drive is unmounted.
func serve(dir, mountpoint string, f faults) error {
	root := &fs.LoopbackRoot{Path: dir}
	root.NewNode = func(r *fs.LoopbackRoot, _ *fs.Inode, _ string, _ *syscall.Stat_t) fs.InodeEmbedder {
		return &node{fs.LoopbackNode{RootData: r}, f}
	}
	root.RootNode = root.NewNode(root, nil, "", nil)
	var uncached time.Duration
	server, err := fs.Mount(mountpoint, root.RootNode, &fs.Options{
		EntryTimeout: &uncached, AttrTimeout: &uncached,
		MountOptions: fuse.MountOptions{DirectMountStrict: true, Name: "faultdrive", FsName: "faultdrive"},
	})
	if err != nil {
		return err
	}
	fmt.Println("mounted")
	server.Wait()
	return nil
}

// faults is the path of the file that names them.
type faults string

func (f faults) active(word string) bool {
	text, err := os.ReadFile(string(f))
	return err == nil && slices.Contains(strings.Fields(string(text)), word)
}

// meet fails a call, or keeps it waiting.
func (f faults) meet(ctx context.Context, word string) syscall.Errno {
	for f.active("hang") || word == "read" && f.active("stall") {
		select {
		case <-ctx.Done():
			return syscall.EINTR
		case <-time.After(20 * time.Millisecond):
		}
	}
	if f.active(word) {
		return syscall.EIO
	}
	return 0
}

type node struct {
	fs.LoopbackNode
	faults faults
}

func (n *node) Lookup(ctx context.Context, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	if e := n.faults.meet(ctx, "lookup"); e != 0 {
		return nil, e
	}
	if !n.faults.active("fold") {
		return n.LoopbackNode.Lookup(ctx, name, out)
	}
	var st syscall.Stat_t
	if err := syscall.Lstat(n.place(name), &st); err != nil {
		return nil, fs.ToErrno(err)
	}
	out.Attr.FromStat(&st)
	child := n.RootData.NewNode(n.RootData, n.EmbeddedInode(), name, &st)
	return n.NewInode(ctx, child, fs.StableAttr{Mode: st.Mode, Ino: st.Ino}), 0
}

// place is where a name in the directory, or the node itself without one, is by its true letter
// case.
func (n *node) place(name string) string {
	at := n.RootData.Path
	for _, seg := range strings.Split(filepath.Join(n.Path(n.Root()), name), "/") {
		if entries, err := os.ReadDir(at); err == nil {
			if i := slices.IndexFunc(entries, func(e os.DirEntry) bool { return strings.EqualFold(e.Name(), seg) }); i >= 0 {
				seg = entries[i].Name()
			}
		}
		at = filepath.Join(at, seg)
	}
	return at
}

func (n *node) Getattr(ctx context.Context, f fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	if e := n.faults.meet(ctx, "lookup"); e != 0 {
		return e
	}
	if !n.faults.active("fold") {
		return n.LoopbackNode.Getattr(ctx, f, out)
	}
	var st syscall.Stat_t
	if err := syscall.Lstat(n.place(""), &st); err != nil {
		return fs.ToErrno(err)
	}
	out.FromStat(&st)
	return 0
}

func (n *node) OpendirHandle(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	if e := n.faults.meet(ctx, "list"); e != 0 {
		return nil, 0, e
	}
	if !n.faults.active("fold") {
		return n.LoopbackNode.OpendirHandle(ctx, flags)
	}
	stream, e := fs.NewLoopbackDirStream(n.place(""))
	return stream, 0, e
}

func (n *node) Open(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	if e := n.faults.meet(ctx, "open"); e != 0 {
		return nil, 0, e
	}
	if n.faults.active("deny") {
		return nil, 0, syscall.EACCES
	}
	fd, err := syscall.Open(n.place(""), int(flags)&^syscall.O_APPEND, 0)
	if err != nil {
		return nil, 0, fs.ToErrno(err)
	}
	return &file{fs.NewLoopbackFile(fd), n.faults}, fuse.FOPEN_DIRECT_IO, 0
}

// file fails where only reading does. The drive is for reading alone.
type file struct {
	fs.FileHandle
	faults faults
}

func (f *file) Read(ctx context.Context, dest []byte, offset int64) (fuse.ReadResult, syscall.Errno) {
	if e := f.faults.meet(ctx, "read"); e != 0 {
		return nil, e
	}
	return f.FileHandle.(fs.FileReader).Read(ctx, dest, offset)
}

func (f *file) Release(ctx context.Context) syscall.Errno {
	return f.FileHandle.(fs.FileReleaser).Release(ctx)
}
