package sandbox_test

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
)

// field is a field of an upload form.
type field struct{ name, value string }

// fields are those of interface 4.3 for a file of that name.
func fields(form apiclient.Credentials, name string) []field {
	return []field{
		{"key", form.Path + "/" + name}, {"acl", form.ACL}, {"StorageAccessKeyId", form.AccessKeyID},
		{"Policy", form.Policy}, {"Signature", form.Signature}, {"Content-Type", "image/jpeg"},
	}
}

// with returns fields with one replaced, or added at the end.
func with(all []field, name, value string) []field {
	changed := slices.Clone(all)
	at := slices.IndexFunc(all, func(f field) bool { return f.name == name })
	if at < 0 {
		return append(changed, field{name, value})
	}
	changed[at].value = value
	return changed
}

// multipartOf is a form with the file last, and its media type.
func multipartOf(all []field, content string) (body []byte, mediaType string) {
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	for _, f := range all {
		form.WriteField(f.name, f.value)
	}
	file, _ := form.CreateFormFile("file", "own name.jpg")
	io.WriteString(file, content)
	form.Close()
	return b.Bytes(), form.FormDataContentType()
}

// post sends a form and returns the status and the code of the error, if any.
func (w *world) post(all []field, content string) (status int, code, message string) {
	w.t.Helper()
	body, mediaType := multipartOf(all, content)
	req := w.request("POST", "/", string(body))
	req.Header.Set("Content-Type", mediaType)
	return storeAnswer(w.t, w.do(req))
}

func storeAnswer(t *testing.T, a answer) (status int, code, message string) {
	t.Helper()
	if a.StatusCode < 300 {
		return a.StatusCode, "", ""
	}
	var refusal struct {
		XMLName       xml.Name `xml:"Error"`
		Code, Message string
	}
	if err := xml.Unmarshal(a.body, &refusal); err != nil || refusal.Code == "" {
		t.Fatalf("answer %d %q is no XML error: %v", a.StatusCode, a.body, err)
	}
	return a.StatusCode, refusal.Code, refusal.Message
}

// tampered changes a signed policy.
func tampered(policy, old, new string) string {
	data, _ := base64.StdEncoding.DecodeString(policy)
	return base64.StdEncoding.EncodeToString(bytes.ReplaceAll(data, []byte(old), []byte(new)))
}

// What no form may be is tested in apiclient. The codes are those that S3 stores give the reasons.
func TestARefusedFormHasTheCodeOfItsReason(t *testing.T) {
	w := open(t, func(o *sandbox.Options) { o.MaxFile = 1000 })
	form, other := w.product(1), w.product(1)
	good := fields(form, "a.jpg")
	for name, test := range map[string]struct {
		fields  []field
		content string
		status  int
		code    string
	}{
		"key of another product":      {with(good, "key", other.Path+"/a.jpg"), "x", 403, "AccessDenied"},
		"key with a control byte":     {with(good, "key", form.Path+"/a\x01.jpg"), "x", 400, "InvalidArgument"},
		"key that is not UTF-8":       {with(good, "key", form.Path+"/a\xff.jpg"), "x", 400, "InvalidArgument"},
		"key too long":                {with(good, "key", form.Path+"/"+strings.Repeat("a", 1000)), "x", 400, "KeyTooLongError"},
		"signature of another policy": {with(good, "Signature", other.Signature), "x", 403, "SignatureDoesNotMatch"},
		"policy with a later end": {with(good, "Policy", tampered(form.Policy, `"expiration":"2`, `"expiration":"3`)),
			"x", 403, "SignatureDoesNotMatch"},
		"other access key":    {with(good, "StorageAccessKeyId", "SBXOTHER"), "x", 403, "InvalidAccessKeyId"},
		"fields too long":     {with(good, "Signature", strings.Repeat("x", 30<<10)), "x", 400, "InvalidArgument"},
		"empty file":          {good, "", 400, "EntityTooSmall"},
		"file too large":      {good, strings.Repeat("x", 1001), 400, "EntityTooLarge"},
		"file much too large": {good, strings.Repeat("x", 3<<20), 400, "EntityTooLarge"},
	} {
		status, code, message := w.post(test.fields, test.content)
		if status != test.status || code != test.code {
			t.Errorf("%s: %d %s %q, want %d %s", name, status, code, message, test.status, test.code)
		}
	}
	w.checkNothingStored()
}

