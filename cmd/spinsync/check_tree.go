package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"spinsync/daemon"
	"spinsync/daemon/config"
	"spinsync/daemon/layout"
	"spinsync/daemon/manifest"
	"spinsync/daemon/status"
	"spinsync/watcher"
)

const productFile = "product.toml"

// examineTree looks whether the folders of a root are what its settings expect.
func examineTree(ctx context.Context, w config.Watch, r *report) {
	seen, err := lookAround(ctx, rootOf(w))
	if err != nil {
		r.fail("folders", err)
		return
	}
	examineAccess(seen, r)
	examineNotTaken(seen, w, r)
	examineWatches(seen, w, r)
	examineProducts(seen, w, r)
	if len(seen.photographed()) == 0 {
		examineStrangers(seen, w, r)
		return
	}
	fitting := examineLayout(seen, w, r)
	examineOrder(fitting, w, r)
	examineFrames(fitting, w, r)
	examineMarker(fitting, w, r)
	examineProjects(fitting, w, r)
	examineProductFiles(fitting, w, r)
}

func rootOf(w config.Watch) watcher.Root {
	return watcher.Root{Path: w.Path, Include: w.Include, Ignore: w.Ignore, Marker: w.Marker}
}

// examineAccess tells what this account may not read, and the command that lets it.
func examineAccess(seen tree, r *report) {
	if len(seen.barred) == 0 {
		return
	}
	reason, denied := daemon.NoAccess(seen.barred[0])
	if !denied {
		reason = seen.barred[0].Error()
	}
	if more := len(seen.barred) - 1; more > 0 {
		reason += fmt.Sprintf("; so with %d more", more)
	}
	r.fail("access", errors.New(reason))
}

// examineNotTaken names photos that are no frames.
func examineNotTaken(seen tree, w config.Watch, r *report) {
	find, err := rootOf(w).NotTaken()
	if err != nil || len(seen.photographed()) == 0 {
		return // examineStrangers tells of a tree without any photo
	}
	var said string
	others := 0
	for _, f := range seen.folders {
		switch found := daemon.NotTaken(find(f.path, f.files)); {
		case found == "":
		case said == "":
			said = f.path + ": " + withoutTitle(found)
		default:
			others++
		}
	}
	if others > 0 {
		said += fmt.Sprintf("; so in %s more", status.Counted(others, "folder"))
	}
	if said != "" {
		r.warn("not taken", said)
	}
}

// withoutTitle drops the words that head the line already.
func withoutTitle(found string) string {
	if one, ok := strings.CutPrefix(found, "not taken: "); ok {
		return one
	}
	return strings.Replace(found, " not taken: ", ": ", 1)
}

// examineStrangers tells files of a kind that include does not name from no files at all.
func examineStrangers(seen tree, w config.Watch, r *report) {
	for _, f := range seen.folders {
		for _, name := range f.files {
			if depth(f.path) > 0 && !strings.HasPrefix(name, ".") {
				r.warn("folders", fmt.Sprintf(
					"no file in %s is a photo by include, such as %s; let the camera program write JPEG, or add the kind to include",
					w.Path, path.Join(f.path, name)))
				return
			}
		}
	}
	r.ok("folders", "no photos yet")
}

