package dashboard

import (
	"bytes"
	"container/list"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	_ "image/png" // decodes frames
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	scale "golang.org/x/image/draw"
	_ "golang.org/x/image/tiff" // decodes frames
	_ "golang.org/x/image/webp" // decodes frames

	"spinsync/syncstate"
)

const (
	thumbWidth, pictureWidth = 320, 960 // pixels
	// mostDecoded bounds the bytes of a decoded photo: 64 megapixels of 8 bits a colour, half as
	// many of 16.
	mostDecoded = 256_000_000
	// thumbMemory is how many bytes of small pictures are kept.
	thumbMemory = 48 << 20
)

// thumbs makes small pictures of local frames and caches the last ones. It makes one at a time for
// each root, because publishing comes first. A drive that does not answer so holds up its own
// pictures only.
type thumbs struct {
	mu    sync.Mutex
	turns map[string]chan struct{} // by root
	order *list.List               // of *thumb, the last used first
	byKey map[thumbKey]*list.Element
	bytes int
}

type thumbKey struct {
	folder syncstate.Folder
	name   string
	size   int64
	time   time.Time
	width  int
}

type thumb struct {
	key  thumbKey
	jpeg []byte
}

func newThumbs() *thumbs {
	return &thumbs{turns: map[string]chan struct{}{}, order: list.New(), byKey: map[thumbKey]*list.Element{}}
}

var (
	errNoFrame   = errors.New("there is no such frame")
	errNoPicture = errors.New("no picture can be made of this file")
	errTooLarge  = fmt.Errorf("%w: decoded it takes more than %d MB", errNoPicture, mostDecoded/1_000_000)
)

// tooLarge stands in the place of a picture of a photo that is too large to be decoded beside the
// camera's program.
var tooLarge = []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 240" width="320" height="240" ` +
	`font-family="sans-serif" font-size="19" text-anchor="middle" fill="#767676"><text x="160" y="112">Too large to be read here:</text>` +
	`<text x="160" y="140">shown once it is live</text></svg>`)

// openFrame is the file that OpenFrame returns.
type openFrame interface {
	io.ReadSeeker
	Stat() (os.FileInfo, error)
}

// of returns a frame as a JPEG of at most that width.
func (t *thumbs) of(ctx context.Context, key syncstate.Folder, file openFrame, name string, width int) ([]byte, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	k := thumbKey{key, name, info.Size(), info.ModTime(), width}
	if known := t.known(k); known != nil {
		return known, nil
	}
	turn := t.turnOf(key.Root)
	select {
	case turn <- struct{}{}:
		defer func() { <-turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	made, err := shrink(file, width)
	if err != nil {
		return nil, err
	}
	t.keep(k, made)
	return made, nil
}

func (t *thumbs) turnOf(root string) chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.turns[root] == nil {
		t.turns[root] = make(chan struct{}, 1)
	}
	return t.turns[root]
}

func (t *thumbs) known(k thumbKey) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	e, ok := t.byKey[k]
	if !ok {
		return nil
	}
	t.order.MoveToFront(e)
	return e.Value.(*thumb).jpeg
}

func (t *thumbs) keep(k thumbKey, made []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, twice := t.byKey[k]; twice {
		return
	}
	t.byKey[k] = t.order.PushFront(&thumb{k, made})
	t.bytes += len(made)
	for t.bytes > thumbMemory {
		last := t.order.Remove(t.order.Back()).(*thumb)
		delete(t.byKey, last.key)
		t.bytes -= len(last.jpeg)
	}
}

// shrink decodes a photo and draws it small, the right way up.
func shrink(file io.ReadSeeker, width int) ([]byte, error) {
	config, _, err := image.DecodeConfig(file)
	switch {
	case err != nil || config.Width <= 0 || config.Height <= 0:
		return nil, errNoPicture
	case int64(config.Width)*int64(config.Height)*bytesOfPixel(config.ColorModel) > mostDecoded:
		return nil, errTooLarge
	}
	turn := orientation(file)
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	photo, _, err := image.Decode(file)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", errNoPicture, err)
	}
	var out bytes.Buffer
	err = jpeg.Encode(&out, upright(drawSmall(photo, width), turn), &jpeg.Options{Quality: 82})
	return out.Bytes(), err
}

// bytesOfPixel is the memory of one pixel, at most.
func bytesOfPixel(model color.Model) int64 {
	switch model {
	case color.RGBA64Model, color.NRGBA64Model:
		return 8
	}
	return 4
}

// drawSmall scales to the width, and never up. Transparent pixels become white.
func drawSmall(photo image.Image, width int) *image.RGBA {
	bounds := photo.Bounds()
	width = min(width, bounds.Dx())
	height := max(1, bounds.Dy()*width/bounds.Dx())
	small := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(small, small.Bounds(), image.White, image.Point{}, draw.Src)
	scale.ApproxBiLinear.Scale(small, small.Bounds(), photo, bounds, draw.Over, nil)
	return small
}

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
	file, err := p.d.OpenFrame(found.Key(), name)
	if err != nil {
		return errNoFrame
	}
	defer file.Close()
	kind := "image/jpeg"
	picture, err := p.thumbs.of(r.Context(), found.Key(), file, name, width)
	if errors.Is(err, errTooLarge) {
		kind, picture, err = "image/svg+xml", tooLarge, nil
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
	first, err := p.d.FirstFrame(r.Context(), found.Key())
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
	frames, err := p.d.PublishedFrames(found.Key())
	if err != nil || len(frames) == 0 || originOf(frames[0].ThumbnailURL) == "" {
		return ""
	}
	return frames[0].ThumbnailURL
}
