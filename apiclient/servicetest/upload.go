package servicetest

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"spinsync/apiclient/sandbox"
)

// A form is a permission to upload files of one product.
type form struct {
	product  *product
	path     string
	policy   string
	sign     string
	key      string // access_key_id
	images   int    // announced
	revision uint64
	expires  time.Time
	files    map[string]sandbox.File // by name below the path
}

const acl = "private"

// newForm announces images of a product. A form from before stays valid, and what comes with it
// becomes no image.
func (s *stock) newForm(p *product, images int) object {
	p.issued++
	f := &form{
		product: p, images: images, revision: s.nextRevision(p), expires: time.Now().Add(s.options.FormLifetime),
		path: fmt.Sprintf(s.habits.FormPath, p.uuid, p.issued, s.habits.Row),
		sign: s.newUUID(), key: "K" + s.newUUID()[:12], files: map[string]sandbox.File{},
	}
	f.policy = s.policy(f)
	p.form, p.raised, s.forms[f.policy] = f, f.revision, f
	s.note(p, sandbox.Entry{Effect: sandbox.FormIssued, Revision: f.revision, Images: images, Path: f.path})
	return object{
		"uuid": p.uuid, "title": p.title, "path": f.path, "policy": f.policy, "signature": f.sign,
		"hostname": fmt.Sprintf(s.habits.HostAs, s.uploadHost), "access_key_id": f.key, "acl": acl,
	}
}

// policy is the signed text: opaque, or as real stores write it.
func (s *stock) policy(f *form) string {
	if !s.habits.OpenPolicy {
		return s.newUUID() + "+/=" + s.newUUID()
	}
	conditions := []any{
		object{"bucket": "views"}, object{"acl": acl}, []string{"starts-with", "$key", f.path + "/"},
		[]string{"starts-with", "$Content-Type", ""}, []any{"content-length-range", 1, 1 << 30},
	}
	if s.habits.NamesField {
		conditions = append(conditions, object{s.habits.KeyField: f.key})
	}
	text, err := json.Marshal(object{"expiration": s.habits.written(f.expires), "conditions": conditions})
	if err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(text)
}

// receive takes a file (4.3).
func (s *Server) receive(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	values, file, err := s.readForm(r)
	if err == nil {
		s.mu.Lock()
		err = s.stock.store(values, file, began)
		s.mu.Unlock()
	}
	var why *refusal
	switch {
	case err == nil:
		w.Header().Set("ETag", `"`+file.SHA256+`-1"`)
		w.WriteHeader(s.habits.Stored)
		if s.habits.Stored == http.StatusCreated {
			fmt.Fprintf(w, "<?xml version=\"1.0\"?>\n<PostResponse><Key>%s</Key></PostResponse>", values["key"])
		}
	case errors.As(err, &why):
		if why.wrong {
			s.note(r, why)
		}
		s.refuseFile(w, why)
	default: // the sender is gone
		panic(http.ErrAbortHandler)
	}
}

// readForm reads a form whose fields have the order of 4.3, with nothing else and nothing after the
// file.
func (s *Server) readForm(r *http.Request) (values map[string]string, file sandbox.File, err error) {
	if err := checkUpload(r); err != nil {
		return nil, file, err
	}
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, file, wrong("it is no form: %v", err)
	}
	values = map[string]string{}
	for _, name := range []string{"key", "acl", s.habits.KeyField, "Policy", "Signature", "Content-Type"} {
		if values[name], err = s.readField(parts, name); err != nil {
			return nil, file, err
		}
	}
	part, err := parts.NextRawPart()
	if err != nil {
		return nil, file, torn(err)
	}
	if part.FormName() != "file" || part.FileName() == "" {
		return nil, file, wrong("%q stands in the place of the file", part.FormName())
	}
	if file, err = s.readFile(part); err != nil {
		return nil, file, err
	}
	if rest, err := parts.NextRawPart(); err == nil {
		return nil, file, wrong("%s follows the file", rest.FormName())
	} else if err != io.EOF {
		return nil, file, torn(err)
	}
	return values, file, nil
}

