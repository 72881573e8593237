package simulation

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"image"
	"image/jpeg"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"spinsync/syncstate"
	"spinsync/watcher"
)

// A studio is what lies on the disk, and a memory of how it was at every time. It alone changes the
// disk; each change happens at an instant at which nobody else is at work.
type studio struct {
	w       *world
	roots   []*root
	folders []*folder
	shots   uint64            // frames made, so that no two are alike
	shoots  int               // of all folders
	stamps  map[stamp]string  // SHA-256 of the newest
	before  map[stamp]string  // of what a program rewrote under its old time
	sums    map[string]string // of a content, by its digest in the state file
	copied  map[string]bool   // SHA-256 of photos of which there was a copy in place of the file, or that were touched
	trashed map[string]*content
}

// A root is one watched tree. It may be away for a while.
type root struct {
	rootPlan
	path   string
	moved  time.Time // when it got this path; zero where it always had it
	sorted time.Time // when its photos got this order; zero where they always had it
	away   bool
	among  []naming // the projects that sync.toml gave all its folders, one after the other
	list   *content // its products file; nil for none
	listed string   // the manufacturer that it names

	deletes     time.Time // since when views may be deleted with their folders; zero for never
	turns       []turn    // the numbers of frames that sync.toml had before
	turnSince   time.Time // when it got the number that it has
	absences    []span    // in which it was away
	unwatchings []span    // in which sync.toml did not have it; the last one may go on

	leastQuiet time.Duration // that sync.toml ever had
	marks      bool          // sync.toml has named a marker all the time
}

// deleted reports whether views were deleted with their folders at a time, or before.
func (r *root) deleted(at time.Time) bool { return !r.deletes.IsZero() && !r.deletes.After(at) }

// A turn is the number of frames of a full turn, 0 where it is unknown, from one change of sync.toml to
// the next.
type turn struct {
	from, until time.Time
	frames      int
}

// A folder is a place for a product folder, whether one is there or not.
type folder struct {
	root    *root
	name    string // below the root
	wanted  int    // frames of a set
	files   map[string]*content
	present bool
	lent    bool // it is away, and comes back to its place
	history []state
	left    []time.Time // when a folder that stood here got another name
	came    []time.Time // when a folder that stood elsewhere got this name
	shoot   int         // of the photos that are taken now
	posing  time.Time   // when the last of them is written

	accepted time.Time // when a person first said that its frames are a full turn; zero for never

	toldApart time.Time // when a person said that it is another one than its namesake; zero for never
	paused    pause
	said      time.Time // when a person said so last; zero for never
	after     *shoot    // that began after such a word; nil for none
}

// content is what one file holds.
type content struct {
	data     []byte
	sum      string // SHA-256
	modified time.Time
	came     time.Time // when it was written last, where it lies or elsewhere
	whole    bool
	shoot    int      // in which a photo was taken; one that is worked on stays in its shoot
	rest     []byte   // what is still to be written behind it
	off      *content // of a placeholder: the photo that is not on the disk
	count    int      // of a product.toml: how many frames it tells, also while it is saved; 0 for none
}

// state is a product folder from one instant to the next.
type state struct {
	since   time.Time
	present bool
	frames  []shot    // sorted as they are to be shown
	said    *content  // product.toml; nil for none
	marked  time.Time // when the marker was written; zero for none
}

// lacked reports whether a folder that has some of these frames had only others at some time
// between two.
func (s *studio) lacked(frames []string, from, to time.Time) bool {
	for _, f := range s.folders {
		has := func(st state) bool {
			return slices.ContainsFunc(st.frames, func(shot shot) bool { return slices.Contains(frames, shot.name) })
		}
		if !slices.ContainsFunc(f.history, has) {
			continue
		}
		for _, st := range f.history {
			if len(st.frames) > 0 && !has(st) && st.since.After(from) && st.since.Before(to) {
				return true
			}
		}
	}
	return false
}

// reordered reports whether the photos of a root got another order after a time. Their names on the service
// tell their places.
func (s *studio) reordered(since time.Time) bool {
	return slices.ContainsFunc(s.roots, func(r *root) bool { return r.sorted.After(since) })
}

type shot struct {
	name, sum string
	whole     bool
	shoot     int
	came      time.Time
	modified  time.Time // as its drive tells
}

// A span is a time from one instant to another.
type span struct{ from, until time.Time }

// A stamp is what tells one version of a file from another, also on a drive without numbers of files: so no
// two photos of a folder have one size and time.
type stamp struct {
	path     string // below its root
	size     int64
	modified int64 // nanoseconds
}

