package daemon

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"sync"

	"spinsync/apiclient"
	"spinsync/syncstate"
)

// A Rebuilt is what was found out about one folder when a lost state file was made anew.
type Rebuilt struct {
	Root    string
	Folder  string
	Product string // UUID; empty when the service has none of this folder
	// Recorded says that the state file knew the product already.
	Recorded bool
	// Published says that the service holds exactly the folder's frames, so that nothing will be uploaded.
	Published bool
	Reason    string // why not
	// Failed says that the folder or the service could not be read, so that nothing is recorded for the folder.
	Failed bool
}

// Rebuild makes the records of a lost state file anew from the service and the folders: it looks for each folder's product,
// compares the source files on the service with the folder's, and records what is there. It uploads nothing and changes
// nothing on the service. A folder that cannot be looked at does not keep the others from it. It is for a daemon that does not run.
func (d *Daemon) Rebuild(ctx context.Context, report func(Rebuilt)) error {
	watching, cancel := context.WithCancel(ctx)
	var watcher sync.WaitGroup
	defer watcher.Wait()
	defer cancel()
	watcher.Go(func() { d.watcher.Run(watching) })
	if err := d.observe(ctx); err != nil {
		return err
	}
	d.rememberVolumes()
	failed := 0
	for _, status := range d.Status().Products {
		found, err := d.rebuildFolder(ctx, status.Key())
		if broken := cmp.Or(ctx.Err(), d.store.Err()); broken != nil {
			return broken
		}
		if err != nil {
			found.Failed, found.Reason = true, err.Error()
			failed++
		}
		report(found)
	}
	if failed > 0 {
		return fmt.Errorf("%d of the product folders could not be looked at", failed)
	}
	return nil
}

func (d *Daemon) rebuildFolder(ctx context.Context, key syncstate.Folder) (Rebuilt, error) {
	found := Rebuilt{Root: key.Root, Folder: key.Path}
	snapshot, err := d.watcher.Look(ctx, key.Root, key.Path)
	if errors.Is(err, fs.ErrNotExist) {
		found.Reason = "the folder is gone"
		return found, nil
	}
	if err != nil {
		return found, err
	}
	j := &job{d: d, key: key, root: d.roots[key.Root], snapshot: stilled(snapshot)}
	s, err := j.scene()
	if err != nil {
		return found, err
	}
	switch {
	case s.record.Product.UUID != "" && (s.record.Published != nil || s.record.Run != nil):
		return d.rebuiltBefore(ctx, s.record, found)
	case s.mistake != "":
		found.Reason = s.mistake
		return found, nil
	}
	return j.rebuild(ctx, s, found)
}

// rebuiltBefore is for a folder that the state file knows. What a file from a backup tells counts until it is held against the
// service.
func (d *Daemon) rebuiltBefore(ctx context.Context, record syncstate.Record, found Rebuilt) (Rebuilt, error) {
	found.Product, found.Recorded, found.Reason = record.Product.UUID, true, "it is recorded already"
	switch {
	case record.Trouble != nil:
		found.Reason += "; " + record.Trouble.Reason
		return found, nil
	case record.Restored:
		found.Published = record.Published != nil
		return found, nil
	}
	key := syncstate.Folder{Root: found.Root, Path: found.Folder}
	preview, err := d.previewFolder(ctx, key, map[syncstate.Folder]bool{})
	switch preview.Does {
	case "nothing", string(update), string(describe), string(Paused):
		found.Published = record.Published != nil && record.Run == nil
	default:
		found.Reason += "; " + preview.Detail
	}
	return found, err
}

