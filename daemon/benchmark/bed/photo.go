package bed

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// The tools' own files are noise that only begins like a JPEG, and spinsync does not publish what
// is not whole. These are whole: header, one scan that cannot be compressed, end marker.
var (
	photoHead = []byte("\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00" +
		"\xff\xc0\x00\x0b\x08\x10\x00\x10\x00\x01\x01\x11\x00\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00")
	photoTail = []byte("\xff\xd9")
)

// Photo is a JPEG of exactly that many bytes.
func Photo(random *rand.ChaCha8, size int64) []byte {
	data := make([]byte, size)
	random.Read(data)
	scan := data[copy(data, photoHead) : len(data)-len(photoTail)]
	for i := bytes.IndexByte(scan, 0xff); i >= 0; {
		// A coder writes FF 00 where the scan holds FF.
		if i+1 == len(scan) {
			scan[i] = 0
			break
		}
		scan[i+1] = 0
		next := bytes.IndexByte(scan[i+1:], 0xff)
		if next < 0 {
			break
		}
		i += 1 + next
	}
	copy(data[len(data)-len(photoTail):], photoTail)
	return data
}

// A Tree is a tree of product folders, for the layout "{project}/{sku}".
type Tree struct {
	Products, Files int   // files per product
	Size            int64 // of each, bytes
}

// Bytes is the size of all files together.
func (t Tree) Bytes() int64 { return int64(t.Products) * int64(t.Files) * t.Size }

// Folder is the path of one product folder below the root, with slashes.
func Folder(product int) string {
	return fmt.Sprintf("project-%03d/product-%05d", product/100, product)
}

// Write makes the tree. It appears under its name only when it is whole.
func (t Tree) Write(root string) error {
	making := root + ".making"
	if err := os.RemoveAll(making); err != nil {
		return err
	}
	random := rand.NewChaCha8([32]byte{1})
	for p := range t.Products {
		folder := filepath.Join(making, filepath.FromSlash(Folder(p)))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		for i := range t.Files {
			name := filepath.Join(folder, fmt.Sprintf("%04d.jpg", i+1))
			if err := os.WriteFile(name, Photo(random, t.Size), 0o644); err != nil {
				return err
			}
		}
	}
	return os.Rename(making, root)
}