func newStudio(w *world) *studio {
	s := &studio{w: w, stamps: map[stamp]string{}, before: map[stamp]string{}, sums: map[string]string{}, copied: map[string]bool{}, trashed: map[string]*content{}}
	for _, p := range w.plan.roots {
		r := &root{rootPlan: p, path: filepath.Join(w.dir, p.name), leastQuiet: p.quiet, marks: p.marker != ""}
		if p.onRemove == "delete" {
			r.deletes = time.Now()
		}
		s.must(os.Mkdir(r.path, 0o755))
		s.roots = append(s.roots, r)
		for _, name := range p.folders {
			s.makeFolder(s.folder(r, name))
		}
		if p.list {
			s.putList(r, "Supplier")
		}
	}
	return s
}

const listName = "products.csv"

// putList writes a root's products file: all folders that it has at the start come from one
// manufacturer.
func (s *studio) putList(r *root, manufacturer string) {
	text := "folder;manufacturer\r\n"
	for _, name := range r.folders {
		text += name + ";" + manufacturer + "\r\n"
	}
	r.listed = manufacturer
	s.writeList(r, []byte(text))
}

func (s *studio) writeList(r *root, data []byte) {
	now, file := time.Now(), filepath.Join(r.path, listName)
	r.list = &content{data: data, modified: now}
	s.must(os.WriteFile(file, data, 0o644))
	s.must(os.Chtimes(file, now, now))
	s.stampRoot(r)
}

// folder finds or makes a place.
func (s *studio) folder(r *root, name string) *folder {
	for _, f := range s.folders {
		if f.root == r && f.name == name {
			return f
		}
	}
	f := &folder{root: r, name: name, wanted: 1 + s.w.rng.IntN(6), files: map[string]*content{}}
	if r.frames > 0 {
		f.wanted = r.frames
	}
	f.history = []state{{since: time.Now()}}
	s.folders = append(s.folders, f)
	return f
}

func (s *studio) must(err error) {
	if err != nil {
		s.w.t.Fatalf("the simulation itself cannot work: %v", err)
	}
}

// sku is what the folder's name says.
func (f *folder) sku() string { return norm.NFC.String(path.Base(f.name)) }

func (f *folder) path(name string) string {
	return filepath.Join(f.root.path, filepath.FromSlash(f.name), name)
}

func (s *studio) makeFolder(f *folder) {
	s.must(os.MkdirAll(f.path(""), 0o755))
	f.present = true
	s.changed(f)
}

// changed stamps a folder's directories with the time of the bubble, and remembers what is there
// now.
func (s *studio) changed(f *folder) {
	now := time.Now()
	for dir := f.path(""); dir != f.root.path; dir = filepath.Dir(dir) {
		if err := os.Chtimes(dir, now, now); err != nil && !os.IsNotExist(err) {
			s.must(err)
		}
	}
	s.must(os.Chtimes(f.root.path, now, now))
	s.remember(f, now)
	s.w.fleet.changed()
}

// remember notes how a folder is from now on.
func (s *studio) remember(f *folder, now time.Time) {
	next := state{since: now, present: f.present, said: f.files["product.toml"]}
	for name, c := range f.files {
		photo := strings.TrimSuffix(strings.TrimPrefix(name, "."), ".icloud")
		switch {
		case isFrame(name):
			next.frames = append(next.frames, shot{name, c.sum, c.whole, c.shoot, c.came, c.modified})
		case c.off != nil && f.files[photo] == nil:
			next.frames = append(next.frames, shot{photo, c.off.sum, true, c.off.shoot, c.off.came, c.off.modified})
		case name == markerName:
			next.marked = c.came
		}
	}
	slices.SortFunc(next.frames, func(a, b shot) int { return f.root.compare(a.name, b.name) })
	f.history = append(f.history, next)
}

func isFrame(name string) bool { return strings.HasSuffix(name, ".jpg") }

// compare is the order in which frames are to be shown.
func (r *rootPlan) compare(a, b string) int {
	if r.order == "natural" {
		return cmp.Or(cmp.Compare(number(a), number(b)), strings.Compare(a, b))
	}
	return strings.Compare(a, b)
}

