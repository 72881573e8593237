package sandbox

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"mime"
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
	r.Body = http.MaxBytesReader(w, r.Body, h.opts.MaxFile+maxOverhead)
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
	if err := checkUpload(r); err != nil {
		return nil, err
	}
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, malformed(err)
	}
	fields, file, err := h.readFields(parts)
	if err != nil {
		return nil, err
	}
	fields["bucket"] = h.host(r)
	policy, err := h.checkForm(fields)
	if err != nil {
		return nil, err
	}
	u, err := h.receiveFile(parts, file, policy)
	if err != nil {
		return nil, err
	}
	done := &stored{upload: u, key: fields["key"]}
	done.Type = fields["Content-Type"]
	return done, h.update(func(tx *tx) error { return tx.bind(done) })
}

// checkUpload sees to what an upload has beside its form.
func checkUpload(r *http.Request) error {
	switch {
	case r.Header.Get("Authorization") != "":
		return badForm("only one way of authorisation is allowed, and the form has one")
	case r.Header.Get("Cookie") != "":
		return badForm("a cookie has no place here")
	case r.URL.RawQuery != "":
		return badForm("a query has no place here")
	case r.ContentLength < 0:
		return &storeError{http.StatusLengthRequired, "MissingContentLength", "the length of the request is not told"}
	}
	return nil
}

// readFields reads the fields of interface 4.3 in its order, up to the file.
func (h uploadHost) readFields(parts *multipart.Reader) (map[string]string, *multipart.Part, error) {
	fields := map[string]string{}
	room := maxFields
	for _, name := range []string{"key", "acl", h.opts.Shapes.AccessKeyField, "Policy", "Signature", "Content-Type"} {
		part, err := nextPart(parts, name)
		if err != nil {
			return nil, nil, err
		}
		value, err := io.ReadAll(io.LimitReader(part, int64(room)+1))
		if err != nil {
			return nil, nil, malformed(err)
		}
		if room -= len(value); room < 0 {
			return nil, nil, &storeError{http.StatusBadRequest, "MaxPostPreDataLengthExceeded",
				"the fields before the file are too long"}
		}
		fields[name] = string(value)
	}
	file, err := nextPart(parts, "file")
	return fields, file, err
}

// nextPart returns the next part of a form, which must have this name.
func nextPart(parts *multipart.Reader, name string) (*multipart.Part, error) {
	part, err := parts.NextRawPart()
	switch {
	case err == io.EOF:
		return nil, badForm("the form ends before its field " + name)
	case err != nil:
		return nil, malformed(err)
	case part.FormName() != name || (part.FileName() != "") != (name == "file"):
		return nil, badForm(fmt.Sprintf("%q stands in the place of the field %s", part.FormName(), name))
	}
	return part, nil
}

// checkForm returns the policy that allows the form.
func (h uploadHost) checkForm(fields map[string]string) (*policy, error) {
	policy, err := h.owner().authorise(fields, h.opts.Shapes.AccessKeyField)
	if err != nil {
		return nil, err
	}
	return policy, cmp.Or(
		policy.checkAge(time.Now()), policy.check(fields),
		checkKey(fields["key"]), checkType(fields["Content-Type"]),
	)
}

// checkKey refuses a key that is no path of a form with one name below it.
func checkKey(key string) error {
	switch {
	case len(key) > maxKeySize:
		return &storeError{http.StatusBadRequest, "KeyTooLongError", "the key is longer than 1024 bytes"}
	case !utf8.ValidString(key) || strings.ContainsFunc(key, unicode.IsControl) || strings.Contains(key, `\`):
		return badForm("the key holds control characters, a backslash or bytes that are not UTF-8")
	case path.Clean(key) != key || strings.Count(key, "/") != keyDepth || strings.Contains(key, "${"):
		return badForm("the key is not the path of a form with a plain file name below it")
	}
	return nil
}

// checkType takes the media types of photos and videos.
func checkType(mediaType string) error {
	kind, _, err := mime.ParseMediaType(mediaType)
	if err != nil || kind != mediaType || !strings.HasPrefix(kind, "image/") && !strings.HasPrefix(kind, "video/") {
		return badForm(fmt.Sprintf("%q is not the media type of a photo or video", mediaType))
	}
	return nil
}

// receiveFile stores the content of the file, of an allowed size, and reads the request to its end.
func (h uploadHost) receiveFile(parts *multipart.Reader, file io.Reader, p *policy) (upload, error) {
	u, err := h.files.receive(io.LimitReader(file, h.opts.MaxFile+1))
	if err != nil {
		return u, incomplete(err)
	}
	if err := h.checkArrived(parts, u.Size, p); err != nil {
		return u, errors.Join(err, h.files.remove(u.Blob))
	}
	return u, nil
}

func (h uploadHost) checkArrived(parts *multipart.Reader, size int64, p *policy) error {
	switch {
	case size > h.opts.MaxFile:
		return &storeError{http.StatusBadRequest, "EntityTooLarge",
			fmt.Sprintf("the file is larger than the %d bytes allowed", h.opts.MaxFile)}
	case size == 0:
		return &storeError{http.StatusBadRequest, "EntityTooSmall", "the file is empty"}
	}
	if _, err := parts.NextRawPart(); err == nil {
		return badForm("a field follows the file, which must be the last")
	} else if err != io.EOF { // a wrapped one is of a form that is not whole
		return incomplete(err)
	}
	if h.opts.Shapes.ExpiryAtEnd {
		return p.checkAge(time.Now())
	}
	return nil
}

// bind stores an upload under the open form that its key belongs to. A store takes every file whose
// policy is valid, but under a form that was replaced, finished or deleted it can become no image.
func (t *tx) bind(s *stored) error {
	uuid, _, _ := strings.Cut(s.key, "/")
	p, err := t.productIfThere(uuid)
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
