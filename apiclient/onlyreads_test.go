package apiclient

import (
	"errors"
	"testing"
)

// A client that only reads sends no request that may change anything, and still reads.
func TestAClientThatOnlyReadsSendsNothingElse(t *testing.T) {
	for _, o := range operations() {
		s := newService(t, answeringJSON(o.answer))
		c := s.client(t)
		c.OnlyReads = true
		err := o.call(t.Context(), c)
		if sent := len(s.requests()); errors.Is(err, ErrOnlyReads) != o.changes() || o.changes() != (sent == 0) {
			t.Errorf("%s: %v after %d requests", o.name, err, sent)
		}
		if err := c.Upload(t.Context(), testForm(s.URL), textFile("a.jpg", "x")); !errors.Is(err, ErrOnlyReads) {
			t.Errorf("upload: %v", err)
		}
	}
}
