package apiclient

import (
	"bytes"
	"mime/multipart"
	"net/textproto"
	"strings"
)

// form is the multipart body of 4.3 around the file's content.
type form struct {
	contentType string
	head        []byte // everything before the content
	tail        []byte
}

// newForm lays out the fields in the order of the interface's table. The store ignores what follows the file. Writing to
// a buffer cannot fail.
func newForm(c Credentials, accessKeyField string, f File) form {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	w.WriteField("key", strings.TrimRight(c.Path, "/")+"/"+f.Name)
	w.WriteField("acl", c.ACL)
	w.WriteField(accessKeyField, c.AccessKeyID)
	w.WriteField("Policy", c.Policy)
	w.WriteField("Signature", c.Signature)
	w.WriteField("Content-Type", f.ContentType)
	w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {multipart.FileContentDisposition("file", f.Name)},
		"Content-Type":        {f.ContentType},
	})
	head := b.Len()
	w.Close()
	return form{w.FormDataContentType(), b.Bytes()[:head], b.Bytes()[head:]}
}

// length is the Content-Length of the form around a content of that size.
func (f form) length(content int64) int64 {
	return int64(len(f.head)) + content + int64(len(f.tail))
}
