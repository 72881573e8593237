package sandbox

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"
)

// The state file, sandbox.db. Numbers in keys are big-endian, values are JSON.
//
//	meta
//	  version  2
//	  account  account
//	projects
//	  <uuid>                         → project
//	products
//	  <uuid>                         → product
//	embeds
//	  <embed id>                     → UUID of the product
//	uploads                            files of forms that are still open
//	  <key of the upload>            → upload
//	revisions
//	  <product><revision>            → revision
//	images                             of the newest revision, and of the revision shown
//	                                   until it is ready
//	  <product><revision><position>  → image
//	ids
//	  <image id>                     → key below images
//	journal
//	  <n>                            → Entry
var (
	bucketMeta      = []byte("meta")
	bucketProjects  = []byte("projects")
	bucketProducts  = []byte("products")
	bucketEmbeds    = []byte("embeds")
	bucketUploads   = []byte("uploads")
	bucketRevisions = []byte("revisions")
	bucketImages    = []byte("images")
	bucketIDs       = []byte("ids")
	bucketJournal   = []byte("journal")

	keyVersion = []byte("version")
	keyAccount = []byte("account")
)

const stateVersion = 2

// account is what a sandbox keeps for its whole life, so that links and upload forms outlive a
// restart.
type account struct {
	UUID        string // in media URLs
	AccessKeyID string
	Secret      []byte // signs upload policies
}

// project is a Project of interface section 2.
type project struct {
	UUID, Title string
	Created     time.Time
	Seq         uint64 // lists are in this order
}

// product is a Product of interface section 2 and how far it is.
type product struct {
	UUID, Title, SKU, Manufacturer, Year string
	Project                              string
	Created                              time.Time
	Seq                                  uint64 // lists are in this order
	EmbedID                              string
	StorageVersion                       int
	Form                                 form
	Newest                               *stage // nil before the first 4.4
	// Before is the finished stage when Newest was closed, shown until that is ready.
	Before *stage
}

// form is the newest upload form issued for a product. Its number is that of the revision it will
// become.
type form struct {
	Revision  uint64
	Path      string
	Announced int // images, in the client's request
	Closed    bool
}

// stage is when a revision was closed and when its processing ends.
type stage struct {
	Revision        uint64
	Uploaded, Ready time.Time
}

// upload is one stored file of an open form.
type upload struct {
	Name   string // below the form's path
	Blob   string // name of the file that holds the content
	Type   string // media type, in the client's form
	Size   int64
	SHA256 string
	Stored time.Time
}

// revision is what one 4.4 closed. It is kept when its images are gone.
type revision struct {
	Stage    stage
	Replaced bool // by a newer one before it was ready, so that it never finished
	Files    []File
}

// image is an Image of interface section 2 and the file behind it.
type image struct {
	File     upload
	ID       int64
	Product  string
	Revision uint64
	Ordial   int
	Source   string
	Row      int
	Group    string
	AltTexts map[string]string
}

func (a account) withNewKey() account {
	a.AccessKeyID, a.Secret = "SBX"+rand.Text(), []byte(rand.Text())
	return a
}

// get reads a value, or nil when there is none.
func get[T any](b *bolt.Bucket, key []byte) (*T, error) {
	data := b.Get(key)
	if data == nil {
		return nil, nil
	}
	value := new(T)
	if err := json.Unmarshal(data, value); err != nil {
		return nil, fmt.Errorf("stored value %q: %w", key, err)
	}
	return value, nil
}

func put(b *bolt.Bucket, key []byte, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return b.Put(key, data)
}

// list reads the values whose keys begin with prefix, in the order of their keys.
func list[T any](b *bolt.Bucket, prefix []byte) ([]*T, error) {
	var values []*T
	cursor := b.Cursor()
	for key, data := cursor.Seek(prefix); key != nil && bytes.HasPrefix(key, prefix); key, data = cursor.Next() {
		value := new(T)
		if err := json.Unmarshal(data, value); err != nil {
			return nil, fmt.Errorf("stored value %q: %w", key, err)
		}
		values = append(values, value)
	}
	return values, nil
}

// remove deletes the keys that begin with prefix. It gathers them first, because deleting moves a
// cursor.
func remove(b *bolt.Bucket, prefix []byte) error {
	var keys [][]byte
	cursor := b.Cursor()
	for key, _ := cursor.Seek(prefix); key != nil && bytes.HasPrefix(key, prefix); key, _ = cursor.Next() {
		keys = append(keys, bytes.Clone(key))
	}
	for _, key := range keys {
		if err := b.Delete(key); err != nil {
			return err
		}
	}
	return nil
}

func numberKey(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func revisionKey(product string, revision uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte(product), revision)
}

func (i *image) key() []byte {
	return binary.BigEndian.AppendUint32(revisionKey(i.Product, i.Revision), uint32(i.Ordial))
}
