package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"spinsync/cmd/spinsync/tree"
	"spinsync/daemon/config"
	"spinsync/daemon/layout"
	"spinsync/daemon/manifest"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/watcher"
)

const productFile = "product.toml"

// examineTree looks whether the folders of a root are what its settings expect.
func examineTree(ctx context.Context, w config.Watch, r *Report) {
	seen, err := tree.Look(ctx, rootOf(w))
	if err != nil {
		r.fail("folders", err)
		return
	}
	examineAccess(seen, r)
	examineNotTaken(seen, w, r)
	examineWatches(seen, w, r)
	examineProducts(seen, w, r)
	if len(seen.Photographed()) == 0 {
		examineStrangers(seen, w, r)
		return
	}
	fitting := examineLayout(seen, w, r)
	examineOrder(fitting, w, r)
	examineFrames(fitting, w, r)
	examineGaps(fitting, w, r)
	examineMarker(fitting, w, r)
	examineProjects(fitting, w, r)
	examineProductFiles(fitting, w, r)
	examineTexts(fitting, w, r)
}

func rootOf(w config.Watch) watcher.Root {
	return watcher.Root{Path: w.Path, Include: w.Include, Ignore: w.Ignore, Marker: w.Marker}
}

// examineAccess tells what this account may not read, and the command that lets it.
func examineAccess(seen tree.Tree, r *Report) {
	if len(seen.Barred) == 0 {
		return
	}
	reason := seen.Barred[0].Error()
	if denied := outcome.NoAccess(seen.Barred[0]); denied != nil {
		reason = status.Sentence(denied, status.AnyFolder)
	}
	r.fail("access", errors.New(reason+sameIn(len(seen.Barred)-1)))
}

// examineNotTaken names photos that are no frames.
func examineNotTaken(seen tree.Tree, w config.Watch, r *Report) {
	find, err := rootOf(w).NotTaken()
	if err != nil || len(seen.Photographed()) == 0 {
		return // examineStrangers tells of a tree without any photo
	}
	said := firstOf(seen.Folders, func(f tree.Folder) string {
		return withoutTitle(status.NotTaken(find(f.Path, f.Files)))
	})
	if said != "" {
		r.warn("not taken", said)
	}
}

// firstOf is what there is to say of the first folder of which there is anything, and in how many
// more there is the same.
func firstOf(folders []tree.Folder, explain func(tree.Folder) string) (said string) {
	others := 0
	for _, f := range folders {
		switch explained := explain(f); {
		case explained == "":
		case said == "":
			said = f.Path + ": " + explained
		default:
			others++
		}
	}
	return said + sameIn(others)
}

// sameIn tells in how many more folders there is the same; empty for none.
func sameIn(others int) string {
	if others == 0 {
		return ""
	}
	return fmt.Sprintf("; the same in %s more", status.Counted(others, "folder"))
}

// withoutTitle drops the words that head the line already.
func withoutTitle(found string) string {
	if one, ok := strings.CutPrefix(found, "not taken: "); ok {
		return one
	}
	return strings.Replace(found, " not taken: ", ": ", 1)
}

// examineStrangers tells files of a kind that include does not name from no files at all.
func examineStrangers(seen tree.Tree, w config.Watch, r *Report) {
	for _, f := range seen.Folders {
		for _, name := range f.Files {
			if watcher.Level(f.Path) > 0 && !strings.HasPrefix(name, ".") {
				r.warn("folders", fmt.Sprintf(
					"no file in %s is a photo by include, such as %s; let the camera program write JPEG, or add the kind to include",
					w.Path, path.Join(f.Path, name)))
				return
			}
		}
	}
	r.ok("folders", "no photos yet")
}

