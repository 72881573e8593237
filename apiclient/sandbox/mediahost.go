package sandbox

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"

	"spinsync/apiclient/sandbox/media"
)

// A mediaHost serves the photos and videos of views.
type mediaHost struct {
	store *store
	// rendering bounds the transformations that run at once, since each holds a decoded photo in
	// memory.
	rendering chan struct{}
}

func newMediaHost(s *store) *mediaHost {
	return &mediaHost{store: s, rendering: make(chan struct{}, 2)}
}

// serve answers with what media URLs name: a source, or after more segments a size or another
// format of it (interface section 2, rules for media URLs).
func (m *mediaHost) serve(w http.ResponseWriter, r *http.Request) error {
	if r.PathValue("account") != m.store.owner().UUID {
		return nothingHere()
	}
	i, rest, err := m.findMedia(r.PathValue("path"))
	if err != nil {
		return err
	}
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "default-src 'none'; sandbox") // an upload may be a page
	header.Set("Cache-Control", "public, no-cache")                      // layout 2 has no revision
	if rest == "" {
		return m.serveFile(w, r, m.store.files.path(i.File.Blob), i.File.SHA256, i.File.Type)
	}
	return m.serveSize(w, r, i, rest)
}

// findMedia finds the image that an address below the account begins with. The newest wins where
// two have the same.
func (m *mediaHost) findMedia(address string) (found *image, rest string, err error) {
	_, after, _ := strings.Cut(address, "/")
	uuid, _, _ := strings.Cut(after, "/")
	err = m.store.view(func(tx *tx) error {
		p, err := tx.product(uuid)
		if err != nil {
			return err
		}
		for _, stage := range p.stages() {
			if !stage.ready(tx.now) {
				continue
			}
			images, err := tx.images(uuid, stage.Revision)
			if err != nil {
				return err
			}
			if found, rest = pickMedia(images, p.StorageVersion, address); found != nil {
				return nil
			}
		}
		return nothingHere()
	})
	return found, rest, err
}

func pickMedia(images []*image, storageVersion int, address string) (found *image, rest string) {
	for _, i := range images {
		rest, ok := strings.CutPrefix(address,
			i.mediaPath(storageVersion, func(source string) string { return source }))
		if ok && (rest == "" || rest[0] == '/') {
			return i, rest
		}
	}
	return nil, ""
}

// serveFile answers ranges and conditional requests too.
func (m *mediaHost) serveFile(w http.ResponseWriter, r *http.Request, name, tag, mediaType string) error {
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nothingHere() // it was replaced since it was found
	}
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", mediaType)
	w.Header().Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, "", info.ModTime(), file)
	return nil
}

// serveSize serves the image transformed by the segments in rest, each behind a slash. The last
// names the output.
func (m *mediaHost) serveSize(w http.ResponseWriter, r *http.Request, i *image, rest string) error {
	segments := strings.Split(rest, "/")[1:]
	last := len(segments) - 1
	sum := sha256.Sum256([]byte(rest))
	name := filepath.Join(m.store.files.sizes(i.File.Blob), hex.EncodeToString(sum[:8])+strings.ToLower(path.Ext(segments[last])))
	if _, err := os.Stat(name); err != nil {
		if err := m.makeSize(name, i, segments[:last], segments[last]); err != nil {
			return err
		}
	}
	tag := i.File.SHA256[:16] + hex.EncodeToString(sum[:8])
	return m.serveFile(w, r, name, tag, mime.TypeByExtension(filepath.Ext(name)))
}

// makeSize writes a transformed image to the file of that name.
func (m *mediaHost) makeSize(name string, i *image, segments []string, output string) error {
	var result bytes.Buffer
	if err := m.transform(&result, i, segments, output); err != nil {
		return err
	}
	m.store.files.dropManySizes(i.File.Blob)
	return m.store.files.writeSize(name, result.Bytes())
}

func (m *mediaHost) transform(w io.Writer, i *image, segments []string, output string) error {
	source, err := m.picture(i)
	if err != nil {
		return err
	}
	defer source.Close()
	m.rendering <- struct{}{}
	defer func() { <-m.rendering }()
	_, err = media.Transform(w, source, segments, output)
	switch {
	case errors.Is(err, media.ErrRequest):
		return refuse(http.StatusBadRequest, err.Error())
	case errors.Is(err, media.ErrImage):
		return refuse(http.StatusUnsupportedMediaType, err.Error())
	}
	return err
}

// poster is a play sign: a light triangle on dark grey.
//
//go:embed poster.png
var poster []byte

// picture opens the picture of an image. Nothing here decodes video, which gets a poster.
func (m *mediaHost) picture(i *image) (io.ReadCloser, error) {
	if i.File.isVideo() {
		return io.NopCloser(bytes.NewReader(poster)), nil
	}
	return m.store.files.open(i.File.Blob)
}