func (j *job) rebuild(ctx context.Context, s scene, found Rebuilt) (Rebuilt, error) {
	if s.record.Product.UUID != "" { // of a record that was damaged the product is left
		return j.compare(ctx, s.record.Project, s.record.Product, found)
	}
	project, err := j.theOne(j.lookForProject(ctx, s.wanted.project))
	if err != nil {
		return found.because("", err)
	}
	if project != "" {
		products, err := j.lookForProduct(ctx, syncstate.Intent{Title: s.wanted.title, SKU: s.wanted.sku, Project: project}, false)
		product, err := j.theOne(uuidsOf(products), err)
		switch {
		case err != nil:
			return found.because("", err)
		case product != "":
			return j.compare(ctx, syncstate.Project{UUID: project, Title: s.wanted.project}, products[0], found)
		}
	}
	return j.rebuildFromElsewhere(ctx, s, project, found)
}

// rebuildFromElsewhere looks for the product of a folder that was moved to another project after its view was made, which stayed
// where it was. Nothing but the folder's own photos proves that it is the same.
func (j *job) rebuildFromElsewhere(ctx context.Context, s scene, own string, found Rebuilt) (Rebuilt, error) {
	projects, err := j.d.client.Projects(ctx)
	if err != nil {
		return found, err
	}
	for _, project := range projects {
		if project.UUID == own {
			continue
		}
		products, err := j.lookForProduct(ctx, syncstate.Intent{Title: s.wanted.title, SKU: s.wanted.sku, Project: project.UUID}, true)
		if err != nil {
			return found, err
		}
		for _, product := range products {
			published, _, err := j.recognise(ctx, product.UUID)
			if err != nil {
				return found, err
			}
			if published != nil {
				return j.recordFound(syncstate.Project{UUID: project.UUID, Title: project.Title}, product, published, found)
			}
		}
	}
	if own == "" {
		return found.because("no project of this title", nil)
	}
	return found.because("no product of this SKU and title", nil)
}

// compare records the folder's product, and what is published if the service holds exactly the folder's frames.
func (j *job) compare(ctx context.Context, project syncstate.Project, product syncstate.Product, found Rebuilt) (Rebuilt, error) {
	published, doubt, err := j.recognise(ctx, product.UUID)
	if err != nil {
		return found, err
	}
	found.Reason = doubt
	return j.recordFound(project, product, published, found)
}

func (j *job) recordFound(project syncstate.Project, product syncstate.Product, published *syncstate.Published, found Rebuilt) (Rebuilt, error) {
	found.Product, found.Published = product.UUID, published != nil
	return found, j.ownProduct(product.UUID, func(r *syncstate.Record) {
		r.Project, r.Product, r.Published, r.AltIntent, r.AltLate = project, product, published, nil, nil
		if published != nil {
			r.Outline = ""
			tellRecorded(r, Published)
		}
	})
}

// because tells a person's matter as the reason and passes other errors on.
func (r Rebuilt) because(reason string, err error) (Rebuilt, error) {
	if errors.As(err, new(personal)) {
		r.Reason = err.Error()
		return r, nil
	}
	r.Reason = reason
	return r, err
}

func (j *job) theOne(uuids []string, err error) (string, error) {
	if err == nil && len(uuids) > 1 {
		err = needsPerson("%d of this name on the service; rename or delete all but one", len(uuids))
	}
	if err != nil || len(uuids) == 0 {
		return "", err
	}
	return uuids[0], nil
}

// recognise tells what is published if the service holds exactly the folder's frames. Otherwise it says what differs, and the
// next pass uploads the folder to the same product. Whose the alt texts are nobody knows: they count as those of others.
func (j *job) recognise(ctx context.Context, product string) (published *syncstate.Published, doubt string, err error) {
	if err := j.readFrames(ctx, j.snapshot.Frames, true); err != nil {
		return nil, "", err
	}
	s, err := j.scene()
	if err != nil {
		return nil, "", err
	}
	g := s.gather()
	if g.problem != "" || len(g.unsettled()) > 0 || g.count() == 0 {
		return nil, first(g.problem, "the folder is not complete"), nil
	}
	status, err := j.status(ctx, product)
	if err != nil {
		return nil, "", err
	}
	images, err := j.d.client.Images(ctx, product)
	if err != nil {
		return nil, "", err
	}
	run := j.asRun(g, status.SourceRevision)
	if !status.Finished() {
		return nil, "the service is still processing it", nil
	}
	if doubt := doubtful(images, run); doubt != "" {
		return nil, doubt, nil
	}
	if doubt, err := j.compareSources(ctx, product, run); doubt != "" || err != nil {
		return nil, doubt, err
	}
	s.record.Run = run
	published = j.published(s, images)
	published.Found = true
	return published, "", nil
}

