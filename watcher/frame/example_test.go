package frame_test

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"io"

	"spinsync/watcher/frame"
)

// photo is a small whole JPEG.
func photo() []byte {
	var file bytes.Buffer
	if err := jpeg.Encode(&file, image.NewGray(image.Rect(0, 0, 16, 16)), nil); err != nil {
		panic(err) // a buffer takes everything
	}
	return file.Bytes()
}

// A file is judged by its content. The name is for the message.
func ExampleGlance() {
	whole := photo()
	info, err := frame.Glance(bytes.NewReader(whole), int64(len(whole)), "1.jpg")
	fmt.Println(info.ContentType, err)
	cut := whole[:len(whole)-2]
	_, err = frame.Glance(bytes.NewReader(cut), int64(len(cut)), "2.jpg")
	fmt.Println(err)
	// Output:
	// image/jpeg <nil>
	// 2.jpg is not whole: the file is cut off: its end is missing; copy or export it again
}

// A proof sees all bytes of a JPEG, as they pass on their way to somewhere else.
func ExampleProof() {
	cut := photo()[:100]
	proof := frame.NewProof("image/jpeg")
	if _, err := io.Copy(io.Discard, io.TeeReader(bytes.NewReader(cut), proof)); err != nil {
		fmt.Println(err)
	}
	fmt.Println(proof.Verdict("3.jpg"))
	// Output: 3.jpg is not whole: the file is cut off: its end is missing; copy or export it again
}
