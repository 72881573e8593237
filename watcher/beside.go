package watcher

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"spinsync/watcher/names"
	"spinsync/watcher/nofollow"
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

// other is a name in a product folder that is no frame, and why, where it is the name of a photo.
type other struct{ name, why string }

// sortOut finds the photos that are not taken among names of a folder, and those in directories
// below it.
func (d *disk) sortOut(at nofollow.Dir, folder string, others []other, frames []File) *beside {
	if len(others) == 0 {
		return nil
	}
	b := beside{below: directories{}}
	taken := map[string]bool{}
	for _, f := range frames {
		taken[names.Stem(f.Name)] = true
	}
	b.add(others, taken)
	for _, o := range others {
		if o.why == "" {
			d.lookBelow(at, path.Join(folder, o.name), b.below, deepest)
		}
	}
	if b.Count+len(b.below) == 0 {
		return nil
	}
	return &b
}

// add counts the photos beside which no frame of the same name was taken.
func (n *NotTaken) add(others []other, taken map[string]bool) {
	for _, o := range others {
		if o.why == "" || taken[names.Stem(o.name)] {
			continue
		}
		if n.Count++; len(n.Files) < mostNotTaken {
			n.Files = append(n.Files, NotTakenFile{strings.Clone(o.name), o.why})
		}
	}
}

// deepest is how many directories below a product folder are looked into, one in another.
const deepest = 3

// lookBelow counts the photos in a directory of a product folder, and in those below it. What
// cannot be read there is left out.
func (d *disk) lookBelow(above nofollow.Dir, below string, found directories, levels int) {
	if a, err := above.Stat(path.Base(below)); err != nil || !a.Dir || levels == 0 || d.rules.Hidden(below) {
		return
	}
	at, err := d.open(below)
	if err != nil {
		return
	}
	defer at.Close()
	entries, err := at.Names()
	if err != nil {
		return
	}
	if photos := d.countPhotos(below, entries); photos != nil {
		found[below] = photos
	}
	for _, name := range entries {
		if k, _ := d.rules.Classify(below, name); k == names.Foreign {
			d.lookBelow(at, below+"/"+name, found, levels-1)
		}
	}
}

// NotTaken gives a function that finds the photos that are not taken among the names of the files
// in a folder, for advice.
func (r Root) NotTaken() (func(folder string, files []string) *NotTaken, error) {
	rules, err := r.rules()
	return func(folder string, files []string) *NotTaken {
		var found beside
		var photos []other
		taken := map[string]bool{}
		for _, name := range files {
			switch k, why := rules.Classify(folder, name); k {
			case names.Frame:
				taken[names.Stem(name)] = true
			case names.Photo:
				photos = append(photos, other{name, why})
			}
		}
		found.add(photos, taken)
		return found.notTaken()
	}, err
}

func (r Root) rules() (*names.Rules, error) { return names.New(r.Include, r.Ignore, r.Marker) }

// Hidden gives a function that reports whether a directory, given by its path below the root, is
// hidden by the rules, so that a Watcher never enters it, for advice.
func (r Root) Hidden() (func(dir string) bool, error) {
	rules, err := r.rules()
	if err != nil {
		return nil, err
	}
	return rules.Hidden, nil
}

// takeBeside takes in what a listing found beside frames, and reports whether the photos that are
// not taken are others than before.
func (s *settler) takeBeside(ctx context.Context, f *folder, l listing) (news bool) {
	before := f.beside
	f.beside = l.beside
	if below := before.directories(); below != nil || l.beside.directories() != nil {
		s.tellDirectories(ctx, l.beside.directories(), func(dir string) bool { return within(f.path, dir) })
	}
	return !before.notTaken().Same(l.beside.notTaken())
}

func (b *beside) directories() directories {
	if b == nil || len(b.below) == 0 {
		return nil
	}
	return maps.Clone(b.below)
}
