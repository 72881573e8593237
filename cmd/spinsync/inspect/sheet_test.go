package inspect

import (
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"spinsync/daemon/inspect"
)

// TestSheetMarksFindings: each frame has its place, upright ones and those without a picture too, and an edge in
// red where something was found.
func TestSheetMarksFindings(t *testing.T) {
	s := set{Folder: "/shoots/SKU-1", Frames: 11, Findings: []inspect.Finding{
		{Kind: inspect.Repeated, Frames: []string{"frame_02.jpg", "frame_03.jpg"}},
		{Kind: inspect.Blurred, Frames: []string{"frame_10.jpg"}},
	}}
	for i := range s.Frames {
		size := image.Pt(160, 106)
		if i == 1 {
			size = image.Pt(107, 160)
		}
		s.names = append(s.names, fmt.Sprintf("frame_%02d.jpg", i+1))
		s.pictures = append(s.pictures, image.NewYCbCr(image.Rectangle{Max: size}, image.YCbCrSubsampleRatio444))
	}
	s.names[4] = "frame_05_of_a_set_whose_names_are_far_too_long_for_a_cell.jpg"
	s.pictures[9] = nil
	path := filepath.Join(t.TempDir(), "sheet.png")
	if err := writeSheet(path, []set{s, {Folder: "/shoots/empty"}}); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	sheet, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	if want := image.Pt(columns*cellWide, 2*heading+2*cellHigh); sheet.Bounds().Max != want {
		t.Errorf("the sheet has %v, want %v", sheet.Bounds().Max, want)
	}
	for i := range s.Frames {
		corner := sheet.At(i%columns*cellWide+margin-1, heading+i/columns*cellHigh+margin-1)
		if marked := corner == red; marked != (i == 1 || i == 2 || i == 9) {
			t.Errorf("frame %d is marked: %v", i+1, marked)
		}
	}
	if err := writeSheet(filepath.Join(path, "below.png"), nil); err == nil {
		t.Error("a sheet below a file")
	}
}
