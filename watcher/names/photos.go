package names

import (
	"path"
	"slices"
	"strings"
)

// whyNotTaken is why a photo or film is no frame where include does not name it; empty for other
// files.
func whyNotTaken(folded string) string {
	switch ext := strings.TrimPrefix(path.Ext(folded), "."); {
	case slices.Contains(rawKinds, ext):
		return "a raw file; let the camera or its program write JPEG"
	case slices.Contains(heicKinds, ext):
		return "HEIC; set the camera to JPEG, or convert it"
	case slices.Contains(editorKinds, ext):
		return "a file of an image editor; export it as JPEG"
	case slices.Contains(otherKinds, ext):
		return "include does not name *." + ext + "; convert it to JPEG, or add the kind to include"
	}
	return ""
}

// The last parts of the names of photos and films.
var (
	rawKinds = strings.Fields("3fr arw cr2 cr3 crw dcr dng erf fff gpr iiq kdc mos mrw nef nrw orf pef raf raw " +
		"rw2 rwl sr2 srf srw x3f")

	heicKinds   = strings.Fields("heic heics heif heifs hif")
	editorKinds = strings.Fields("af afphoto clip kra psb psd psdt xcf")
	otherKinds  = strings.Fields("avi avif bmp gif jfif jp2 jpe jpeg jpg jxl m4v mkv mov mp4 mpg mts png svg " +
		"tga tif tiff webm webp wmv")
)
