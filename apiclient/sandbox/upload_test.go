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

func without(all []field, name string) []field {
	return slices.DeleteFunc(slices.Clone(all), func(f field) bool { return f.name == name })
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

func TestAFormIsStored(t *testing.T) {
	w := open(t)
	form := w.product(1)
	if status, code, _ := w.post(fields(form, "a.jpg"), "photo"); status != 204 {
		t.Fatalf("status %d %s, want 204", status, code)
	}
	pending := w.only().Pending
	if len(pending) != 1 || pending[0].Name != "a.jpg" || pending[0].Size != 5 || len(pending[0].SHA256) != 64 {
		t.Errorf("stored %+v, want a.jpg of 5 bytes", pending)
	}
}

// tampered changes a signed policy.
func tampered(policy, old, new string) string {
	data, _ := base64.StdEncoding.DecodeString(policy)
	return base64.StdEncoding.EncodeToString(bytes.ReplaceAll(data, []byte(old), []byte(new)))
}

func TestFormsThatAreRefused(t *testing.T) {
	w := open(t, func(o *sandbox.Options) { o.MaxFile = 1000 })
	form := w.product(1)
	good := fields(form, "a.jpg")
	other, err := w.client.CreateProduct(t.Context(), apiclient.NewProduct{
		Title: "Other", Project: w.only().Project, Images: 1,
	})
	w.must(err)
	long := form.Path + "/" + strings.Repeat("a", 1000)
	for name, test := range map[string]struct {
		fields  []field
		content string
		status  int
		code    string
	}{
		"key outside the path":         {with(good, "key", form.UUID+"/elsewhere/a.jpg"), "x", 403, "AccessDenied"},
		"key of another product":       {with(good, "key", other.Path+"/a.jpg"), "x", 403, "AccessDenied"},
		"key with a longer path":       {with(good, "key", form.Path+"1/a.jpg"), "x", 403, "AccessDenied"},
		"key that leaves the path":     {with(good, "key", form.Path+"/../a.jpg"), "x", 400, "InvalidArgument"},
		"key with a backslash":         {with(good, "key", form.Path+`/..\a.jpg`), "x", 400, "InvalidArgument"},
		"key with a control character": {with(good, "key", form.Path+"/a\x01.jpg"), "x", 400, "InvalidArgument"},
		"key that is not UTF-8":        {with(good, "key", form.Path+"/a\xff.jpg"), "x", 400, "InvalidArgument"},
		"key below a longer path":      {with(good, "key", form.Path+"/b/a.jpg"), "x", 400, "InvalidArgument"},
		"key for the host to fill":     {with(good, "key", form.Path+"/${filename}"), "x", 400, "InvalidArgument"},
		"key without a name":           {with(good, "key", form.Path+"/"), "x", 400, "InvalidArgument"},
		"key too long":                 {with(good, "key", long), "x", 400, "KeyTooLongError"},
		"no key":                       {without(good, "key"), "x", 400, "InvalidArgument"},
		"other acl":                    {with(good, "acl", "public-read"), "x", 403, "AccessDenied"},
		"no acl":                       {without(good, "acl"), "x", 400, "InvalidArgument"},
		"no content type":              {without(good, "Content-Type"), "x", 400, "InvalidArgument"},
		"type of no photo":             {with(good, "Content-Type", "text/html"), "x", 400, "InvalidArgument"},
		"type with a parameter":        {with(good, "Content-Type", "image/jpeg; q=1"), "x", 400, "InvalidArgument"},
		"fields in another order":      {append(good[1:2:2], slices.Delete(slices.Clone(good), 1, 2)...), "x", 400, "InvalidArgument"},
		"field in small letters":       {append(good[:5:5], field{"content-type", "image/jpeg"}), "x", 400, "InvalidArgument"},
		"field that is not named":      {with(good, "success_action_status", "201"), "x", 400, "InvalidArgument"},
		"no policy":                    {without(good, "Policy"), "x", 400, "InvalidArgument"},
		"no signature":                 {without(good, "Signature"), "x", 400, "InvalidArgument"},
		"signature of another policy":  {with(good, "Signature", other.Signature), "x", 403, "SignatureDoesNotMatch"},
		"policy with a later end": {with(good, "Policy", tampered(form.Policy, `"expiration":"2`, `"expiration":"3`)),
			"x", 403, "SignatureDoesNotMatch"},
		"policy with more room": {with(good, "Policy", tampered(form.Policy, "1000", "9000")),
			"x", 403, "SignatureDoesNotMatch"},
		"policy that is nonsense": {with(good, "Policy", "nonsense"), "x", 403, "SignatureDoesNotMatch"},
		"no access key":           {without(good, "StorageAccessKeyId"), "x", 400, "InvalidArgument"},
		"other access key":        {with(good, "StorageAccessKeyId", "SBXOTHER"), "x", 403, "InvalidAccessKeyId"},
		"empty file":              {good, "", 400, "EntityTooSmall"},
		"file too large":          {good, strings.Repeat("x", 1001), 400, "EntityTooLarge"},
		"file much too large":     {good, strings.Repeat("x", 3<<20), 400, "EntityTooLarge"},
		"fields too long":         {with(good, "Signature", strings.Repeat("x", 30<<10)), "x", 400, "InvalidArgument"},
	} {
		status, code, message := w.post(test.fields, test.content)
		if status != test.status || code != test.code {
			t.Errorf("%s: %d %s %q, want %d %s", name, status, code, message, test.status, test.code)
		}
	}
	for _, e := range w.journal() {
		if e.Effect == sandbox.FileStored {
			t.Errorf("stored nevertheless: %+v", e)
		}
	}
}

func TestBodiesThatAreNoForm(t *testing.T) {
	w := open(t)
	body, mediaType := multipartOf(fields(w.product(1), "a.jpg"), "photo")
	withoutFile := strings.ReplaceAll(string(body), `name="file"`, `name="x-ignore-file"`)
	for name, test := range map[string]struct{ mediaType, body, code string }{
		"JSON":      {"application/json", "{}", "InvalidArgument"},
		"garbage":   {mediaType, "garbage", "InvalidArgument"},
		"empty":     {mediaType, "", "InvalidArgument"},
		"no file":   {mediaType, withoutFile, "InvalidArgument"},
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
	if pending := w.only().Pending; len(pending) > 0 {
		t.Errorf("stored %+v", pending)
	}
}

// TestWhatHasNoPlaceInAnUpload: a good form with anything more is refused.
func TestWhatHasNoPlaceInAnUpload(t *testing.T) {
	w := open(t)
	body, mediaType := multipartOf(fields(w.product(1), "a.jpg"), "photo")
	end := strings.LastIndex(string(body), "--"+strings.TrimPrefix(mediaType, "multipart/form-data; boundary="))
	after := string(body[:end+len(body[end:])-4]) + "\r\nContent-Disposition: form-data; name=\"submit\"\r\n\r\nUpload\r\n" + string(body[end:])
	for name, test := range map[string]struct {
		body   string
		change func(*http.Request)
		code   string
	}{
		"credentials":        {string(body), func(r *http.Request) { r.SetBasicAuth(user, password) }, "InvalidArgument"},
		"a cookie":           {string(body), func(r *http.Request) { r.Header.Set("Cookie", "a=b") }, "InvalidArgument"},
		"a query":            {string(body), func(r *http.Request) { r.URL.RawQuery = "acl" }, "InvalidArgument"},
		"another host":       {string(body), func(r *http.Request) { r.Host = "127.0.0.2:8361" }, "AccessDenied"},
		"no length":          {string(body), func(r *http.Request) { r.ContentLength = -1 }, "InvalidArgument"},
		"a field after file": {after, func(*http.Request) {}, "InvalidArgument"},
	} {
		req := w.request("POST", "/", test.body)
		req.Header.Set("Content-Type", mediaType)
		test.change(req)
		if status, code, message := storeAnswer(t, w.do(req)); code != test.code {
			t.Errorf("%s: %d %s %s, want %s", name, status, code, message, test.code)
		}
	}
	if pending := w.only().Pending; len(pending) > 0 {
		t.Errorf("stored %+v", pending)
	}
}

func TestAnUploadThatBreaksOffLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		w := open(t, func(o *sandbox.Options) { o.Dir = dir })
		form := w.product(1)
		body, mediaType := multipartOf(fields(form, "a.jpg"), strings.Repeat("photo", 10000))
		half := io.MultiReader(bytes.NewReader(body[:len(body)/2]), brokenReader{})
		req, err := http.NewRequestWithContext(t.Context(), "POST", base+"/", half)
		w.must(err)
		req.ContentLength = int64(len(body))
		req.Header.Set("Content-Type", mediaType)
		if resp, err := w.raw.Do(req); err == nil {
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

func TestAnOldFormIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, func(o *sandbox.Options) { o.PolicyLifetime = time.Minute })
		form := w.product(2)
		time.Sleep(time.Minute - time.Millisecond)
		w.upload(form, frames(1)...)
		time.Sleep(time.Millisecond)
		err := refused(t, w.client.Upload(t.Context(), form, frames(2)[1]))
		if !err.FormExpired() || err.Status != 403 || err.Code != "AccessDenied" {
			t.Errorf("error %v, want an expired form", err)
		}
		w.publish(w.reupload(form.UUID, 1), frames(1)...)
	})
}

