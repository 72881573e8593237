package apiclient

import (
	"errors"
	"testing"
)

// An error names the host that failed, and how; its detail adds the request.
func TestAnErrorNamesTheHostThatFailed(t *testing.T) {
	for _, c := range []struct {
		e             Error
		words, detail string
	}{
		{Error{Status: 401}, "the service rejects the user name or password (401)", ""},
		{Error{Status: 403, Messages: []string{"a", "b"}}, "the service does not allow this user to do it (403): a; b", ""},
		{Error{Status: 401, UploadHost: "up"}, "the upload host answered 401 Unauthorized", " (POST to up, answered 401)"},
		{Error{Status: 403, UploadHost: "up", Code: "C"}, "the upload host answered 403 Forbidden: C",
			" (POST to up, answered 403)"},
		{Error{Status: 302, Request: "GET /a"}, "the service redirects elsewhere (302), check the address",
			" (GET /a, answered 302)"},
		{Error{Status: 200, Request: "GET /a"}, "the service refuses", " (GET /a, answered 200)"},
		{Error{Status: 599}, "the service answered 599", ""},
		{Error{Err: errors.New("\x1b"), Request: "GET /a"}, `\x1b`, " (GET /a)"},
	} {
		c.e.Op = "look"
		if got := c.e.Error(); got != "look: "+c.words {
			t.Errorf("%q, want %q", got, c.words)
		}
		if got := c.e.Detail(); got != "look: "+c.words+c.detail {
			t.Errorf("%q, want %q", got, c.words+c.detail)
		}
		if c.e.Err == nil && c.e.Barred() {
			t.Errorf("%v: an answer bars the way", &c.e)
		}
	}
}
