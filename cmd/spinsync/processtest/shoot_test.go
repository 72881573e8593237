package processtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"spinsync/syncstate"
)

// A set is what a folder's frames are, by file name: the SHA-256 of each, in hexadecimal.
type set map[string]string

// A shoot is a product folder in which somebody works. It remembers every set that the folder ever
// was.
type shoot struct {
	t      *testing.T
	random *rand.Rand
	dir    string
	sku    string
	frames int // of a full turn; 0 is any number
	now    set
	been   []set
	title  string // that product.toml wants, empty for none
	text   string // alternative text of the first frame, empty for none
}

func newShoot(t *testing.T, random *rand.Rand, root, sku string, frames int) *shoot {
	return newShootIn(t, random, root, "Summer", sku, frames)
}

func newShootIn(t *testing.T, random *rand.Rand, root, project, sku string, frames int) *shoot {
	s := &shoot{t: t, random: random, dir: filepath.Join(root, project, sku), sku: sku, frames: frames, now: set{}}
	must(t, os.MkdirAll(s.dir, 0o755))
	return s
}

// shoot takes one frame as a capture program does: under a temporary name, or in two strokes under
// its own.
func (s *shoot) shoot(n int) {
	name := fmt.Sprintf("frame_%03d.jpg", n)
	photo := newPhoto(s.random)
	path := filepath.Join(s.dir, name)
	if s.random.IntN(2) == 0 {
		must(s.t, os.WriteFile(path+".part", photo, 0o644))
		must(s.t, os.Rename(path+".part", path))
	} else {
		must(s.t, os.WriteFile(path, photo[:len(photo)/2], 0o644))
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		must(s.t, err)
		_, err = f.Write(photo[len(photo)/2:])
		must(s.t, err)
		must(s.t, f.Close())
	}
	s.now[name] = digest(photo)
	s.remember()
}

func (s *shoot) shootAll(n int) {
	for i := range n {
		s.shoot(i + 1)
	}
}

func (s *shoot) remember() { s.been = append(s.been, maps.Clone(s.now)) }

// edit does one thing that people do.
func (s *shoot) edit() {
	have := slices.Sorted(maps.Keys(s.now))
	switch what := s.random.IntN(10); {
	case len(have) == 0 || s.frames > len(have):
		s.shoot(len(have) + 1)
	case what < 3:
		s.shoot(1 + s.random.IntN(len(have)))
	case what < 5 && s.frames == 0:
		s.shoot(len(have) + 1)
	case what < 6 && s.frames == 0 && len(have) > 2:
		last := have[len(have)-1]
		must(s.t, os.Remove(filepath.Join(s.dir, last)))
		delete(s.now, last)
		s.remember()
	case what < 7:
		now := time.Now()
		must(s.t, os.Chtimes(filepath.Join(s.dir, have[0]), now, now))
	case what < 8:
		s.title = fmt.Sprintf("%s, take %d", s.sku, s.random.IntN(1000))
		s.write("product.toml", fmt.Sprintf("title = %q\n", s.title))
	default:
		s.say(fmt.Sprintf("a teapot, %d", s.random.IntN(1000)))
	}
}

// say gives the first frame an alternative text.
func (s *shoot) say(text string) {
	s.text = text
	s.write("frame_001.txt", text+"\n")
}

func (s *shoot) write(name, text string) {
	must(s.t, os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o644))
}

// has reports whether the folder ever was this set.
func (s *shoot) has(files set) bool {
	return slices.ContainsFunc(s.been, func(was set) bool { return maps.Equal(was, files) })
}

// newPhoto makes a small JPEG that no other one equals.
func newPhoto(random *rand.Rand) []byte {
	img := image.NewRGBA(image.Rect(0, 0, 64, 48))
	for i := range img.Pix {
		img.Pix[i] = uint8(random.Uint32())
	}
	img.Set(0, 0, color.White)
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		panic(err) // into memory
	}
	return b.Bytes()
}

// sums are the SHA-256, as the service has them, of all photos by their digests in the state file.
var sums sync.Map

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	recorded := syncstate.NewDigest()
	recorded.Write(data)
	name := hex.EncodeToString(sum[:])
	sums.Store(string(recorded.Sum(nil)), name)
	return name
}

// treesOf is everything below some directories, with its times, so that a change by anybody shows.
func treesOf(t *testing.T, roots []string) map[string]string {
	t.Helper()
	trees := map[string]string{}
	for _, root := range roots {
		must(t, filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
			if err != nil {
				return err
			}
			trees[path] = fmt.Sprint(info.Mode(), info.ModTime().UnixNano())
			if info.Mode().IsRegular() {
				data, err := os.ReadFile(path)
				trees[path] += " " + digest(data)
				return err
			}
			return nil
		}))
	}
	return trees
}