func number(name string) int {
	n, _ := strconv.Atoi(strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_."))
	return n
}

// stood reports whether there was a product folder in a place from one time to another.
func (f *folder) stood(from, to time.Time) bool {
	stood := false
	for _, st := range f.history {
		switch {
		case !st.since.After(from):
			stood = st.present
		case st.since.Before(to):
			stood = stood && st.present
		}
	}
	return stood
}

// frameName is the name of frame i, from 0 on. Natural numbers begin at 8, so that their order is
// not that of the bytes.
func (f *folder) frameName(i int) string {
	if f.root.numbered {
		return "img" + strconv.Itoa(8+i) + ".jpg"
	}
	return "frame_0" + strconv.Itoa(1+i) + ".jpg"
}

// put writes a file in place, and stamps it with the time of the bubble.
func (s *studio) put(f *folder, name string, c *content) { s.putAt(f, name, c, time.Now()) }

func (s *studio) putAt(f *folder, name string, c *content, modified time.Time) {
	file, err := os.OpenFile(f.path(name), os.O_RDWR|os.O_CREATE, 0o644)
	s.must(err)
	_, err = file.Write(c.data)
	s.must(err)
	s.must(file.Truncate(int64(len(c.data))))
	s.must(file.Close())
	s.stampAt(f, name, c, modified)
}

func (s *studio) stamp(f *folder, name string, c *content) { s.stampAt(f, name, c, time.Now()) }

func (s *studio) stampAt(f *folder, name string, c *content, modified time.Time) {
	c.modified, c.came = modified, time.Now()
	s.must(os.Chtimes(f.path(name), c.modified, c.modified))
	c.sum = sumOf(c.data)
	digest := syncstate.NewDigest()
	digest.Write(c.data)
	if was := f.files[name]; c.shoot == 0 && was != nil {
		c.shoot = was.shoot
	}
	c.shoot = cmp.Or(c.shoot, f.shoot)
	s.sums[string(digest.Sum(nil))] = c.sum
	s.name(f, name, c)
	s.changed(f)
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// name remembers that a file has this content under this name.
func (s *studio) name(f *folder, name string, c *content) {
	f.files[name] = c
	s.stamps[stampOf(f, name, c)] = c.sum
}

func stampOf(f *folder, name string, c *content) stamp {
	return stamp{path.Join(f.name, name), int64(len(c.data)), f.root.told(c.modified).UnixNano()}
}

// told is the time of a file as spinsync takes it.
func (r *rootPlan) told(modified time.Time) time.Time {
	if r.shared {
		return watcher.AsShared(modified)
	}
	return modified
}

// rewriteUnderOldTime writes a file in place, and puts its time back.
func (s *studio) rewriteUnderOldTime(f *folder, name string, c *content) {
	was := f.files[name]
	s.before[stampOf(f, name, was)] = was.sum
	s.putAt(f, name, c, was.modified)
}

// had reports whether a folder had a file of that digest. If it never had such a file, another
// folder may have had it: a folder takes over the record of a gone folder, if its product has the
// same SKU and title. A frame that is sent may have the digest from before a rewrite under its old
// time: spinsync looks once more before the finish.
func (s *studio) had(folder string, f syncstate.File, sum string, sending bool) bool {
	own := stamp{path.Join(folder, f.Name), f.Size, f.ModTime.UnixNano()}
	if sending && s.before[own] == sum {
		return true
	}
	if known, is := s.stamps[own]; is {
		return known == sum
	}
	for elsewhere, known := range s.stamps {
		elsewhere.path = path.Join(folder, path.Base(elsewhere.path))
		if elsewhere == own && known == sum {
			return true
		}
	}
	return false
}

// replace writes a file under another name and renames it over the old one.
func (s *studio) replace(f *folder, name string, c *content) {
	s.must(os.WriteFile(f.path(name)+"~", c.data, 0o644))
	s.must(os.Rename(f.path(name)+"~", f.path(name)))
	s.stamp(f, name, c)
}

func (s *studio) remove(f *folder, name string) {
	s.must(os.Remove(f.path(name)))
	delete(f.files, name)
	s.changed(f)
}

func (s *studio) rename(f *folder, from, to string) {
	s.must(os.Rename(f.path(from), f.path(to)))
	s.name(f, to, f.files[from])
	delete(f.files, from)
	s.changed(f)
}

// removeFolder deletes a product folder.
func (s *studio) removeFolder(f *folder) {
	s.must(os.RemoveAll(f.path("")))
	f.files, f.present = map[string]*content{}, false
	s.changed(f)
}

// lend takes a product folder out of its root, and returns what puts it back.
func (s *studio) lend(f *folder, aside string) (giveBack func()) {
	files := f.files
	s.must(os.Rename(f.path(""), aside))
	f.files, f.present, f.lent = map[string]*content{}, false, true
	s.changed(f)
	return func() {
		s.must(os.MkdirAll(filepath.Dir(f.path("")), 0o755))
		s.must(os.Rename(aside, f.path("")))
		f.files, f.present, f.lent = files, true, false
		s.changed(f)
	}
}

// lends reports whether a folder is away, and comes back.
func (s *studio) lends() bool {
	return slices.ContainsFunc(s.folders, func(f *folder) bool { return f.lent })
}

// trash moves files of a folder into a directory of its root that is no product folder. The folder
// goes with the last of them.
func (s *studio) trash(f *folder, bin string, names []string) {
	to := filepath.Join(f.root.path, filepath.FromSlash(bin))
	s.must(os.MkdirAll(to, 0o755))
	for _, name := range names {
		s.must(os.Rename(f.path(name), filepath.Join(to, name)))
		s.trashed[filepath.Join(to, name)] = f.files[name]
		delete(f.files, name)
	}
	if len(f.files) == 0 {
		s.must(os.Remove(f.path("")))
		f.present = false
	}
	s.changed(f)
}

// moveFolder renames a product folder to another place.
func (s *studio) moveFolder(from, to *folder) {
	s.must(os.MkdirAll(filepath.Dir(to.path("")), 0o755))
	s.must(os.Rename(from.path(""), to.path("")))
	to.files = from.files
	for version, sum := range maps.Clone(s.stamps) { // a run takes frames along that have become others since
		if path.Dir(version.path) == from.name {
			version.path = path.Join(to.name, path.Base(version.path))
			s.stamps[version] = sum
		}
	}
	from.left, to.came = append(from.left, time.Now()), append(to.came, time.Now())
	from.files = map[string]*content{}
	to.present, from.present = true, false
	to.wanted, to.shoot, to.posing = from.wanted, from.shoot, from.posing
	to.accept(from.accepted)
	to.said, to.after, from.after = from.said, from.after, nil
	from.paused.end() // docs/behaviour.md: it may count as a new folder
	s.changed(from)
	s.changed(to)
}

// sizes of frames: most small, some larger than what a client reads of a file at a time.
func (s *studio) photo(r *rand.Rand) *content {
	return s.photoOf(pick(r, 900, 900, 1200, 5_000, 70_000, 180_000))
}

// photoOf is a JPEG of about so many bytes that is like no other. In a fleet it has a size of its own: a
// station does not tell two of one size apart that were written within two seconds, and sees both late.
func (s *studio) photoOf(size int) *content {
	s.shots++
	if s.w.fleet != nil {
		size = size/1000*1000 + 1000 + int(s.shots%1000)
	}
	return &content{data: photo(s.shots, size), whole: true}
}

// photo fills comments, which a JPEG may have many of, with its number and noise.
func photo(number uint64, size int) []byte {
	const longest = 65_000
	data := slices.Grow(slices.Clone(smallJPEG[:2]), size)
	for left := size - len(smallJPEG); left > 12; left -= longest + 4 {
		n := min(left-4, longest)
		data = append(data, 0xFF, 0xFE)
		data = binary.BigEndian.AppendUint16(data, uint16(n+2))
		data = binary.BigEndian.AppendUint64(data, number)
		from := number * 7919 % uint64(len(noise)-longest)
		data = append(data, noise[from:][:n-8]...)
	}
	return append(data, smallJPEG[2:]...)
}

// noise looks another at every offset.
var noise = func() []byte {
	data := make([]byte, 1<<20)
	rand.NewChaCha8([32]byte{}).Read(data)
	return data
}()

var smallJPEG = func() []byte {
	var out bytes.Buffer
	if err := jpeg.Encode(&out, image.NewGray(image.Rect(0, 0, 8, 8)), nil); err != nil {
		panic(err)
	}
	return out.Bytes()
}()

// checkTree holds the disk against what the studio put there: nobody else may have changed
// anything.
func (s *studio) checkTree() {
	want := maps.Clone(s.trashed)
	for _, f := range s.folders {
		for name, c := range f.files {
			want[f.path(name)] = c
		}
	}
	for _, r := range s.roots {
		if r.list != nil {
			want[filepath.Join(r.path, listName)] = r.list
		}
		s.must(filepath.WalkDir(r.path, func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			s.checkFile(name, want[name])
			delete(want, name)
			return nil
		}))
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		s.w.breaks("%s was removed", name)
	}
}

func (s *studio) checkFile(name string, want *content) {
	data, err := os.ReadFile(name)
	s.must(err)
	info, err := os.Stat(name)
	s.must(err)
	switch {
	case want == nil:
		s.w.breaks("%s appeared below a root", name)
	case !bytes.Equal(data, want.data):
		s.w.breaks("%s was changed", name)
	case !info.ModTime().Equal(want.modified) || info.Mode() != 0o644:
		s.w.breaks("%s got another time or mode", name)
	}
}
