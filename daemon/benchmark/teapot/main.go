// Command teapot draws the photos that the demo takes of its turntable, and writes their EXIF data:
//
//	cd daemon/benchmark && go run ./teapot ../../cmd/spinsync/demo/turntable/frames
//
// The object is a glazed teapot with a painted landscape, photographed all around on light grey
// paper. Everything is drawn from a few curves: a z-buffer rasteriser with four samples to a pixel,
// a soft box and a white room that stand still while the table turns, soft shadows, sensor noise.
// The same program draws the same pixels on the same machine.
package main

import (
	"fmt"
	"image"
	"image/jpeg"
	"math"
	"os"
	"path/filepath"
)

// shoot is one object on the turntable, photographed all around.
type shoot struct {
	Frames        int
	Width, Height int // of a frame, in pixels
	Variant       int // 0: blue glaze and a sun; 1: green glaze and a moon
}

// jpegQuality keeps the 38 photos below 2 MB in all, and shows no blocks.
const jpegQuality = 82

// reshot are the frames, from 0, that the demo photographs once more, in the other glaze.
var reshot = []int{9, 10}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: teapot DIR")
		os.Exit(2)
	}
	if err := drawAll(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "teapot:", err)
		os.Exit(1)
	}
}

func drawAll(dir string) error {
	blue := shoot{Frames: 36, Width: 800, Height: 600}
	if err := os.WriteFile(filepath.Join(dir, "exif.tiff"), exif(taken, blue.Width, blue.Height), 0o644); err != nil {
		return err
	}
	for i := range blue.Frames {
		if err := blue.save(i, filepath.Join(dir, fmt.Sprintf("blue_%02d.jpg", i+1))); err != nil {
			return err
		}
	}
	green := blue
	green.Variant = 1
	for _, i := range reshot {
		if err := green.save(i, filepath.Join(dir, fmt.Sprintf("green_%02d.jpg", i+1))); err != nil {
			return err
		}
	}
	return nil
}

func (s shoot) save(i int, path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := jpeg.Encode(file, s.draw(i), &jpeg.Options{Quality: jpegQuality}); err != nil {
		return err
	}
	return file.Close()
}

// draw shows the object after i / Frames of a full turn.
func (s shoot) draw(i int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, s.Width, s.Height))
	newScene(s, 2*math.Pi*float64(i)/float64(s.Frames)).render(img, grain(i))
	return img
}
