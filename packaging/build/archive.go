package main

import (
	"archive/tar"
	"archive/zip"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// An entry is a file of an archive.
type entry struct {
	name, from string
	mode       int64
}

// dir is the one directory at the top of an archive, and the archive's name without its ending.
func (r *release) dir(t target) string {
	return fmt.Sprintf("spinsync_%s_%s_%s", r.version, t.system, t.arch)
}

// makeArchives packs what a person unpacks by hand.
func (r *release) makeArchives(t target) error {
	entries, err := r.entries(t)
	if err != nil {
		return err
	}
	for ending, write := range map[string]func(io.Writer, []entry, time.Time) error{
		"tar.gz": writeTar,
		"zip":    writeZip,
	} {
		if err := r.writeArchive(r.dir(t)+"."+ending, entries, write); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) writeArchive(name string, entries []entry, write func(io.Writer, []entry, time.Time) error) error {
	f, err := os.Create(filepath.Join(r.dist, name))
	if err != nil {
		return err
	}
	if err := write(f, entries, r.time); err != nil {
		return errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	return f.Close()
}

// entries lists the files of an archive, sorted by name.
func (r *release) entries(t target) ([]entry, error) {
	top := r.dir(t)
	entries := []entry{
		{path.Join(top, t.executable()), r.binary(t), 0o755},
		{path.Join(top, "THIRD-PARTY.txt"), r.texts("THIRD-PARTY.txt"), 0o644},
	}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md", "sync.toml.example"} {
		entries = append(entries, entry{path.Join(top, name), name, 0o644})
	}
	docs, err := os.ReadDir("docs") // README.md leads there
	if err != nil {
		return nil, err
	}
	for _, f := range docs {
		entries = append(entries, entry{path.Join(top, "docs", f.Name()), filepath.Join("docs", f.Name()), 0o644})
	}
	for _, dir := range []string{"man", "completions"} {
		files, err := os.ReadDir(r.texts(dir))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if !strings.HasSuffix(f.Name(), ".gz") {
				entries = append(entries, entry{path.Join(top, dir, f.Name()), r.texts(dir, f.Name()), 0o644})
			}
		}
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return entries, nil
}

func writeTar(w io.Writer, entries []entry, modified time.Time) error {
	compressed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(compressed)
	for _, e := range entries {
		data, err := os.ReadFile(e.from)
		if err != nil {
			return err
		}
		header := &tar.Header{
			Name: e.name, Mode: e.mode, Size: int64(len(data)), ModTime: modified, Format: tar.FormatUSTAR,
		}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(data); err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), compressed.Close())
}

func writeZip(w io.Writer, entries []entry, modified time.Time) error {
	archive := zip.NewWriter(w)
	archive.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	for _, e := range entries {
		data, err := os.ReadFile(e.from)
		if err != nil {
			return err
		}
		header := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: modified.UTC()}
		header.SetMode(os.FileMode(e.mode))
		file, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := file.Write(data); err != nil {
			return err
		}
	}
	return archive.Close()
}
