package media

import (
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"path"
	"strings"

	"github.com/HugoSmits86/nativewebp"
	"golang.org/x/image/draw"
)

const jpegQuality = 88

type format struct {
	contentType string
	encode      func(io.Writer, image.Image) error
}

// formatOf picks the format by the extension of the output name, in any letter case.
func formatOf(output string) (format, error) {
	switch strings.ToLower(path.Ext(output)) {
	case ".webp":
		return format{"image/webp", encodeWebP}, nil
	case ".jpg", ".jpeg":
		return format{"image/jpeg", encodeJPEG}, nil
	case ".png":
		return format{"image/png", png.Encode}, nil
	}
	return format{}, fmt.Errorf("%w: output %q (its name must end in .webp, .jpg or .png)", ErrRequest, output)
}

// encodeWebP writes lossless WebP: no lossy encoder exists without cgo.
func encodeWebP(w io.Writer, img image.Image) error {
	return nativewebp.Encode(w, img, nil)
}

// encodeJPEG puts transparent pixels on white, where the encoder would make them black.
func encodeJPEG(w io.Writer, img image.Image) error {
	if !isOpaque(img) {
		flat := image.NewRGBA(img.Bounds())
		draw.Draw(flat, flat.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
		draw.Draw(flat, flat.Bounds(), img, img.Bounds().Min, draw.Over)
		img = flat
	}
	return jpeg.Encode(w, img, &jpeg.Options{Quality: jpegQuality})
}

func isOpaque(img image.Image) bool {
	known, ok := img.(interface{ Opaque() bool })
	return ok && known.Opaque()
}
