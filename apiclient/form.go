package apiclient

import (
	"crypto/rand"
	"mime/multipart"
	"strings"
)

// form is the multipart body of 4.3 around the file's content.
type form struct {
	contentType string
	head        []byte // everything before the content
	tail        []byte
}

// newForm lays out the fields in the order of the interface's table. The store ignores what follows
// the file. A multipart.Writer takes ten times as long, which counts where files are small.
func newForm(c Credentials, f File) form {
	accessKeyField := c.AccessKeyField
	if accessKeyField == "" {
		accessKeyField = c.AccessKeyFields()[0]
	}
	boundary := rand.Text()
	head := make([]byte, 0, 1024+len(c.Path)+len(c.Policy)+len(c.Signature))
	field := func(disposition, separator, value string) {
		for _, s := range []string{"--", boundary, "\r\nContent-Disposition: ", disposition, separator, value, "\r\n"} {
			head = append(head, s...)
		}
	}
	const blank = "\r\n\r\n"
	field(`form-data; name="key"`, blank, strings.TrimRight(c.Path, "/")+"/"+f.Name)
	field(`form-data; name="acl"`, blank, c.ACL)
	field(strings.TrimSuffix(multipart.FileContentDisposition(accessKeyField, ""), `; filename=""`),
		blank, c.AccessKeyID)
	field(`form-data; name="Policy"`, blank, c.Policy)
	field(`form-data; name="Signature"`, blank, c.Signature)
	field(`form-data; name="Content-Type"`, blank, f.ContentType)
	field(multipart.FileContentDisposition("file", f.Name), "\r\nContent-Type: ", f.ContentType)
	head = append(head, "\r\n"...)
	return form{"multipart/form-data; boundary=" + boundary, head, []byte("\r\n--" + boundary + "--\r\n")}
}

// length is the Content-Length of the form around a content of that size.
func (f form) length(content int64) int64 {
	return int64(len(f.head)) + content + int64(len(f.tail))
}
