package frame

import (
	"path"
	"strings"
)

// ContentType tells the media type by the name's extension, for kinds that have no rule of their
// own. The operating system's table is not asked: it differs from machine to machine. A name it
// does not know is application/octet-stream.
func ContentType(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".jpg", ".jpeg", ".jpe", ".jfif":
		return "image/jpeg"
	case ".png":
		return "image/png"
	case ".webp":
		return "image/webp"
	case ".tif", ".tiff":
		return "image/tiff"
	case ".gif":
		return "image/gif"
	case ".heic":
		return "image/heic"
	case ".heif":
		return "image/heif"
	case ".avif":
		return "image/avif"
	case ".bmp":
		return "image/bmp"
	case ".jxl":
		return "image/jxl"
	case ".dng":
		return "image/x-adobe-dng"
	case ".mp4", ".m4v":
		return "video/mp4"
	case ".mov", ".qt":
		return "video/quicktime"
	case ".webm":
		return "video/webm"
	case ".mkv":
		return "video/x-matroska"
	case ".avi":
		return "video/x-msvideo"
	case ".mpg", ".mpeg":
		return "video/mpeg"
	}
	return "application/octet-stream"
}

// hasRule tells whether files of a media type are judged by their content.
func hasRule(contentType string) bool {
	switch contentType {
	case "image/jpeg", "image/png", "image/webp", "image/tiff", "image/gif",
		"image/heic", "image/heif", "image/avif", "video/mp4", "video/quicktime":
		return true
	}
	return false
}