// examineLayout returns the folders with photos that fit the layout.
func examineLayout(seen tree.Tree, w config.Watch, r *Report) []tree.Folder {
	var fitting []tree.Folder
	var misfit error
	all := seen.Photographed()
	for _, f := range all {
		if _, err := w.Layout.Match(f.Path); err != nil {
			misfit = explainMisfit(f.Path, w, err)
			continue
		}
		fitting = append(fitting, f)
	}
	switch {
	case misfit == nil:
		r.ok("folders", fmt.Sprintf("%s with photos, all fit the layout", status.Counted(len(all), "folder")))
	case len(fitting) == 0:
		r.fail("folders", fmt.Errorf("no folder with photos fits the layout; %w; %s", misfit, layoutRemedy(seen)))
	default:
		r.warn("folders", fmt.Sprintf("%d of %s with photos fit the layout, spinsync ignores the others; %v",
			len(fitting), status.Counted(len(all), "folder"), misfit))
	}
	return fitting
}

// explainMisfit says why a folder does not fit the layout. A wrong depth is told in the daemon's
// words.
func explainMisfit(folder string, w config.Watch, err error) error {
	if watcher.Level(folder) == w.Layout.Depth() {
		return fmt.Errorf("%s: %w", folder, err)
	}
	return errors.New(plan.WrongDepth(w.Path, folder, w.Layout))
}

func layoutRemedy(seen tree.Tree) string {
	if suggested := seen.Layout(); suggested != "" {
		return fmt.Sprintf("layout = %q would fit most", suggested)
	}
	return "give each product a folder of its own"
}

// examineOrder shows the order of the photos in one folder whose names leave it open, and counts
// the other folders.
func examineOrder(fitting []tree.Folder, w config.Watch, r *Report) {
	shown := firstOf(fitting, func(f tree.Folder) string { return explainOrder(f, w) })
	if shown != "" {
		r.ok("order", shown)
	}
}

// explainOrder is manifest.Order.Explain for a folder whose photos are not opened.
func explainOrder(f tree.Folder, w config.Watch) string {
	order := w.Order
	if says, err := readProductFile(w, f); err == nil && says.Order != "" {
		order = says.Order
	}
	explained := order.Explain(photosOf(f, w))
	if explained != "" && order == manifest.Captured {
		return `order = "captured", which spinsync plan shows`
	}
	return explained
}

func photosOf(f tree.Folder, w config.Watch) []string {
	return slices.DeleteFunc(slices.Clone(f.Files), func(name string) bool { return !tree.IsPhoto(name, w.Include) })
}

// examineGaps tells of a number that is missing. No folder waits for it.
func examineGaps(fitting []tree.Folder, w config.Watch, r *Report) {
	if said := firstOf(fitting, func(f tree.Folder) string { return manifest.Gap(photosOf(f, w)) }); said != "" {
		r.warn("frames", said)
	}
}

// beingShot is how young the newest photo is of a folder that may still be shot: a turn by hand
// takes its time.
const beingShot = 5 * time.Minute

func examineFrames(fitting []tree.Folder, w config.Watch, r *Report) {
	right := func(f tree.Folder) bool { return f.Photos == w.Frames || slices.Contains(f.Files, productFile) }
	if w.Frames == 0 || len(fitting) == 0 || slices.ContainsFunc(fitting, right) {
		return
	}
	i := slices.IndexFunc(fitting, func(f tree.Folder) bool { return f.Photos > w.Frames || !isBeingShot(f, w) })
	if i < 0 {
		r.ok("frames", fmt.Sprintf("%s has %d of %d photos; perhaps it is still being shot",
			fitting[0].Path, fitting[0].Photos, w.Frames))
		return
	}
	r.warn("frames", fmt.Sprintf(
		"frames asks for %d photos and no folder has them, %s has %d; correct frames in [[watch]], or leave it out",
		w.Frames, fitting[i].Path, fitting[i].Photos))
}

// isBeingShot reports whether what a folder lacks may still come.
func isBeingShot(f tree.Folder, w config.Watch) bool {
	return slices.ContainsFunc(f.Files, func(name string) bool {
		if !tree.IsPhoto(name, w.Include) {
			return false
		}
		info, err := os.Lstat(filepath.Join(w.Path, filepath.FromSlash(f.Path), name))
		return err == nil && time.Since(info.ModTime()).Abs() < beingShot
	})
}

