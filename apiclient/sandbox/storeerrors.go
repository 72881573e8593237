package sandbox

import (
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
)

// storeError is an error of the upload host, told in the XML of S3 stores.
type storeError struct {
	status        int
	code, message string
}

func (e *storeError) Error() string { return e.code + ": " + e.message }

func denied(message string) error { return &storeError{http.StatusForbidden, "AccessDenied", message} }

// formRefusal refuses a form as stores do that cannot verify it.
func formRefusal(code string) *storeError {
	e := &storeError{http.StatusForbidden, code, "the form cannot be verified"}
	if code == "InvalidPolicyDocument" {
		e.status = http.StatusBadRequest
	}
	return e
}

func badForm(message string) error {
	return &storeError{http.StatusBadRequest, "InvalidArgument", message}
}

func malformed(err error) error {
	return &storeError{http.StatusBadRequest, "MalformedPOSTRequest",
		"the body of the POST request is not well-formed multipart/form-data: " + err.Error()}
}

func (e *storeError) reply(w http.ResponseWriter) {
	replyXML(w, e.status, struct {
		XMLName       xml.Name `xml:"Error"`
		Code, Message string
	}{Code: e.code, Message: e.message})
}

func replyXML(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	io.WriteString(w, xml.Header)
	xml.NewEncoder(w).Encode(v)
}

// incomplete refuses a request that broke off. A failure of our own disk names a file.
func incomplete(err error) error {
	if errors.As(err, new(*fs.PathError)) || errors.As(err, new(*os.LinkError)) {
		return err
	}
	return &storeError{http.StatusBadRequest, "IncompleteBody", "the request ended before the form did"}
}
