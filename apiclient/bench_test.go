package apiclient

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkUpload sends files over TLS to a host that reads and forgets them. Both ends share the
// machine.
func BenchmarkUpload(b *testing.B) {
	for _, size := range []int64{64 << 10, 4 << 20} {
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) { benchmarkUpload(b, size) })
	}
}

func benchmarkUpload(b *testing.B, size int64) {
	store := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusNoContent)
	}))
	defer store.Close()
	pool := store.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	c, err := New(Options{BaseURL: store.URL, Username: testUser, RootCAs: pool})
	if err != nil {
		b.Fatal(err)
	}
	defer c.CloseIdle()
	path := filepath.Join(b.TempDir(), "frame.jpg")
	if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
		b.Fatal(err)
	}
	file := File{Name: "frame.jpg", Size: size, Open: func() (io.ReadCloser, error) { return os.Open(path) }}
	b.SetBytes(size)
	b.ReportAllocs()
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			if err := c.Upload(b.Context(), testForm(store.URL), file); err != nil {
				b.Error(err)
				return
			}
		}
	})
}
