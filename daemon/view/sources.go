package view

import (
	"archive/zip"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"os"
	"path"
	"slices"

	"spinsync/apiclient"
	"spinsync/daemon/manifest"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// CompareSources downloads the product's source files (interface 4.11) and compares them with the
// folder's by digest. The listed images give the order of files that have other names. Files that
// the service refuses are ErrNoSources; a wrong password, a way that is barred, or an archive that
// is not packed yet (409) is another error.
func CompareSources(
	ctx context.Context, service *apiclient.Client, product string, run *syncstate.Run, images []apiclient.Image,
) (doubt string, err error) {
	archive, err := os.CreateTemp("", "spinsync-sources-*.zip")
	if err != nil {
		return "", err
	}
	// Where an open file may be removed, not even a kill leaves the archive behind.
	_ = os.Remove(archive.Name())
	defer os.Remove(archive.Name())
	defer archive.Close()
	size, err := service.DownloadSources(ctx, product, &bounded{archive, largestArchive(run)})
	var remote *apiclient.Error
	switch {
	case errors.Is(err, errTooMuch):
		return "its source files are larger than the folder's", nil
	case errors.As(err, &remote) && remote.Status != 0 && remote.Status != http.StatusConflict &&
		!remote.Temporary() && !outcome.Rejected(remote):
		return "", fmt.Errorf("%w: %w", ErrNoSources, err)
	case err != nil:
		return "", err
	}
	sources, err := openArchive(archive, size, len(run.Frames))
	if err != nil {
		return "its source files are no ZIP: " + err.Error(), nil
	}
	return compareArchive(sources, run, images), nil
}

// ErrNoSources means that the service refuses the source files, so that nobody can compare them.
var ErrNoSources = errors.New("its source files cannot be downloaded")

// openArchive reads the table of contents of a ZIP, which is no longer than that of so many files
// may be: all of it is kept in memory.
func openArchive(archive io.ReaderAt, size int64, files int) (*zip.Reader, error) {
	const search = 128 << 10 // bytes, to find the table
	table := &boundedReader{archive, search + int64(files)*overhead}
	sources, err := zip.NewReader(table, size)
	table.left = math.MaxInt64
	return sources, err
}

// boundedReader reads so many bytes and no more.
type boundedReader struct {
	r    io.ReaderAt
	left int64
}

func (b *boundedReader) ReadAt(p []byte, off int64) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, errLongTable
	}
	return b.r.ReadAt(p, off)
}

var errLongTable = errors.New("its table of contents is longer than that of the folder's files")

// overhead is what a ZIP may take for each file apart from its content, and for the whole.
const overhead = 4 << 10

// largestArchive is how long a ZIP of the run's frames may be, however it is packed. Pictures that
// others added have as much room again.
func largestArchive(run *syncstate.Run) int64 {
	size := int64(overhead)
	for _, f := range run.Frames {
		size += f.Size + f.Size/64 + overhead
	}
	return 2 * size
}

var errTooMuch = errors.New("the source files are larger than announced")

// bounded writes so many bytes and no more.
type bounded struct {
	w    io.Writer
	left int64
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, errTooMuch
	}
	return b.w.Write(p)
}

// compareArchive compares the files of an archive with the run's frames: those of the same name
// with each other, and the rest by content and order. The names in the archive are not shown
// (interface 4.11).
func compareArchive(sources *zip.Reader, run *syncstate.Run, images []apiclient.Image) (doubt string) {
	frames, largest := map[string]string{}, int64(0) // digests, by stored name
	for _, f := range run.Frames {
		frames[plan.StoredName(f.Stored, f.Name)], largest = string(f.Digest), max(largest, f.Size)
	}
	files := slices.DeleteFunc(slices.Clone(sources.File), func(f *zip.File) bool { return f.FileInfo().IsDir() })
	if len(files) > len(run.Frames) && len(images) == len(run.Frames) {
		files = slices.DeleteFunc(files, isAdded(frames, images))
	}
	if len(files) != len(run.Frames) {
		return fmt.Sprintf("the service holds %d files, the folder %s", len(files), status.Frames(len(run.Frames)))
	}
	renamed := map[string]string{}
	for _, file := range files {
		name := path.Base(file.Name)
		digest, err := digestOfSource(file, largest)
		if err != nil {
			return fmt.Sprintf("source file %s: %v", status.Name(name), err)
		}
		switch want, known := frames[name]; {
		case !known:
			renamed[file.Name] = digest
		case digest != want:
			return fmt.Sprintf("%s has another content on the service", status.Name(name))
		}
		delete(frames, name)
	}
	return compareRenamed(inOrder(renamed, images), renamed, frames)
}

// isAdded reports whether a file is a picture that others added to the view: it has the name of no
// frame and of none of the folder's images. The images are as many as the frames.
func isAdded(frames map[string]string, images []apiclient.Image) func(*zip.File) bool {
	known := map[string]bool{}
	for _, image := range images {
		known[sourceName(image.Source)] = true
	}
	return func(f *zip.File) bool {
		_, isFrame := frames[path.Base(f.Name)]
		return !isFrame && !known[sourceName(f.Name)]
	}
}

// compareRenamed compares the digests of the sources that have the name of no frame, in their
// order, with those of the frames that are left: the same photos in another order are another view.
func compareRenamed(order []string, sources, frames map[string]string) (doubt string) {
	if len(sources) != len(frames) {
		return "the service has two files of one name"
	}
	stored := slices.Sorted(maps.Keys(frames))
	for i, name := range order {
		if sources[name] != frames[stored[i]] {
			return fmt.Sprintf("the service has %s, the folder does not have it in its place", status.Name(path.Base(name)))
		}
	}
	return ""
}

// inOrder returns the names of sources as the images that bear them are listed (interface 9, rule
// 3), or in natural order if not all are listed.
func inOrder(sources map[string]string, images []apiclient.Image) (names []string) {
	var sorted []manifest.Frame
	for name := range sources {
		sorted = append(sorted, manifest.Frame{Name: name})
	}
	_ = manifest.Natural.Sort(sorted) // it fails for no name
	for _, f := range sorted {
		names = append(names, f.Name)
	}
	ordials := map[string]int{}
	for _, image := range images {
		ordials[sourceName(image.Source)] = image.Ordial
	}
	unlisted := func(name string) bool { _, listed := ordials[sourceName(name)]; return !listed }
	if !slices.ContainsFunc(names, unlisted) {
		slices.SortStableFunc(names, func(a, b string) int {
			return cmp.Compare(ordials[sourceName(a)], ordials[sourceName(b)])
		})
	}
	return names
}

// digestOfSource reads a little more than the largest frame at most, even if the archive unpacks to
// far more.
func digestOfSource(file *zip.File, largest int64) (string, error) {
	content, err := file.Open()
	if err != nil {
		return "", err
	}
	defer content.Close()
	digest := syncstate.NewDigest()
	if _, err := io.Copy(digest, io.LimitReader(content, largest+1)); err != nil {
		return "", err
	}
	return string(digest.Sum(nil)), nil
}