// asRun is the run that would have published the folder as it stands.
func (j *job) asRun(g gathering, revision int64) *syncstate.Run {
	run := &syncstate.Run{Finished: revision + 1, Images: g.count(), Marker: markerOf(j.snapshot)}
	for _, f := range g.whole {
		r := j.readings[f.Name]
		run.Frames = append(run.Frames, syncstate.RunFrame{
			File: identity(f), Stored: otherName(g.stored[f.Name], f.Name), Digest: r.digest, Captured: r.captured, Uploaded: true,
		})
	}
	return run
}

// compareSources downloads the product's source files (interface 4.11) and compares them with the folder's by digest.
func (j *job) compareSources(ctx context.Context, product string, run *syncstate.Run) (doubt string, err error) {
	archive, err := os.CreateTemp("", "spinsync-sources-*.zip")
	if err != nil {
		return "", err
	}
	_ = os.Remove(archive.Name()) // where an open file may be removed, so that not even a kill leaves it behind
	defer os.Remove(archive.Name())
	defer archive.Close()
	size, err := j.d.client.DownloadSources(ctx, product, &bounded{archive, largestArchive(run)})
	var remote *apiclient.Error
	switch {
	case errors.Is(err, errTooMuch):
		return "its source files are larger than the folder's", nil
	case errors.As(err, &remote) && !remote.Temporary():
		return "its source files cannot be had: " + err.Error(), nil
	case err != nil:
		return "", err
	}
	sources, err := zip.NewReader(archive, size)
	if err != nil {
		return "its source files are no ZIP: " + err.Error(), nil
	}
	return compareArchive(sources, run)
}

// largestArchive is how long a ZIP of exactly the run's frames may be, however it is packed.
func largestArchive(run *syncstate.Run) int64 {
	const overhead = 4 << 10 // of each frame, and of the whole
	size := int64(overhead)
	for _, f := range run.Frames {
		size += f.Size + f.Size/64 + overhead
	}
	return size
}

var errTooMuch = errors.New("more is written than there is room for")

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

func compareArchive(sources *zip.Reader, run *syncstate.Run) (doubt string, err error) {
	digests := map[string][]byte{}
	sizes := map[string]int64{}
	for _, f := range run.Frames {
		name := storedName(f.Stored, f.Name)
		digests[name], sizes[name] = f.Digest, f.Size
	}
	for _, file := range sources.File {
		if file.FileInfo().IsDir() {
			continue
		}
		name := path.Base(file.Name)
		want, ok := digests[name]
		if !ok {
			return fmt.Sprintf("the service holds %s, the folder does not", show(name)), nil
		}
		got, err := digestOfSource(file, sizes[name])
		if err != nil {
			return fmt.Sprintf("source file %s: %v", show(name), err), nil
		}
		if !bytes.Equal(got, want) {
			return fmt.Sprintf("%s has another content on the service", show(name)), nil
		}
		delete(digests, name)
	}
	if len(digests) > 0 {
		return fmt.Sprintf("the service lacks %s", frames(len(digests))), nil
	}
	return "", nil
}

// digestOfSource reads no more than the file that is expected, whatever the archive unpacks to.
func digestOfSource(file *zip.File, size int64) ([]byte, error) {
	content, err := file.Open()
	if err != nil {
		return nil, err
	}
	defer content.Close()
	digest := sha256.New()
	if _, err := io.Copy(digest, io.LimitReader(content, size+1)); err != nil {
		return nil, err
	}
	return digest.Sum(nil), nil
}