// checkUpload checks what an upload must have in addition to its form.
func checkUpload(r *http.Request) error {
	switch {
	case r.Method != http.MethodPost:
		return wrong("files are sent with POST")
	case r.URL.RawQuery != "":
		return wrong("it has a query")
	case r.Header.Get("Authorization") != "":
		return wrong("it carries credentials")
	case r.ContentLength < 0:
		return wrong("it does not have its length")
	}
	return checkForeignHeaders(r.Header)
}

// readField reads the next field, which must have this name. That a client tries the names which
// vendors give the access key is no fault: they are not shown.
func (s *Server) readField(parts *multipart.Reader, name string) (string, error) {
	const most = 20 << 10
	part, err := parts.NextRawPart()
	if err != nil {
		return "", fmt.Errorf("%w at field %s", torn(err), name)
	}
	value, err := io.ReadAll(io.LimitReader(part, most))
	switch got := part.FormName(); {
	case err != nil:
		return "", err
	case got == name && part.FileName() == "" && len(value) < most:
		return string(value), nil
	case name == s.habits.KeyField && strings.Contains(got, "Access") && strings.HasSuffix(got, "Id"):
		return "", denied("Extra input fields: " + got)
	default:
		return "", wrong("%q stands in the place of %s", got, name)
	}
}

// denied is a refusal in the words of a store.
func denied(why string) error {
	return &refusal{text: "AccessDenied: " + why, status: http.StatusForbidden}
}

// torn is why no further part could be read: a form that is not whole, or one whose sender is gone.
func torn(err error) error {
	if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return wrong("its form is not whole: %v", err)
	}
	return err
}

func (s *Server) readFile(part *multipart.Part) (sandbox.File, error) {
	content, err := io.ReadAll(part)
	if err != nil {
		return sandbox.File{}, err
	}
	sum := sha256.Sum256(content)
	file := sandbox.File{Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stock.contents[file.SHA256] = content
	return file, nil
}

// store keeps a file under its form.
func (s *stock) store(values map[string]string, file sandbox.File, began time.Time) error {
	key, kind := values["key"], values["Content-Type"]
	f := s.forms[values["Policy"]]
	if f == nil || f.sign != values["Signature"] || f.key != values[s.habits.KeyField] || values["acl"] != acl {
		return wrong("its policy, signature, access key and acl are none that were issued together")
	}
	name, below := strings.CutPrefix(key, f.path+"/")
	if !below || !plainName(name) || kind != types[path.Ext(name)] {
		return wrong("the key %q of type %s does not belong to the path %s", key, kind, f.path)
	}
	if s.habits.EndOfForm {
		began = time.Now()
	}
	if began.After(f.expires) {
		return denied("Invalid according to Policy: Policy expired.")
	}
	file.Name, file.Type = name, kind
	f.files[name] = file
	s.note(f.product, sandbox.Entry{
		Effect: sandbox.FileStored, Revision: f.revision, Images: f.images, Path: f.path, Key: key, File: file,
		Bound: f.product.form == f,
	})
	return nil
}

// types are the media types of the files that tests send.
var types = map[string]string{".jpg": "image/jpeg", ".mp4": "video/mp4"}

// plainName reports whether a name stands for itself and nothing else.
func plainName(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/\\\x00\r\n") &&
		!strings.Contains(name, "${")
}

// refuseFile words a refusal as the upload host has it.
func (s *Server) refuseFile(w http.ResponseWriter, why *refusal) {
	code, message, _ := strings.Cut(why.text, ": ")
	switch s.habits.StoreSays {
	case "xml":
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(why.status)
		fmt.Fprintf(w, "<?xml version=\"1.0\"?>\n<Error><Code>%s</Code><Message>%s</Message></Error>", code, message)
	case "text":
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(why.status)
		fmt.Fprint(w, message)
	default:
		w.WriteHeader(why.status)
	}
}

// sorted are the files of a form, in the order of their names.
func (f *form) sorted() []sandbox.File {
	var files []sandbox.File
	for _, file := range f.files {
		files = append(files, file)
	}
	slices.SortFunc(files, func(a, b sandbox.File) int { return cmp.Compare(a.Name, b.Name) })
	return files
}
