package dashboard

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
)

// staticFiles are the style, the scripts and the icon.
//
//go:embed static
var staticFiles embed.FS

// asset serves one of the static files. It names the media types itself, because those of the
// system are wrong on some Windows machines, and a browser runs no script of another type.
func asset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	body, err := staticFiles.ReadFile("static/" + name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	kinds := map[string]string{
		".css": "text/css; charset=utf-8",
		".js":  "text/javascript; charset=utf-8",
		".svg": "image/svg+xml",
	}
	w.Header().Set("Content-Type", kinds[path.Ext(name)])
	w.Write(body)
}

// digestAssets returns a text that changes with the static files.
func digestAssets() (string, error) {
	entries, err := staticFiles.ReadDir("static")
	if err != nil {
		return "", err
	}
	var whole []byte
	for _, entry := range entries {
		body, err := staticFiles.ReadFile("static/" + entry.Name())
		if err != nil {
			return "", err
		}
		whole = append(whole, body...)
	}
	return digestText(whole), nil
}

func digestText(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}
