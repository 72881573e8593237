package dashboard

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
	"time"
)

//go:embed static
var staticFiles embed.FS

// assets are the style, the scripts and the icon.
type assets struct {
	files  map[string]asset
	digest string // of all
}

type asset struct {
	body []byte
	kind string // media type
	tag  string
}

// newAssets names the media types itself, because those of the system are wrong on some Windows
// machines, and a browser runs no script of another type.
func newAssets() (assets, error) {
	kinds := map[string]string{
		".css": "text/css; charset=utf-8",
		".js":  "text/javascript; charset=utf-8",
		".svg": "image/svg+xml",
	}
	all := assets{files: map[string]asset{}}
	entries, err := staticFiles.ReadDir("static")
	if err != nil {
		return all, err
	}
	var whole []byte
	for _, entry := range entries {
		body, err := staticFiles.ReadFile("static/" + entry.Name())
		if err != nil {
			return all, err
		}
		whole = append(whole, body...)
		all.files[entry.Name()] = asset{body, kinds[path.Ext(entry.Name())], `"` + digestText(body) + `"`}
	}
	all.digest = digestText(whole)
	return all, nil
}

func digestText(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

func (a assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	file, ok := a.files[r.PathValue("name")]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", file.kind)
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("ETag", file.tag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(file.body))
}
