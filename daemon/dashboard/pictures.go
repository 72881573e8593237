package dashboard

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"spinsync/daemon/dashboard/thumb"
)

const thumbWidth, pictureWidth = 320, 960 // pixels

// tooLarge is shown in place of the picture of a photo that is too large to be decoded.
const tooLarge = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 240" width="320" height="240" ` +
	`font-family="sans-serif" font-size="19" text-anchor="middle" fill="#767676">` +
	`<text x="160" y="112">Too large to be read here:</text><text x="160" y="140">shown once it is live</text></svg>`

var errNoFrame = errors.New("there is no such frame")

// frame shows a local frame of a folder.
func (p *Dashboard) frame(w http.ResponseWriter, r *http.Request, found product) {
	width := thumbWidth
	if r.URL.Query().Get("size") == "large" {
		width = pictureWidth
	}
	switch err := p.sendPicture(w, r, found, r.URL.Query().Get("name"), width, time.Hour); {
	case errors.Is(err, errNoFrame):
		http.NotFound(w, r)
	case err != nil:
		http.Error(w, err.Error(), http.StatusUnsupportedMediaType)
	}
}

// sendPicture sends a frame small, or nothing when that cannot be done. Keep is how long the same
// address may stand for the same picture.
func (p *Dashboard) sendPicture(
	w http.ResponseWriter,
	r *http.Request,
	found product,
	name string,
	width int,
	keep time.Duration,
) error {
	kind := "image/jpeg"
	picture, err := p.thumbs.Picture(r.Context(), found.Key(), name, width, func() (thumb.File, error) {
		file, err := p.d.Daemon().OpenFrame(found.Key(), name)
		if err != nil {
			return nil, errNoFrame
		}
		return file, nil
	})
	if errors.Is(err, thumb.ErrTooLarge) {
		kind, picture, err = "image/svg+xml", []byte(tooLarge), nil
	}
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", fmt.Sprintf("private, max-age=%.0f", keep.Seconds()))
	_, _ = w.Write(picture)
	return nil
}

// thumbOfFolder is a folder's first frame: the service's small picture where there is one.
func (p *Dashboard) thumbOfFolder(w http.ResponseWriter, r *http.Request, found product) {
	m, _ := p.board.latest()
	address := p.publishedThumb(found)
	if address != "" && m.status.Service.Trouble == "" {
		p.board.learnOrigin(address)
		w.Header().Set("Cache-Control", "private, max-age=3600")
		http.Redirect(w, r, address, http.StatusFound)
		return
	}
	first, err := p.d.Daemon().FirstFrame(r.Context(), found.Key())
	if err != nil || first == "" || p.sendPicture(w, r, found, first, thumbWidth, time.Minute) != nil {
		// The first frame is still arriving, or arriving again, or its drive is away.
		w.WriteHeader(http.StatusNoContent)
	}
}

// publishedThumb is the address of the small picture of a folder's first published frame, or "".
func (p *Dashboard) publishedThumb(found product) string {
	if found.PublishedAt == nil {
		return ""
	}
	frames, err := p.d.Daemon().PublishedFrames(found.Key())
	if err != nil || len(frames) == 0 || originOf(frames[0].ThumbnailURL) == "" {
		return ""
	}
	return frames[0].ThumbnailURL
}
