package apiclient

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// ErrUnknownProduct is what Status returns for a product the service does not know (4.14, a null
// variant).
var ErrUnknownProduct = errors.New("the service does not know this product")

// ErrSizeChanged is what Upload returns when a file holds more or fewer bytes than its Size.
var ErrSizeChanged = errors.New("the file's size is not the announced one")

// ErrOtherAnswer is the cause of an error when an answer names a product that is not the caller's,
// because a proxy or the service mixed up two answers. The request may have been executed.
var ErrOtherAnswer = errors.New("the answer belongs to another request")

// ErrPrivateHost is the cause when an upload host is inside a private network and the service is
// not.
var ErrPrivateHost = errors.New("the upload host is inside a private network")

// ErrProxy is the cause when the proxy that the environment names requires a login.
var ErrProxy = errors.New("the proxy refuses to connect")

// ErrOnlyReads is the cause when a client that only reads was asked to send anything but a GET.
var ErrOnlyReads = errors.New("only requests that read may be sent now")

// Error is a failed call. It holds no password, policy or signature. The host's messages are
// escaped, so that it may be shown and logged as it is.
type Error struct {
	Op string // the attempt: "create product", "upload frame_01.jpg"
	// Request is method and path, "PATCH /api/v2/products/…". It is empty for an upload, where the
	// host is enough.
	Request string
	// UploadHost is the host of the upload credentials, when the error is about it; empty for the
	// service.
	UploadHost string
	Status     int           // HTTP status, 0 when there was no answer
	Code       string        // the upload host's error code
	Messages   []string      // of the service or the upload host
	RetryAfter time.Duration // how long the host asked to be left alone, 0 when it did not
	Sample     string        // the beginning of an answer that could not be understood, for the log
	Err        error         // the cause, when it was not a refusing answer

	temporary bool
	unclear   bool
	local     bool
}

// Error names the attempt and why it failed, in the words of the host and the network.
func (e *Error) Error() string { return e.Op + ": " + e.reason() }

// Detail is the error with the request and the status of the answer: all that a technician can learn.
func (e *Error) Detail() string {
	request := e.Request
	if e.UploadHost != "" {
		request = "POST to " + printable(e.UploadHost)
	}
	if request == "" {
		return e.Error()
	}
	if e.Status != 0 {
		request += fmt.Sprintf(", answered %d", e.Status)
	}
	return e.Error() + " (" + request + ")"
}

func (e *Error) reason() string {
	switch {
	case e.Err != nil:
		return printable(e.Err.Error())
	case e.UploadHost == "" && e.Status == http.StatusUnauthorized:
		return e.withMessages("the service rejects the user name or password (401)")
	case e.UploadHost == "" && e.Status == http.StatusForbidden:
		return e.withMessages("the service does not allow this user to do it (403)")
	case e.Status/100 == 3:
		return fmt.Sprintf("the %s redirects elsewhere (%d), check the address", e.host(), e.Status)
	case e.Status/100 == 2:
		return e.withMessages("the " + e.host() + " refuses")
	}
	return e.withMessages(strings.TrimSpace(
		fmt.Sprintf("the %s answered %d %s", e.host(), e.Status, http.StatusText(e.Status))))
}

func (e *Error) host() string {
	if e.UploadHost != "" {
		return "upload host"
	}
	return "service"
}

// withMessages appends the host's messages to a sentence about it.
func (e *Error) withMessages(sentence string) string {
	parts := []string{sentence}
	if e.Code != "" {
		parts = append(parts, e.Code)
	}
	if len(e.Messages) > 0 {
		parts = append(parts, strings.Join(e.Messages, "; "))
	}
	return strings.Join(parts, ": ")
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Temporary reports whether the same call may succeed later without anybody changing anything.
func (e *Error) Temporary() bool { return e.temporary }

// Barred reports whether the way to the host is barred: by a certificate that is not trusted, by a
// proxy, or by an address that no upload may go to. All other requests to the host fare the same,
// until a person or the network changes that.
func (e *Error) Barred() bool { return e.Err != nil && !temporaryCause(e.Err) }

// MayHaveTakenEffect reports whether the service may have executed the request although the call
// failed. It is false when the request was not sent, only reads, or was clearly refused by a whole
// answer. A conflict (409) is no clear refusal, since it may conflict with an earlier request.
func (e *Error) MayHaveTakenEffect() bool { return e.unclear }

// Local reports whether this machine's file failed, not the network or the service: the file to
// upload, or the writer to download to.
func (e *Error) Local() bool { return e.local }

// Unauthorized reports whether the service rejects the credentials, or their rights. An upload
// host's refusal is none.
func (e *Error) Unauthorized() bool {
	return e.UploadHost == "" && (e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden)
}

// FormExpired reports whether the upload credentials are too old: new ones help (4.9 with images).
func (e *Error) FormExpired() bool {
	if e.UploadHost == "" || e.Status/100 != 4 {
		return false
	}
	return strings.Contains(strings.ToLower(e.Code+" "+strings.Join(e.Messages, " ")), "expired")
}

// FormRejected reports whether the upload host refuses the credentials for another reason than
// their age: their signature, key or policy, or a field of the form.
func (e *Error) FormRejected() bool {
	if e.UploadHost == "" || e.temporary || e.FormExpired() {
		return false
	}
	switch e.Code {
	case "RequestTimeTooSkewed", "EntityTooLarge", "EntityTooSmall", "KeyTooLongError", "IncompleteBody", "BadDigest":
		return false // of the clock or the file
	}
	return e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden ||
		e.Status == http.StatusBadRequest && e.Code != ""
}

// Throttled reports whether the host asks for fewer requests (429 or 503).
func (e *Error) Throttled() bool {
	return e.Status == http.StatusTooManyRequests || e.Status == http.StatusServiceUnavailable || e.Code == "SlowDown"
}

// Full reports whether the host has no room for what is sent.
func (e *Error) Full() bool {
	return e.Status == http.StatusInsufficientStorage || e.Code == "XMinioStorageFull"
}

// NotFound reports whether the service does not know what the call was about.
func (e *Error) NotFound() bool {
	return e.UploadHost == "" &&
		(e.Status == http.StatusNotFound || e.Status == http.StatusGone || errors.Is(e.Err, ErrUnknownProduct))
}

// temporaryStatus reports whether a status is worth another try.
func temporaryStatus(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusMisdirectedRequest, http.StatusLocked, http.StatusTooEarly,
		http.StatusTooManyRequests:
		return true
	case http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect:
		// A redirect of this kind leads to a page for maintenance or a log-in.
		return true
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return false
	}
	return status >= 500
}

// temporaryCause reports whether an error below HTTP may pass by itself. What a person must change
// does not.
func temporaryCause(err error) bool {
	return !errors.As(err, new(*tls.CertificateVerificationError)) &&
		!errors.Is(err, ErrPrivateHost) && !errors.Is(err, ErrProxy)
}

// withoutURL drops what net/http puts around a cause: the method and an address that the reader
// knows.
func withoutURL(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	if errors.As(err, new(*tls.CertificateVerificationError)) {
		return fmt.Errorf("%w, check ca_file and this computer's clock", err)
	}
	return err
}
