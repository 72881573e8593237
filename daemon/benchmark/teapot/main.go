// Command teapot draws the photos that the demo takes of its turntable, and writes their EXIF data:
//
//	cd daemon/benchmark && go run ./teapot ../../cmd/spinsync/demo/turntable/frames
//
// The same program draws the same pixels on the same machine.
package main

import (
	"fmt"
	"image/jpeg"
	"os"
	"path/filepath"
	"time"

	"spinsync/daemon/inspect/inspecttest"
)

// taken is the time in the EXIF data. The demo writes its own in the place of it.
var taken = time.Date(2001, 2, 3, 4, 5, 6, 789_000_000, time.FixedZone("", 60*60))

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
	blue := inspecttest.Teapot{Frames: 36, Width: 800, Height: 600}
	exif := inspecttest.EXIF{Captured: taken, Width: blue.Width, Height: blue.Height}
	if err := os.WriteFile(filepath.Join(dir, "exif.tiff"), exif.Block(), 0o644); err != nil {
		return err
	}
	for i := range blue.Frames {
		if err := save(blue, i, filepath.Join(dir, fmt.Sprintf("blue_%02d.jpg", i+1))); err != nil {
			return err
		}
	}
	green := blue
	green.Variant = 1
	for _, i := range reshot {
		if err := save(green, i, filepath.Join(dir, fmt.Sprintf("green_%02d.jpg", i+1))); err != nil {
			return err
		}
	}
	return nil
}

func save(pot inspecttest.Teapot, i int, path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := jpeg.Encode(file, pot.Draw(i), &jpeg.Options{Quality: jpegQuality}); err != nil {
		return err
	}
	return file.Close()
}