func examineMarker(fitting []tree.Folder, w config.Watch, r *Report) {
	marked := func(f tree.Folder) bool {
		return slices.ContainsFunc(f.Files, func(name string) bool { return strings.EqualFold(name, w.Marker) })
	}
	if w.Marker == "" || len(fitting) == 0 || slices.ContainsFunc(fitting, marked) {
		return
	}
	if !slices.ContainsFunc(fitting, func(f tree.Folder) bool { return !isBeingShot(f, w) }) {
		r.ok("marker", fmt.Sprintf("%s has no file %s; perhaps it is still being shot", fitting[0].Path, w.Marker))
		return
	}
	r.warn("marker", fmt.Sprintf(
		"no folder has the file %s that marks it complete; correct marker in [[watch]], or leave it out",
		w.Marker))
}

// examineProjects finds projects whose titles differ in letter case or spaces alone: they are two,
// and were meant as one.
func examineProjects(fitting []tree.Folder, w config.Watch, r *Report) {
	titles := map[string]string{}
	for _, f := range fitting {
		fields, err := w.Layout.Match(f.Path)
		if err != nil || fields.Project == "" {
			continue
		}
		folded := strings.ToLower(strings.Join(strings.Fields(fields.Project), ""))
		if other, ok := titles[folded]; ok && other != fields.Project {
			r.warn("projects", fmt.Sprintf("%q and %q would be two projects; rename one folder if they are one",
				other, fields.Project))
		}
		titles[folded] = fields.Project
	}
	examineTwins(fitting, w.Layout, r)
}

// examineTwins finds folders that speak of the same product.
func examineTwins(fitting []tree.Folder, l layout.Layout, r *Report) {
	seen := map[layout.Fields]string{}
	for _, f := range fitting {
		fields, err := l.Match(f.Path)
		if err != nil {
			continue
		}
		fields = layout.Fields{Project: fields.Project, SKU: fields.Complete().SKU}
		if other, ok := seen[fields]; ok {
			r.warn("twins", fmt.Sprintf("%s and %s are both product %s; give one another name",
				other, f.Path, fields.SKU))
		}
		seen[fields] = f.Path
	}
}

func examineProductFiles(fitting []tree.Folder, w config.Watch, r *Report) {
	for _, f := range fitting {
		_, err := readProductFile(w, f)
		name := path.Join(f.Path, productFile)
		switch mistakes, ok := errors.AsType[config.Mistakes](err); {
		case ok:
			failMistakes(productFile, name, mistakes, r)
		case err != nil:
			r.fail(productFile, fmt.Errorf("%s: %w", name, err))
		}
	}
}

// failMistakes gives each mistake of a file a line of its own, up to a number that no file written
// by hand reaches.
func failMistakes(what, name string, mistakes config.Mistakes, r *Report) {
	const most = 20
	for i, m := range mistakes {
		if i == most {
			r.fail(what, fmt.Errorf("%s: %s more", name, status.Counted(len(mistakes)-most, "mistake")))
			return
		}
		r.fail(what, fmt.Errorf("%s: %s", name, m))
	}
}

// readProductFile reads the product.toml of a folder, and nothing where there is none.
func readProductFile(w config.Watch, f tree.Folder) (says config.Product, err error) {
	if !slices.Contains(f.Files, productFile) {
		return says, nil
	}
	data, err := readFile(filepath.Join(w.Path, filepath.FromSlash(f.Path), productFile), config.MaxSize)
	if err != nil {
		return says, err
	}
	return config.ParseProduct(data)
}

// readFile reads up to one byte more than a file may have, so that a file that is too large is
// recognised.
func readFile(file string, most int64) ([]byte, error) {
	f, err := openRegular(file)
	if errors.Is(err, fs.ErrPermission) {
		return nil, errors.New("this user may not read it; give it the right")
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most+1))
}

// openRegular looks before it opens: opening a pipe would wait for ever.
func openRegular(file string) (io.ReadCloser, error) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no regular file; write a new one, or remove it")
	}
	return os.Open(file)
}