// TestAFormThatExpiresWhileItsFileArrives: its age counts when the upload begins.
func TestAFormThatExpiresWhileItsFileArrives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, func(o *sandbox.Options) { o.PolicyLifetime = time.Minute })
		body, mediaType := multipartOf(fields(w.product(1), "a.jpg"), strings.Repeat("x", 100_000))
		slow := io.MultiReader(bytes.NewReader(body[:50_000]), pause(2*time.Minute), bytes.NewReader(body[50_000:]))
		req, err := http.NewRequestWithContext(t.Context(), "POST", base+"/", slow)
		w.must(err)
		req.ContentLength = int64(len(body))
		req.Header.Set("Content-Type", mediaType)
		if got := w.do(req); got.StatusCode != 204 {
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

// bound lists the keys that were stored, and whether they can become images.
func (w *world) bound() map[string]bool {
	keys := map[string]bool{}
	for _, e := range w.journal() {
		if e.Effect == sandbox.FileStored {
			keys[e.Key] = e.Bound
		}
	}
	return keys
}

func TestFilesOfAnOldFormEnterNoRevision(t *testing.T) {
	w := open(t, func(o *sandbox.Options) { o.Processing = -1 })
	old := w.product(2)
	w.upload(old, frames(2)...)
	renewed := w.reupload(old.UUID, 1)
	if old.Path == renewed.Path {
		t.Fatalf("the new form has the old path %s", old.Path)
	}
	w.upload(old, file("late.jpg", "image/jpeg", "late"))
	w.publish(renewed, photo("new.jpg", 8, 8, 1))
	w.upload(renewed, photo("new.jpg", 8, 8, 2), file("later.jpg", "image/jpeg", "later"))
	w.must(w.client.FinishUpload(t.Context(), old.UUID))
	files, bound := w.only().Revisions[0].Files, w.bound()
	if len(files) != 1 || files[0].Name != "new.jpg" {
		t.Errorf("the revision has %+v, want new.jpg alone", files)
	}
	if bound[old.Path+"/late.jpg"] || bound[renewed.Path+"/later.jpg"] || bound[renewed.Path+"/new.jpg"] {
		t.Errorf("bound %v, want nothing that came late", bound)
	}
	if images := w.images(old.UUID); len(images) != 1 || len(w.only().Revisions) != 1 {
		t.Errorf("%d images, want 1", len(images))
	}
}

func TestADeletedProductTakesNoFiles(t *testing.T) {
	dir := t.TempDir()
	w := open(t, func(o *sandbox.Options) { o.Dir = dir })
	form := w.product(1)
	w.must(w.client.DeleteProduct(t.Context(), form.UUID))
	w.upload(form, frames(1)...) // the store knows policies, not products
	if got := filesBelow(t, dir); len(got) > 0 {
		t.Errorf("files %q stay", got)
	}
}
