package sandbox

import "time"

// Effect is a kind of change.
type Effect string

// The effects in a journal.
const (
	ProjectCreated Effect = "project created"
	ProjectRemoved Effect = "project removed" // by RemoveProject
	ProductCreated Effect = "product created"
	ProductUpdated Effect = "product updated" // fields changed by 4.9
	FormIssued     Effect = "form issued"     // by 4.2, or by 4.9 with images
	FileStored     Effect = "file stored"
	Uploaded       Effect = "uploaded" // 4.4 closed a revision
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
	// Revision is that of the form or of the uploaded files.
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
	// Files are those of an uploaded revision, in their order.
	Files []File `json:",omitempty"`
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
func (s *Server) Journal() (all []Entry, err error) {
	err = s.store.view(func(tx *tx) error {
		noted, err := list[Entry](tx.Bucket(bucketJournal), nil)
		for _, e := range noted {
			all = append(all, *e)
		}
		return err
	})
	return all, err
}
