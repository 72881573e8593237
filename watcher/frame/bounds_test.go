package frame

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// sparse is a file that begins with something, and is all hole behind it, as a program leaves it
// that sets the length first. It counts the bytes that are read.
type sparse struct {
	begin string
	read  int64
}

func (s *sparse) ReadAt(p []byte, off int64) (int, error) {
	clear(p)
	if off < int64(len(s.begin)) {
		copy(p, s.begin[off:])
	}
	if s.read += int64(len(p)); s.read > 1<<34 {
		return 0, io.ErrUnexpectedEOF
	}
	return len(p), nil
}

// A huge file keeps nobody reading for long: no header of a JPEG goes on for ever, and a photo has
// a size. A video may be as large as it likes, since only its table of contents is read.
func TestHugeFilesAreReadBriefly(t *testing.T) {
	const length = 8 << 40
	png := pngSignature + "\x00\x00\x00\x0dIHDR"
	for name, test := range map[string]struct {
		begin string
		size  int64
		most  int64 // bytes to read
		why   string
	}{
		"1.jpg":  {"\xff\xd8\xff\xe0\x00\x02", length, 1 << 20, "it is larger than 8 GiB, the most that a photo may have"},
		"2.jpg":  {"\xff\xd8\xff\xe0\x00\x02", maxPhoto, maxHeader + 1<<20, "its header does not end"},
		"3.png":  {png, length, 1 << 20, "it is larger than"},
		"4.tif":  {"II*\x00\x08\x00\x00\x00", length, 1 << 20, "it is larger than"},
		"5.webp": {"RIFF\xff\xff\xff\xffWEBP", length, 1 << 20, "it is larger than"},
		"6.psd":  {"8BPS", length, 1 << 20, "it is larger than"},
		"7.mp4":  {"\x00\x00\x00\x08moov\x00\x00\x00\x00mdat", length, 1 << 20, ""},
	} {
		file := &sparse{begin: test.begin}
		_, err := Glance(file, test.size, name)
		var broken *BrokenError
		if errors.As(err, &broken); file.read > test.most || (err == nil) != (test.why == "") ||
			err != nil && (broken == nil || !strings.HasPrefix(broken.Reason, test.why)) {
			t.Errorf("%s: %v, after %d MiB", name, err, file.read>>20)
		}
		file = &sparse{begin: test.begin}
		if _, err := Meta(file, test.size); err != nil || file.read > maxHeader+1<<20 {
			t.Errorf("the header of %s: %v, after %d MiB", name, err, file.read>>20)
		}
	}
}
