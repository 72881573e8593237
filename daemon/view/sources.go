package view

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path"

	"spinsync/apiclient"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// CompareSources downloads the product's source files (interface 4.11) and compares them with the
// folder's by digest.
func CompareSources(
	ctx context.Context, service *apiclient.Client, product string, run *syncstate.Run,
) (doubt string, err error) {
	archive, err := os.CreateTemp("", "spinsync-sources-*.zip")
	if err != nil {
		return "", err
	}
	// Where an open file may be removed, not even a kill leaves the archive behind.
	_ = os.Remove(archive.Name())
	defer os.Remove(archive.Name())
	defer archive.Close()
	size, err := service.DownloadSources(ctx, product, &bounded{archive, largestArchive(run)})
	var remote *apiclient.Error
	switch {
	case errors.Is(err, errTooMuch):
		return "its source files are larger than the folder's", nil
	case errors.As(err, &remote) && !remote.Temporary():
		return "its source files cannot be had: " + err.Error(), nil
	case err != nil:
		return "", err
	}
	sources, err := zip.NewReader(archive, size)
	if err != nil {
		return "its source files are no ZIP: " + err.Error(), nil
	}
	return compareArchive(sources, run)
}

// largestArchive is how long a ZIP of exactly the run's frames may be, however it is packed.
func largestArchive(run *syncstate.Run) int64 {
	const overhead = 4 << 10 // of each frame, and of the whole
	size := int64(overhead)
	for _, f := range run.Frames {
		size += f.Size + f.Size/64 + overhead
	}
	return size
}

var errTooMuch = errors.New("more is written than there is room for")

// bounded writes so many bytes and no more.
type bounded struct {
	w    io.Writer
	left int64
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, errTooMuch
	}
	return b.w.Write(p)
}

func compareArchive(sources *zip.Reader, run *syncstate.Run) (doubt string, err error) {
	digests := map[string][]byte{}
	sizes := map[string]int64{}
	for _, f := range run.Frames {
		name := plan.StoredName(f.Stored, f.Name)
		digests[name], sizes[name] = f.Digest, f.Size
	}
	for _, file := range sources.File {
		if file.FileInfo().IsDir() {
			continue
		}
		name := path.Base(file.Name)
		want, ok := digests[name]
		if !ok {
			return fmt.Sprintf("the service holds %s, the folder does not", status.Name(name)), nil
		}
		got, err := digestOfSource(file, sizes[name])
		if err != nil {
			return fmt.Sprintf("source file %s: %v", status.Name(name), err), nil
		}
		if !bytes.Equal(got, want) {
			return fmt.Sprintf("%s has another content on the service", status.Name(name)), nil
		}
		delete(digests, name)
	}
	if len(digests) > 0 {
		return fmt.Sprintf("the service lacks %s", status.Frames(len(digests))), nil
	}
	return "", nil
}

// digestOfSource reads a little more than the expected size at most, even if the archive unpacks to
// far more.
func digestOfSource(file *zip.File, size int64) ([]byte, error) {
	content, err := file.Open()
	if err != nil {
		return nil, err
	}
	defer content.Close()
	digest := sha256.New()
	if _, err := io.Copy(digest, io.LimitReader(content, size+1)); err != nil {
		return nil, err
	}
	return digest.Sum(nil), nil
}