// checkNothingStored looks for the file of an upload that was refused.
func (w *world) checkNothingStored() {
	w.t.Helper()
	for _, e := range w.journal() {
		if e.Effect == sandbox.FileStored {
			w.t.Errorf("stored nevertheless: %+v", e)
		}
	}
}

func TestBodiesThatAreNoForm(t *testing.T) {
	w := open(t)
	body, mediaType := multipartOf(fields(w.product(1), "a.jpg"), "photo")
	for name, test := range map[string]struct{ mediaType, body, code string }{
		"garbage":   {mediaType, "garbage", "InvalidArgument"},
		"empty":     {mediaType, "", "InvalidArgument"},
		"no name":   {mediaType, strings.ReplaceAll(string(body), `; filename="own name.jpg"`, ""), "InvalidArgument"},
		"no end":    {mediaType, string(body[:len(body)-8]), "IncompleteBody"},
		"no dashes": {mediaType, string(body[:len(body)-4]), "IncompleteBody"},
		"half":      {mediaType, string(body[:len(body)-70]), "IncompleteBody"},
		"boundary":  {"multipart/form-data", string(body), "InvalidArgument"},
	} {
		req := w.request("POST", "/", test.body)
		req.Header.Set("Content-Type", test.mediaType)
		if status, code, _ := storeAnswer(t, w.do(req)); status != 400 || code != test.code {
			t.Errorf("%s: %d %s, want 400 %s", name, status, code, test.code)
		}
	}
	w.checkNothingStored()
}

// uploadOf is an upload of so many bytes, which need not all come.
func (w *world) uploadOf(body io.Reader, length int, mediaType string) *http.Request {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.ctx(), "POST", base+"/", body)
	w.must(err)
	req.ContentLength = int64(length)
	req.Header.Set("Content-Type", mediaType)
	return req
}

func TestAnUploadThatBreaksOffLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		w := open(t, func(o *sandbox.Options) { o.Dir = dir })
		form := w.product(1)
		body, mediaType := multipartOf(fields(form, "a.jpg"), strings.Repeat("photo", 10000))
		half := io.MultiReader(bytes.NewReader(body[:len(body)/2]), brokenReader{})
		if resp, err := w.raw.Do(w.uploadOf(half, len(body), mediaType)); err == nil {
			resp.Body.Close()
			t.Fatalf("answer %s to half a request", resp.Status)
		}
		synctest.Wait() // until the sandbox is done with it
		if got := filesBelow(t, dir); len(got) > 0 || len(w.only().Pending) > 0 {
			t.Errorf("files %q stay", got)
		}
	})
}

// TestAFailureOfTheDiskIsNoFaultOfTheSender: it may pass, so that the sender tries again.
func TestAFailureOfTheDiskIsNoFaultOfTheSender(t *testing.T) {
	dir := t.TempDir()
	w := open(t, func(o *sandbox.Options) { o.Dir = dir })
	body, mediaType := multipartOf(fields(w.product(1), "a.jpg"), "photo")
	w.must(os.RemoveAll(filepath.Join(dir, "incoming")))
	req := w.request("POST", "/", string(body))
	req.Header.Set("Content-Type", mediaType)
	if got := w.do(req); got.StatusCode != http.StatusInternalServerError {
		t.Errorf("%s %s", got.Status, got.body)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// TestAFormThatExpiresWhileItsFileArrives: its age counts when the upload begins.
func TestAFormThatExpiresWhileItsFileArrives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, func(o *sandbox.Options) { o.PolicyLifetime = time.Minute })
		body, mediaType := multipartOf(fields(w.product(1), "a.jpg"), strings.Repeat("x", 100_000))
		slow := io.MultiReader(bytes.NewReader(body[:50_000]), pause(2*time.Minute), bytes.NewReader(body[50_000:]))
		if got := w.do(w.uploadOf(slow, len(body), mediaType)); got.StatusCode != 204 {
			t.Errorf("%s, want 204", got.Status)
		}
	})
}

// pause is an empty reader that takes its time.
type pause time.Duration

func (p pause) Read([]byte) (int, error) {
	time.Sleep(time.Duration(p))
	return 0, io.EOF
}
