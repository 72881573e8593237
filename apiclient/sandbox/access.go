package sandbox

import (
	"crypto/sha256"
	"crypto/subtle"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// allow refuses a request that its sender may not send, or that is not in the interface.
func (s *Server) allow(op operation, r *http.Request) error {
	if err := s.allowSender(op, r); err != nil || !strings.Contains(op.pattern, " /api/") {
		return err // browsers open all other addresses, and the upload host sees to 4.3
	}
	for _, check := range []func(operation, *http.Request) error{allowHeaders, allowQuery, allowBody} {
		if err := check(op, r); err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) allowSender(op operation, r *http.Request) error {
	if op.access == public {
		return nil
	}
	user, known := s.user(r)
	if !known {
		return refuse(http.StatusUnauthorized, "unknown user name or password")
	}
	if op.access == editor && !user.CanEdit {
		return refuse(http.StatusForbidden, user.Name+" has no edit permission")
	}
	return nil
}

// allowHeaders refuses credentials at 4.14, cookies, and a sender that does not accept the
// format of the answers (sections 1 and 5).
func allowHeaders(op operation, r *http.Request) error {
	switch {
	case op.name == ReadStatus && r.Header.Get("Authorization") != "":
		return refuse(http.StatusBadRequest, "the status is public, and needs no credentials")
	case r.Header.Get("Cookie") != "":
		return refuse(http.StatusBadRequest, "the interface knows no cookies")
	case op.accept != "" && !accepts(r, op.accept):
		return refuse(http.StatusNotAcceptable, "the answer is "+op.accept+", which Accept does not name")
	}
	return nil
}

func accepts(r *http.Request, answer string) bool {
	for wanted := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		mediaType, _, _ := mime.ParseMediaType(wanted)
		if mediaType == answer || mediaType == "*/*" || mediaType == "application/*" {
			return true
		}
	}
	return false
}

// allowQuery takes the parameters that the interface names, each at most once.
func allowQuery(op operation, r *http.Request) error {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return refuse(http.StatusBadRequest, "the query cannot be read: "+err.Error())
	}
	for name, values := range query {
		if !slices.Contains(op.input.query, name) || len(values) > 1 {
			return refuse(http.StatusBadRequest, "the query has "+name+" twice, or without a meaning here")
		}
	}
	return nil
}

// allowBody refuses the body of an operation that has none.
func allowBody(op operation, r *http.Request) error {
	if !op.input.body && (r.ContentLength != 0 || r.Header.Get("Content-Type") != "") {
		return refuse(http.StatusBadRequest, "this operation has no body")
	}
	return nil
}

// user finds who sent the request. Every user is compared, and in full, so that the time taken
// reveals nothing.
func (s *Server) user(r *http.Request) (user User, known bool) {
	name, password, given := r.BasicAuth()
	for _, u := range s.opts.Users {
		if sameText(u.Name, name)&sameText(u.Password, password) == 1 {
			user, known = u, given
		}
	}
	return user, known
}

// sameText is 1 for equal texts. It compares digests, so that not even the length is revealed.
func sameText(a, b string) int {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:])
}
