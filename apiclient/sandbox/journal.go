package sandbox

import (
	"cmp"
	"slices"
	"time"
)

// Effect is a kind of change.
type Effect string

// The effects that a journal tells.
const (
	ProjectCreated Effect = "project created"
	ProjectRemoved Effect = "project removed" // by RemoveProject
	ProductCreated Effect = "product created"
	ProductUpdated Effect = "product updated" // fields changed by 4.9
	FormIssued     Effect = "form issued"     // by 4.2, or by 4.9 with images
	FileStored     Effect = "file stored"
	Uploaded       Effect = "uploaded"  // 4.4 closed a revision
	Processed      Effect = "processed" // that revision is finished
	AltTextsSet    Effect = "alt texts set"
	ProductDeleted Effect = "product deleted"
)

// Entry is one effect. Fields that do not belong to its kind are zero.
type Entry struct {
	Time    time.Time
	Effect  Effect
	Project string `json:",omitempty"` // UUID
	Product string `json:",omitempty"` // UUID
	Title   string `json:",omitempty"`
	SKU     string `json:",omitempty"`
	// Revision is that of the form, the uploaded or the processed files.
	Revision uint64 `json:",omitempty"`
	// Images is how many were announced with the form.
	Images int `json:",omitempty"`
	// Path is that of the form.
	Path string `json:",omitempty"`
	// Key, File and Bound describe a stored file. It is bound when its form was open, so that it
	// can become an image.
	Key   string `json:",omitempty"`
	File  File   `json:",omitzero"`
	Bound bool   `json:",omitempty"`
	// Files are those of an uploaded or processed revision, in their order.
	Files []File `json:",omitempty"`
	// Ready is when an uploaded revision is processed, unless it is replaced or deleted before.
	Ready time.Time `json:",omitzero"`
	// Image and AltTexts are what 4.13 set.
	Image    int64             `json:",omitempty"`
	AltTexts map[string]string `json:",omitempty"`
}

// File is a stored source file.
type File struct {
	Name   string // below the form's path, as uploaded
	Type   string // media type
	Size   int64  // bytes
	SHA256 string // hexadecimal
}

// note appends an effect to the journal, if one is kept.
func (t *tx) note(e Entry) error {
	if !t.journal {
		return nil
	}
	e.Time = t.now
	bucket := t.Bucket(bucketJournal)
	n, err := bucket.NextSequence()
	if err != nil {
		return err
	}
	return put(bucket, numberKey(n), e)
}

// Journal returns every effect in its order. It is empty without Options.Journal.
func (s *Server) Journal() ([]Entry, error) {
	var noted []*Entry
	now := time.Now()
	err := s.view(func(tx *tx) (err error) {
		noted, err = list[Entry](tx.Bucket(bucketJournal), nil)
		now = tx.now
		return err
	})
	return withProcessed(noted, now), err
}

// withProcessed adds the ends of processing. They are not noted in the journal, because nothing
// happens at that instant.
func withProcessed(noted []*Entry, now time.Time) []Entry {
	var all []Entry
	processing := map[string]Entry{}
	for _, e := range noted {
		all = append(all, due(processing, e.Time)...)
		switch e.Effect {
		case Uploaded:
			processing[e.Product] = *e
		case ProductDeleted:
			delete(processing, e.Product)
		}
		all = append(all, *e)
	}
	return append(all, due(processing, now)...)
}

// due takes out the entries that are processed by then, in the order of the times.
func due(processing map[string]Entry, now time.Time) []Entry {
	var ended []Entry
	for product, e := range processing {
		if e.Ready.After(now) {
			continue
		}
		e.Effect, e.Time, e.Ready = Processed, e.Ready, time.Time{}
		ended = append(ended, e)
		delete(processing, product)
	}
	slices.SortFunc(ended, func(a, b Entry) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Product, b.Product))
	})
	return ended
}