// examineLayout returns the folders with photos that fit the layout.
func examineLayout(seen tree, w config.Watch, r *report) []photoFolder {
	var fitting []photoFolder
	var misfit error
	all := seen.photographed()
	for _, f := range all {
		if _, err := w.Layout.Match(f.path); err != nil {
			misfit = explainMisfit(f.path, w, err)
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
		r.warn("folders", fmt.Sprintf("%d of %s with photos fit the layout, the others are left alone; %v",
			len(fitting), status.Counted(len(all), "folder"), misfit))
	}
	return fitting
}

// explainMisfit says why a folder does not fit the layout. A wrong depth is told in the daemon's
// words.
func explainMisfit(folder string, w config.Watch, err error) error {
	if depth(folder) == w.Layout.Depth() {
		return fmt.Errorf("%s: %w", folder, err)
	}
	return errors.New(daemon.WrongDepth(w.Path, folder, w.Layout))
}

func layoutRemedy(seen tree) string {
	if suggested := seen.suggestLayout(); suggested != "" {
		return fmt.Sprintf("layout = %q would fit most", suggested)
	}
	return "give each product a folder of its own"
}

// examineOrder shows the order of the photos in one folder whose names leave it open, and counts
// the other folders.
func examineOrder(fitting []photoFolder, w config.Watch, r *report) {
	var shown string
	others := 0
	for _, f := range fitting {
		explained := explainOrder(f, w)
		switch {
		case explained == "":
		case shown == "":
			shown = f.path + ": " + explained
		default:
			others++
		}
	}
	switch {
	case shown == "":
	case others > 0:
		r.ok("order", fmt.Sprintf("%s; so in %s more", shown, status.Counted(others, "folder")))
	default:
		r.ok("order", shown)
	}
}

// explainOrder is manifest.Order.Explain for a folder whose photos are not opened.
func explainOrder(f photoFolder, w config.Watch) string {
	order := w.Order
	if says, err := readProductFile(w, f); err == nil && says.Order != "" {
		order = says.Order
	}
	explained := order.Explain(slices.DeleteFunc(slices.Clone(f.files),
		func(name string) bool { return !isPhoto(name, w.Include) }))
	if explained != "" && order == manifest.Captured {
		return `order = "captured", which spinsync plan shows`
	}
	return explained
}

// beingShot is how young the newest photo is of a folder that may still be shot: a turn by hand
// takes its time.
const beingShot = 5 * time.Minute

func examineFrames(fitting []photoFolder, w config.Watch, r *report) {
	right := func(f photoFolder) bool { return f.photos == w.Frames || slices.Contains(f.files, productFile) }
	if w.Frames == 0 || len(fitting) == 0 || slices.ContainsFunc(fitting, right) {
		return
	}
	i := slices.IndexFunc(fitting, func(f photoFolder) bool { return f.photos > w.Frames || !f.isBeingShot(w) })
	if i < 0 {
		r.ok("frames", fmt.Sprintf("%s has %d of %d photos, and is perhaps still being shot",
			fitting[0].path, fitting[0].photos, w.Frames))
		return
	}
	r.warn("frames", fmt.Sprintf(
		"no folder has the %d photos that frames asks for, %s has %d; correct frames in [[watch]], or leave it out",
		w.Frames, fitting[i].path, fitting[i].photos))
}

// isBeingShot reports whether what a folder lacks may still come.
func (f photoFolder) isBeingShot(w config.Watch) bool {
	return slices.ContainsFunc(f.files, func(name string) bool {
		if !isPhoto(name, w.Include) {
			return false
		}
		info, err := os.Lstat(filepath.Join(w.Path, filepath.FromSlash(f.path), name))
		return err == nil && time.Since(info.ModTime()).Abs() < beingShot
	})
}

func examineMarker(fitting []photoFolder, w config.Watch, r *report) {
	marked := func(f photoFolder) bool {
		return slices.ContainsFunc(f.files, func(name string) bool { return strings.EqualFold(name, w.Marker) })
	}
	if w.Marker == "" || len(fitting) == 0 || slices.ContainsFunc(fitting, marked) {
		return
	}
	if !slices.ContainsFunc(fitting, func(f photoFolder) bool { return !f.isBeingShot(w) }) {
		r.ok("marker", fmt.Sprintf("%s has no file %s, and is perhaps still being shot", fitting[0].path, w.Marker))
		return
	}
	r.warn("marker", fmt.Sprintf(
		"no folder holds a file %s, without which none is complete; correct marker in [[watch]], or leave it out",
		w.Marker))
}

// examineProjects finds projects whose titles differ in letter case or spaces alone: they are two,
// and were meant as one.
func examineProjects(fitting []photoFolder, w config.Watch, r *report) {
	titles := map[string]string{}
	for _, f := range fitting {
		fields, err := w.Layout.Match(f.path)
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
func examineTwins(fitting []photoFolder, l layout.Layout, r *report) {
	seen := map[layout.Fields]string{}
	for _, f := range fitting {
		fields, err := l.Match(f.path)
		if err != nil {
			continue
		}
		fields = layout.Fields{Project: fields.Project, SKU: fields.Complete().SKU}
		if other, ok := seen[fields]; ok {
			r.warn("twins", fmt.Sprintf("%s and %s are both product %s; give one another name",
				other, f.path, fields.SKU))
		}
		seen[fields] = f.path
	}
}

func examineProductFiles(fitting []photoFolder, w config.Watch, r *report) {
	for _, f := range fitting {
		_, err := readProductFile(w, f)
		name := path.Join(f.path, productFile)
		mistakes := config.Mistakes(nil)
		switch {
		case errors.As(err, &mistakes):
			failMistakes(productFile, name, mistakes, r)
		case err != nil:
			r.fail(productFile, fmt.Errorf("%s: %w", name, err))
		}
	}
}

// failMistakes gives each mistake of a file a line of its own, up to a number that no file written
// by hand reaches.
func failMistakes(what, name string, mistakes config.Mistakes, r *report) {
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
func readProductFile(w config.Watch, f photoFolder) (says config.Product, err error) {
	if !slices.Contains(f.files, productFile) {
		return says, nil
	}
	file := filepath.Join(w.Path, filepath.FromSlash(f.path), productFile)
	info, err := os.Stat(file)
	if err != nil {
		return says, err
	}
	if !info.Mode().IsRegular() || info.Size() > config.MaxSize {
		return says, errors.New("this is no small text file; write a new one, or remove it")
	}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrPermission) {
		return says, errors.New("this user may not read it; give it the right")
	}
	if err != nil {
		return says, err
	}
	return config.ParseProduct(data)
}
