package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
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

func denied(code, message string) error {
	return &refusal{http.StatusForbidden, code, []string{message}}
}

// unfit refuses what no form allows, badForm what is no form of interface 4.3.
func unfit(code, message string) error {
	return &refusal{http.StatusBadRequest, code, []string{message}}
}

func badForm(message string) error { return unfit("InvalidArgument", message) }

func noForm(err error) error {
	return badForm("the body of the POST request is not well-formed multipart/form-data: " + err.Error())
}

// incomplete refuses a request that broke off. A failure of our own disk names a file.
func incomplete(err error) error {
	if errors.As(err, new(*fs.PathError)) || errors.As(err, new(*os.LinkError)) {
		return err
	}
	return unfit("IncompleteBody", "the request ended before the form did")
}

// An uploadHost takes the files of views, as the forms allow.
type uploadHost struct {
	opts  Options
	store *store
}

// upload is 4.3: a form post as S3 stores take it.
func (h uploadHost) upload(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, h.opts.MaxFile+maxOverhead)
	u, err := h.receive(r)
	if err != nil {
		io.CopyN(io.Discard, r.Body, maxDrain)
		return err
	}
	w.Header().Set("ETag", `"`+u.SHA256+`"`)
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// receive reads a whole form and stores its file. A failure leaves nothing behind.
func (h uploadHost) receive(r *http.Request) (u upload, err error) {
	if err := checkUpload(r); err != nil {
		return u, err
	}
	parts, err := r.MultipartReader()
	if err != nil {
		return u, noForm(err)
	}
	form, file, err := readForm(parts)
	if err != nil {
		return u, err
	}
	if err := h.checkForm(form, h.opts.host(r)); err != nil {
		return u, err
	}
	if u, err = h.receiveFile(parts, file); err != nil {
		return u, err
	}
	u.Type = form.mediaType
	return u, h.store.update(func(tx *tx) error { return tx.bind(form.key, u) })
}

// checkUpload checks what an upload has in addition to its form.
func checkUpload(r *http.Request) error {
	switch {
	case r.Header.Get("Authorization") != "":
		return badForm("only one way of authorisation is allowed, and the form has one")
	case r.Header.Get("Cookie") != "":
		return badForm("a cookie has no place here")
	case r.URL.RawQuery != "":
		return badForm("a query has no place here")
	case r.ContentLength < 0:
		return badForm("the request does not have its length")
	}
	return nil
}

// A postForm is the fields of interface 4.3 before the file.
type postForm struct{ key, acl, accessKeyID, policy, signature, mediaType string }

// readForm reads the fields in their order, up to the file.
func readForm(parts *multipart.Reader) (f postForm, file *multipart.Part, err error) {
	room := int64(maxFields)
	for _, field := range []struct {
		name  string
		value *string
	}{
		{"key", &f.key}, {"acl", &f.acl}, {accessKeyField, &f.accessKeyID}, {"Policy", &f.policy},
		{"Signature", &f.signature}, {"Content-Type", &f.mediaType},
	} {
		part, err := nextPart(parts, field.name)
		if err != nil {
			return f, nil, err
		}
		value, err := io.ReadAll(io.LimitReader(part, room+1))
		if err != nil {
			return f, nil, noForm(err)
		}
		if room -= int64(len(value)); room < 0 {
			return f, nil, badForm("the fields before the file are too long")
		}
		*field.value = string(value)
	}
	file, err = nextPart(parts, "file")
	return f, file, err
}

// nextPart returns the next part of a form, which must have this name.
func nextPart(parts *multipart.Reader, name string) (*multipart.Part, error) {
	part, err := parts.NextRawPart()
	switch {
	case err == io.EOF:
		return nil, badForm("the form ends before its field " + name)
	case err != nil:
		return nil, noForm(err)
	case part.FormName() != name || (part.FileName() != "") != (name == "file"):
		return nil, badForm(fmt.Sprintf("%q stands in the place of the field %s", part.FormName(), name))
	}
	return part, nil
}

// checkForm refuses a form that its policy does not allow.
func (h uploadHost) checkForm(f postForm, host string) error {
	policy, err := h.store.owner().authorise(f)
	if err != nil {
		return err
	}
	return cmp.Or(
		policy.checkAge(time.Now()), policy.check(f, host), checkKey(f.key), checkType(f.mediaType),
	)
}

// checkKey refuses a key that is no path of a form with one name below it.
func checkKey(key string) error {
	switch {
	case len(key) > maxKeySize:
		return unfit("KeyTooLongError", "the key is longer than 1024 bytes")
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
func (h uploadHost) receiveFile(parts *multipart.Reader, file io.Reader) (upload, error) {
	u, err := h.store.files.receive(io.LimitReader(file, h.opts.MaxFile+1))
	if err != nil {
		return u, incomplete(err)
	}
	if err := h.checkArrived(parts, u.Size); err != nil {
		return u, errors.Join(err, h.store.files.remove(u.Blob))
	}
	return u, nil
}

func (h uploadHost) checkArrived(parts *multipart.Reader, size int64) error {
	switch {
	case size > h.opts.MaxFile:
		return unfit("EntityTooLarge", fmt.Sprintf("the file is larger than the %d bytes allowed", h.opts.MaxFile))
	case size == 0:
		return unfit("EntityTooSmall", "the file is empty")
	}
	if _, err := parts.NextRawPart(); err == nil {
		return badForm("a field follows the file, which must be the last")
	} else if err != io.EOF { // a wrapped one is of a form that is not whole
		return incomplete(err)
	}
	return nil
}

// bind stores an upload under the open form that its key belongs to. A store takes every file whose
// policy is valid, but under a form that was replaced, finished or deleted it can become no image.
func (t *tx) bind(key string, u upload) error {
	uuid, _, _ := strings.Cut(key, "/")
	p, err := t.productIfThere(uuid)
	if err != nil {
		return err
	}
	entry := Entry{Effect: FileStored, Product: uuid, Key: key, File: u.file()}
	name, below := "", false
	if p != nil {
		entry.Revision = p.Form.Revision
		name, below = strings.CutPrefix(key, p.Form.Path+"/")
	}
	if entry.Bound = below && !p.Form.Closed; !entry.Bound {
		t.dropped = append(t.dropped, u.Blob)
		return t.note(entry)
	}
	u.Name, u.Stored = name, t.now
	entry.File.Name = name
	return errors.Join(t.replaceUpload(key, u), t.note(entry))
}

func (t *tx) replaceUpload(key string, u upload) error {
	uploads := t.Bucket(bucketUploads)
	old, err := get[upload](uploads, []byte(key))
	if err != nil {
		return err
	}
	if old != nil {
		t.dropped = append(t.dropped, old.Blob)
	}
	return put(uploads, []byte(key), u)
}

func (u *upload) file() File {
	return File{Name: u.Name, Type: u.Type, Size: u.Size, SHA256: u.SHA256}
}
