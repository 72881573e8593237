package apiclient

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestOnlyReads: a client that only reads sends no request that may change anything, and still reads.
func TestOnlyReads(t *testing.T) {
	s := newService(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"projects":[]}`) })
	c, err := New(Options{BaseURL: s.URL, Username: testUser, Password: testPassword})
	if err != nil {
		t.Fatal(err)
	}
	c.OnlyReads = true
	ctx := t.Context()
	for name, send := range map[string]func() error{
		"create project": func() error { _, err := c.CreateProject(ctx, "Summer"); return err },
		"create product": func() error { _, err := c.CreateProduct(ctx, NewProduct{Title: "Shoe", Images: 1}); return err },
		"upload": func() error {
			return c.Upload(ctx, Credentials{Hostname: s.Listener.Addr().String()}, File{
				Name: "1.jpg", Size: 1, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("x")), nil },
			})
		},
		"finish":        func() error { return c.FinishUpload(ctx, "shoe") },
		"update":        func() error { return c.UpdateProduct(ctx, "shoe", ProductUpdate{}) },
		"reupload":      func() error { _, err := c.Reupload(ctx, "shoe", ProductUpdate{}, 1); return err },
		"delete":        func() error { return c.DeleteProduct(ctx, "shoe") },
		"set alt texts": func() error { _, err := c.SetAltTexts(ctx, 1, nil); return err },
	} {
		if err := send(); !errors.Is(err, ErrOnlyReads) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := c.Projects(ctx); err != nil {
		t.Error(err)
	}
	if r := s.only(t); r.method != http.MethodGet {
		t.Errorf("the service saw %s %s", r.method, r.uri)
	}
}
