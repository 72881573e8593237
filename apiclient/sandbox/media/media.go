// Package media is the image side of the sandbox's media host. Call Transform
// for a resized copy of a stored image in another format, by the part of a
// media URL that follows the image ("/resize;w_320/image.webp", interface
// section 2, media URLs).
//
// It reads JPEG, PNG, WebP and TIFF and writes WebP, JPEG and PNG. It keeps the
// aspect ratio, turns the image upright by its EXIF orientation, and drops
// all metadata. It refuses to crop, to add viewer settings or watermarks, and
// to decode an image whose header announces more pixels than a studio camera
// makes. It neither caches nor limits how many transformations run at once:
// one holds the decoded source in memory, so the caller bounds them.
package media

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"io"

	_ "image/jpeg" // registers the decoder
	_ "image/png"  // registers the decoder

	"golang.org/x/image/draw"
	_ "golang.org/x/image/tiff" // registers the decoder
	_ "golang.org/x/image/webp" // registers the decoder

	"spinsync/watcher/frame"
)

const (
	// maxBytes bounds a source that has to be read into memory.
	maxBytes = 512 << 20
	// maxPixels is a little more than the largest medium-format back (151 megapixels).
	maxPixels = 160_000_000
)

var (
	// ErrRequest marks a transformation or an output name that does not exist here (HTTP 400).
	ErrRequest = errors.New("transformation not known")
	// ErrImage marks a source that is not an image that can be shown (HTTP 415).
	ErrImage = errors.New("not an image that can be shown")
)

// Transform reads an image from src, applies the segments in order and writes the result to dst in
// the format that the extension of output names. It returns the media type of the result.
//
// The only segment is "resize;" with "w_<pixels>", "h_<pixels>" or both; with
// both, the image fits into that box. Without segments only the format changes.
// Errors are ErrRequest, ErrImage or those of src and dst; nothing is written
// to dst before the whole result is there.
func Transform(dst io.Writer, src io.Reader, segments []string, output string) (contentType string, err error) {
	format, err := formatOf(output)
	if err != nil {
		return "", err
	}
	resizes, err := parseSegments(segments)
	if err != nil {
		return "", err
	}
	img, orient, err := decode(src)
	if err != nil {
		return "", err
	}
	var result bytes.Buffer
	if err := format.encode(&result, resized(img, orient, resizes)); err != nil {
		return "", fmt.Errorf("encode %s: %w", output, err)
	}
	if _, err := result.WriteTo(dst); err != nil {
		return "", err
	}
	return format.contentType, nil
}

// decode returns the pixels as they are stored and how they have to be turned.
func decode(src io.Reader) (image.Image, frame.Orientation, error) {
	file, err := seekable(src)
	if err != nil {
		return nil, frame.Upright, err
	}
	config, _, err := image.DecodeConfig(file)
	if err != nil {
		return nil, frame.Upright, fmt.Errorf("%w: %v", ErrImage, err)
	}
	if int64(config.Width)*int64(config.Height) > maxPixels {
		return nil, frame.Upright,
			fmt.Errorf("%w: %d × %d pixels are more than %d", ErrImage, config.Width, config.Height, maxPixels)
	}
	orient := frame.OrientationOf(file)
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, frame.Upright, err
	}
	img, _, err := image.Decode(file)
	if err != nil {
		return nil, frame.Upright, fmt.Errorf("%w: %v", ErrImage, err)
	}
	return img, orient, nil
}

// seekable returns src itself where it can seek, else a copy in memory.
func seekable(src io.Reader) (io.ReadSeeker, error) {
	if file, ok := src.(io.ReadSeeker); ok {
		return file, nil
	}
	data, err := io.ReadAll(io.LimitReader(src, maxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxBytes {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrImage, maxBytes)
	}
	return bytes.NewReader(data), nil
}

// resized scales first and turns afterwards, because a thumbnail has fewer pixels to move.
func resized(img image.Image, orient frame.Orientation, resizes []box) image.Image {
	size := orient.Size(img.Bounds().Size())
	if size.X > maxSide || size.Y > maxSide {
		size = box{maxSide, maxSide}.fit(size)
	}
	for _, box := range resizes {
		size = box.fit(size)
	}
	return orient.Apply(scaled(img, orient.Size(size)))
}

func scaled(img image.Image, size image.Point) image.Image {
	if img.Bounds().Size() == size {
		return img
	}
	small := image.NewRGBA(image.Rectangle{Max: size})
	draw.CatmullRom.Scale(small, small.Bounds(), img, img.Bounds(), draw.Src, nil)
	return small
}
