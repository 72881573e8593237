package sandbox

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"path"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Limits of S3 stores.
const (
	maxFields  = 20 << 10 // bytes of all fields before the file
	maxKeySize = 1024     // bytes
	// maxOverhead is how much longer than the largest file a request can be.
	maxOverhead = 1 << 20
	// maxDrain is how much of a refused request is still read, so that the sender hears the answer
	// instead of a reset.
	maxDrain = 64 << 20
)

// An uploadHost takes the files of views, as the forms allow.
type uploadHost struct{ *store }

// upload is 4.3: a form post as S3 stores take it.
func (h uploadHost) upload(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, arriving{r.Body}, h.opts.MaxFile+maxOverhead)
	stored, err := h.receive(r)
	if err != nil {
		io.CopyN(io.Discard, r.Body, maxDrain)
		return err
	}
	w.Header().Set("ETag", `"`+stored.SHA256+`"`)
	if status := h.opts.Shapes.UploadStatus; status == http.StatusCreated {
		replyXML(w, status, struct {
			XMLName   xml.Name `xml:"PostResponse"`
			Key, ETag string
		}{Key: stored.key, ETag: stored.SHA256})
	} else {
		w.WriteHeader(status)
	}
	return nil
}

// stored is an upload with its key.
type stored struct {
	upload
	key string
}

// receive reads a whole form and stores its file. A failure leaves nothing behind.
func (h uploadHost) receive(r *http.Request) (*stored, error) {
	if r.Header.Get("Authorization") != "" {
		return nil, badForm("only one way of authorisation is allowed, and the form has one")
	}
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, malformed(err)
	}
	fields, file, err := readFields(parts)
	if err != nil {
		return nil, err
	}
	policy, err := h.checkForm(fields)
	if err != nil {
		return nil, err
	}
	u, err := h.receiveFile(parts, file, policy)
	if err != nil {
		return nil, err
	}
	done := &stored{upload: u, key: fields["key"]}
	done.Type = fields["content-type"]
	return done, h.update(func(tx *tx) error { return tx.bind(done) })
}

// readFields reads the fields before the file, by their names in lower case, up to the file.
func readFields(parts *multipart.Reader) (fields map[string]string, file *multipart.Part, err error) {
	fields = map[string]string{}
	for room := maxFields; ; {
		part, err := parts.NextPart()
		switch {
		case err == io.EOF:
			return nil, nil, badForm("the form has no field file, which must be the last")
		case err != nil:
			return nil, nil, malformed(err)
		}
		name := strings.ToLower(part.FormName())
		if name == "file" {
			return withFileName(fields, part), part, nil
		}
		value, err := io.ReadAll(io.LimitReader(part, int64(room)+1))
		if err != nil {
			return nil, nil, malformed(err)
		}
		if room -= len(value) + len(name); room < 0 {
			return nil, nil, &storeError{http.StatusBadRequest, "MaxPostPreDataLengthExceeded",
				"the fields before the file are too long"}
		}
		fields[name] = string(value)
	}
}

// withFileName puts the file's own name where the key asks for it.
func withFileName(fields map[string]string, file *multipart.Part) map[string]string {
	if key, ok := fields["key"]; ok {
		fields["key"] = strings.ReplaceAll(key, "${filename}", path.Base(file.FileName()))
	}
	return fields
}

// checkForm returns the policy that allows the form.
func (h uploadHost) checkForm(fields map[string]string) (*policy, error) {
	keyField := h.opts.Shapes.AccessKeyField
	policy, err := h.owner().authorise(fields, keyField)
	if err != nil {
		return nil, err
	}
	if err := policy.checkAge(time.Now()); err != nil {
		return nil, err
	}
	if err := policy.check(fields, keyField); err != nil {
		return nil, err
	}
	return policy, checkKey(fields["key"])
}

// checkKey refuses keys that are no clean path, since they become names in ZIP files and URLs.
func checkKey(key string) error {
	switch {
	case len(key) > maxKeySize:
		return &storeError{http.StatusBadRequest, "KeyTooLongError", "the key is longer than 1024 bytes"}
	case !utf8.ValidString(key) || strings.ContainsFunc(key, unicode.IsControl) || strings.Contains(key, `\`):
		return badForm("the key holds control characters, a backslash or bytes that are not UTF-8")
	case path.Clean(key) != key:
		return badForm("the key is not a clean path")
	}
	return nil
}

// receiveFile stores the content of the file, of an allowed size, and reads the request to its end.
func (h uploadHost) receiveFile(parts *multipart.Reader, file io.Reader, p *policy) (upload, error) {
	smallest, largest := p.sizes(h.opts.MaxFile)
	u, err := h.files.receive(io.LimitReader(file, largest+1))
	if err != nil {
		return u, incomplete(err)
	}
	if err := h.checkArrived(parts, u.Size, smallest, largest, p); err != nil {
		return u, errors.Join(err, h.files.remove(u.Blob))
	}
	return u, nil
}

func (h uploadHost) checkArrived(parts *multipart.Reader, size, smallest, largest int64, p *policy) error {
	switch {
	case size > largest:
		return &storeError{http.StatusBadRequest, "EntityTooLarge",
			fmt.Sprintf("the file is larger than the %d bytes allowed", largest)}
	case size < smallest:
		return &storeError{http.StatusBadRequest, "EntityTooSmall",
			fmt.Sprintf("the file is smaller than the %d bytes required", smallest)}
	}
	if err := skipRest(parts); err != nil {
		return incomplete(err)
	}
	if h.opts.Shapes.ExpiryAtEnd {
		return p.checkAge(time.Now())
	}
	return nil
}

// skipRest ignores the fields behind the file, but finds out whether the form came whole: only then
// is the error io.EOF itself, and not a wrapping error.
func skipRest(parts *multipart.Reader) error {
	for {
		_, err := parts.NextRawPart()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}

// bind stores an upload under the open form that its key belongs to. A store takes every file whose
// policy is valid, but under a form that was replaced, finished or deleted it can become no image.
func (t *tx) bind(s *stored) error {
	uuid, _, _ := strings.Cut(s.key, "/")
	p, err := get[product](t.Bucket(bucketProducts), []byte(uuid))
	if err != nil {
		return err
	}
	entry := Entry{Effect: FileStored, Product: uuid, Key: s.key, File: s.file()}
	name, below := "", false
	if p != nil {
		entry.Revision = p.Form.Revision
		name, below = strings.CutPrefix(s.key, p.Form.Path+"/")
	}
	if entry.Bound = below && !p.Form.Closed; !entry.Bound {
		t.dropped = append(t.dropped, s.Blob)
		return t.note(entry)
	}
	s.Name, s.Stored = name, t.now
	entry.File.Name = name
	return errors.Join(t.replaceUpload(s), t.note(entry))
}

func (t *tx) replaceUpload(s *stored) error {
	uploads := t.Bucket(bucketUploads)
	old, err := get[upload](uploads, []byte(s.key))
	if err != nil {
		return err
	}
	if old != nil {
		t.dropped = append(t.dropped, old.Blob)
	}
	return put(uploads, []byte(s.key), s.upload)
}

func (u *upload) file() File {
	return File{Name: u.Name, Type: u.Type, Size: u.Size, SHA256: u.SHA256}
}
