package sandbox

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"
)

// tx is a transaction at one instant.
type tx struct {
	*bolt.Tx
	now     time.Time
	journal bool
	// dropped are blobs that nothing names once the transaction is committed.
	dropped []string
}

func (s *store) view(read func(*tx) error) error {
	return s.db.View(func(btx *bolt.Tx) error { return read(&tx{Tx: btx, now: time.Now().UTC()}) })
}

// update runs write in a transaction. Files go only after the commit, so that a kill leaves too
// many, never too few.
func (s *store) update(write func(*tx) error) error {
	var dropped []string
	err := s.db.Update(func(btx *bolt.Tx) error {
		t := &tx{Tx: btx, now: time.Now().UTC(), journal: s.opts.Journal}
		err := write(t)
		dropped = t.dropped
		return err
	})
	if err != nil {
		return err
	}
	for _, blob := range dropped {
		if err := s.files.remove(blob); err != nil {
			s.opts.Log.Warn("a file that is no longer needed stays until the next start", "error", err)
		}
	}
	return nil
}

// project returns nil for an unknown one.
func (t *tx) project(uuid string) (*project, error) {
	return get[project](t.Bucket(bucketProjects), []byte(uuid))
}

// productIfThere returns nil for an unknown one.
func (t *tx) productIfThere(uuid string) (*product, error) {
	return get[product](t.Bucket(bucketProducts), []byte(uuid))
}

// product refuses the request for an unknown one.
func (t *tx) product(uuid string) (*product, error) {
	p, err := t.productIfThere(uuid)
	if err == nil && p == nil {
		err = refuse(http.StatusNotFound, "there is no such product")
	}
	return p, err
}

func (t *tx) projects() ([]*project, error) {
	all, err := list[project](t.Bucket(bucketProjects), nil)
	slices.SortFunc(all, func(a, b *project) int { return cmp.Compare(a.Seq, b.Seq) })
	return all, err
}

func (t *tx) products() ([]*product, error) {
	all, err := list[product](t.Bucket(bucketProducts), nil)
	slices.SortFunc(all, func(a, b *product) int { return cmp.Compare(a.Seq, b.Seq) })
	return all, err
}

func (t *tx) putProject(p *project) error { return put(t.Bucket(bucketProjects), []byte(p.UUID), p) }

func (t *tx) putProduct(p *product) error { return put(t.Bucket(bucketProducts), []byte(p.UUID), p) }

// images returns the images of one revision in their order.
func (t *tx) images(product string, revision uint64) ([]*image, error) {
	return list[image](t.Bucket(bucketImages), revisionKey(product, revision))
}

func (t *tx) putImage(i *image) error { return put(t.Bucket(bucketImages), i.key(), i) }

// uploads returns the files stored under a form, in the bytewise order of their names.
func (t *tx) uploads(f form) ([]*upload, error) {
	return list[upload](t.Bucket(bucketUploads), []byte(f.Path+"/"))
}

func (t *tx) revisions(product string) ([]*revision, error) {
	return list[revision](t.Bucket(bucketRevisions), []byte(product))
}

func (t *tx) putRevision(product string, r *revision) error {
	return put(t.Bucket(bucketRevisions), revisionKey(product, r.Stage.Revision), r)
}

// dropUploads removes the files of a form that will never be finished.
func (t *tx) dropUploads(f form) error {
	stored, err := t.uploads(f)
	if err != nil {
		return err
	}
	for _, u := range stored {
		t.dropped = append(t.dropped, u.Blob)
	}
	return remove(t.Bucket(bucketUploads), []byte(f.Path+"/"))
}

// dropImages removes the images of a revision that is no longer shown, and their ids.
func (t *tx) dropImages(product string, revision uint64) error {
	images, err := t.images(product, revision)
	if err != nil {
		return err
	}
	for _, i := range images {
		t.dropped = append(t.dropped, i.File.Blob)
		if err := t.Bucket(bucketIDs).Delete(numberKey(uint64(i.ID))); err != nil {
			return err
		}
	}
	return remove(t.Bucket(bucketImages), revisionKey(product, revision))
}

// blobs returns the names of all files that are in use.
func (t *tx) blobs() (map[string]bool, error) {
	uploads, err := list[upload](t.Bucket(bucketUploads), nil)
	if err != nil {
		return nil, err
	}
	images, err := list[image](t.Bucket(bucketImages), nil)
	if err != nil {
		return nil, err
	}
	known := make(map[string]bool, len(uploads)+len(images))
	for _, u := range uploads {
		known[u.Blob] = true
	}
	for _, i := range images {
		known[i.File.Blob] = true
	}
	return known, nil
}
