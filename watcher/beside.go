package watcher

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"
)

// NotTaken are photos in a product folder that are no frames. A photo beside a frame of the same
// name, as a raw file beside its JPEG, is not among them.
type NotTaken struct {
	Files []NotTakenFile `json:"ignored"` // the first few
	Count int            `json:"ignored_count"`
}

// A NotTakenFile is a photo that is no frame.
type NotTakenFile struct {
	File string `json:"file"`
	Why  string `json:"why"`
}

// mostNotTaken is how many of the files that are not taken are kept by name: there may be thousands
// of folders with them.
const mostNotTaken = 5

// noFile is why a link, a pipe or a directory with the name of a photo is no frame.
const noFile = "no regular file; links are not followed"

// beside is what lies in a product folder beside what belongs there.
type beside struct {
	NotTaken
	below directories // of the folder in which photos lie
}

func (b *beside) notTaken() *NotTaken {
	if b == nil || b.Count == 0 {
		return nil
	}
	return &b.NotTaken
}

// Same reports whether two folders have the same photos that are not taken, as far as is known. Nil
// is none.
func (n *NotTaken) Same(m *NotTaken) bool {
	if n == nil || m == nil {
		return n == m
	}
	return n.Count == m.Count && slices.Equal(n.Files, m.Files)
}

// whyNotTaken says of a photo or film why it is no frame where include does not name it; empty for
// other files.
func whyNotTaken(folded string) string {
	switch ext := strings.TrimPrefix(path.Ext(folded), "."); {
	case slices.Contains(rawKinds, ext):
		return "a raw file; let the camera or its program write JPEG"
	case slices.Contains(heicKinds, ext):
		return "HEIC; set the camera to JPEG, or convert it"
	case slices.Contains(editorKinds, ext):
		return "a file of an image editor; export it as JPEG"
	case slices.Contains(otherKinds, ext):
		return "include does not name *." + ext + "; convert it to JPEG, or add the kind to include"
	}
	return ""
}

// The last parts of the names of photos and films.
var (
	rawKinds = strings.Fields("3fr arw cr2 cr3 crw dcr dng erf fff gpr iiq kdc mos mrw nef nrw orf pef raf raw " +
		"rw2 rwl sr2 srf srw x3f")

	heicKinds   = strings.Fields("heic heics heif heifs hif")
	editorKinds = strings.Fields("af afphoto clip kra psb psd psdt xcf")
	otherKinds  = strings.Fields("avi avif bmp gif jfif jp2 jpe jpeg jpg jxl m4v mkv mov mp4 mpg mts png svg " +
		"tga tif tiff webm webp wmv")
)

// other is a name in a product folder that is no frame, and why, where it is the name of a photo.
type other struct{ name, why string }

// sortOut finds the photos that are not taken among names of a folder, and those in directories
// below it.
func (d *disk) sortOut(at dir, folder string, others []other, frames []File) *beside {
	if len(others) == 0 {
		return nil
	}
	b := beside{below: directories{}}
	taken := map[string]bool{}
	for _, f := range frames {
		taken[stem(f.Name)] = true
	}
	for _, o := range others {
		switch {
		case o.why == "":
			d.lookBelow(at, path.Join(folder, o.name), b.below, deepest)
		case !taken[stem(o.name)]:
			b.add(o)
		}
	}
	if b.Count+len(b.below) == 0 {
		return nil
	}
	return &b
}

// stem is a name without its last part, in which a photo and its raw file agree.
func stem(name string) string { return strings.TrimSuffix(fold(name), fold(path.Ext(name))) }

func (b *beside) add(o other) {
	if b.Count++; len(b.Files) < mostNotTaken {
		b.Files = append(b.Files, NotTakenFile{strings.Clone(o.name), o.why})
	}
}

// deepest is how many directories below a product folder are looked into, one in another.
const deepest = 3

// lookBelow counts the photos in a directory of a product folder, and in those below it. What
// cannot be read there is left out.
func (d *disk) lookBelow(above dir, below string, found directories, levels int) {
	if a, err := above.stat(path.Base(below)); err != nil || !a.dir || levels == 0 || d.rules.hidden(below) {
		return
	}
	at, err := d.open(below)
	if err != nil {
		return
	}
	defer at.close()
	names, err := at.names()
	if err != nil {
		return
	}
	if photos := d.countPhotos(below, names); photos != nil {
		found[below] = photos
	}
	for _, name := range names {
		if k, why := d.rules.classify(below, name); k == foreign && why == "" {
			d.lookBelow(at, below+"/"+name, found, levels-1)
		}
	}
}

// NotTaken gives a function that finds the photos that are not taken among the names of the files
// in a folder, for advice.
func (r Root) NotTaken() (func(folder string, names []string) *NotTaken, error) {
	rules, err := newRules(r.Include, r.Ignore, r.Marker)
	return func(folder string, names []string) *NotTaken {
		var b beside
		taken := map[string]bool{}
		for _, name := range names {
			k, _ := rules.classify(folder, name)
			taken[stem(name)] = taken[stem(name)] || k == frame
		}
		for _, name := range names {
			if k, why := rules.classify(folder, name); k == foreign && why != "" && !taken[stem(name)] {
				b.add(other{name, why})
			}
		}
		return b.notTaken()
	}, err
}

// Hidden gives a function that reports whether a directory, given by its path below the root, is
// hidden by the rules, so that a Watcher never enters it, for advice.
func (r Root) Hidden() (func(dir string) bool, error) {
	rules, err := newRules(r.Include, r.Ignore, r.Marker)
	if err != nil {
		return nil, err
	}
	return rules.hidden, nil
}

// takeBeside takes in what a listing found beside frames, and reports whether the photos that are
// not taken are others than before.
func (t *tree) takeBeside(ctx context.Context, f *folder, l listing) (news bool) {
	before := f.beside
	f.beside = l.beside
	if below := before.directories(); below != nil || l.beside.directories() != nil {
		t.tellDirectories(ctx, l.beside.directories(), func(dir string) bool { return within(f.path, dir) })
	}
	return !before.notTaken().Same(l.beside.notTaken())
}

func (b *beside) directories() directories {
	if b == nil || len(b.below) == 0 {
		return nil
	}
	return maps.Clone(b.below)
}
