package servicetest

import (
	"bytes"
	picture "image"
	"image/color"
	"image/jpeg"
	"io"

	"spinsync/apiclient"
)

// File is a file to upload.
func File(name, mediaType string, content []byte) apiclient.File {
	return apiclient.File{
		Name: name, ContentType: mediaType, Size: int64(len(content)),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil },
	}
}

// Photo is a JPEG of one grey, with a white corner.
func Photo(name string, width, height int, grey uint8) apiclient.File {
	img := picture.NewGray(picture.Rect(0, 0, width, height))
	for i := range img.Pix {
		img.Pix[i] = grey
	}
	img.Set(0, 0, color.White)
	var data bytes.Buffer
	if err := jpeg.Encode(&data, img, nil); err != nil {
		panic(err)
	}
	return File(name, "image/jpeg", data.Bytes())
}
