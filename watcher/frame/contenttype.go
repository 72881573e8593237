package frame

import (
	"cmp"
	"path"
	"strings"
)

// ContentType returns the media type by the name's extension, for kinds that have no rule of their
// own. The operating system's table is not asked: it differs from machine to machine. A name it
// does not know is application/octet-stream.
func ContentType(name string) string {
	return cmp.Or(typesByExtension[strings.ToLower(path.Ext(name))], "application/octet-stream")
}

var typesByExtension = map[string]string{
	".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".jpe": "image/jpeg", ".jfif": "image/jpeg",
	".png": "image/png", ".webp": "image/webp", ".tif": "image/tiff", ".tiff": "image/tiff",
	".gif": "image/gif", ".bmp": "image/bmp", ".jxl": "image/jxl", ".dng": "image/x-adobe-dng",
	".heic": "image/heic", ".heif": "image/heif", ".avif": "image/avif",
	".mp4": "video/mp4", ".m4v": "video/mp4", ".mov": "video/quicktime", ".qt": "video/quicktime",
	".webm": "video/webm", ".mkv": "video/x-matroska", ".avi": "video/x-msvideo",
	".mpg": "video/mpeg", ".mpeg": "video/mpeg",
}

// isNo is what is wrong with a file that is of no format of this media type.
func isNo(contentType string) string {
	_, format, _ := strings.Cut(contentType, "/")
	return "its content is no " + strings.ToUpper(format) + " file"
}

// hasRule reports whether files of a media type are judged by their content.
func hasRule(contentType string) bool {
	switch contentType {
	case "image/jpeg", "image/png", "image/webp", "image/tiff",
		"image/heic", "image/heif", "image/avif", "video/mp4", "video/quicktime":
		return true
	}
	return false
}
