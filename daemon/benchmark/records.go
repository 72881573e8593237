//go:build !windows

package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"spinsync/daemon/benchmark/bed"
	"spinsync/syncstate"
)

// records looks at a state file that knows a million published frames.
func records(ctx context.Context, b *bench) error {
	const products, perProduct = 40_000, 25
	g, err := b.lay(ctx, loopback, 0)
	if err != nil {
		return err
	}
	defer g.clear()
	state := filepath.Join(b.work, "records-state")
	root := filepath.Join(b.work, "nothing")
	if err := os.MkdirAll(root, 0o755); err != nil {
		return err
	}
	if _, err := os.Stat(state); err != nil {
		if err := g.fill(state, root, products, perProduct); err != nil {
			return err
		}
	}
	if err := g.convert(state); err != nil {
		return err
	}
	info, err := os.Stat(filepath.Join(state, "state.db"))
	if err != nil {
		return err
	}
	urls := int64(len(mediaURL(0, 0))*2 + len("/resize;w_320/image.webp") + len("0001.jpg"))
	perFrame := float64(info.Size()) / (products * perProduct)
	b.report.row("A million published frames: the state file", []string{"bytes per frame", "of it needed for the service's URLs, unpacked"},
		digits(perFrame), fmt.Sprint(urls))
	for _, command := range [][]string{{"status", "--json"}, {"export", "--format", "ndjson"}, {"export", "--format", "json"}} {
		argv, err := g.again(root, perProduct, state, command...)
		if err != nil {
			return err
		}
		t, err := run(ctx, argv)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("`spinsync %s`", command[0]+" "+command[len(command)-1])
		fmt.Fprintf(os.Stderr, "  %s: %.2f s, %.0f MB\n", name, t.wall.Seconds(), t.peak)
		b.report.row("A million published frames: commands", []string{"command", "seconds", "peak MB"}, name, digits(t.wall.Seconds()), digits(t.peak))
	}
	return nil
}

func mediaURL(product, frame int) string {
	return fmt.Sprintf("https://media.example.com/0d9bd7a1-5a0c-4a3c-a3f5-2f6e3a54a5c1/product-%d/rotation/1/%04d.jpg", product, frame+1)
}

// fill records the products as if they had been published.
func (g *ground) fill(state, root string, products, perProduct int) error {
	making := state + ".making"
	if err := os.RemoveAll(making); err != nil {
		return err
	}
	store, err := g.openState(making)
	if err != nil {
		return err
	}
	var group errgroup.Group
	group.SetLimit(64)
	for p := range products {
		group.Go(func() error {
			return store.Update(syncstate.Folder{Root: root, Path: bed.Folder(p)}, func(r *syncstate.Record) error {
				publishedRecord(r, p, perProduct)
				return nil
			})
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if err := store.Close(); err != nil {
		return err
	}
	return os.Rename(making, state)
}

// convert makes a file that an earlier version filled one of this version.
func (g *ground) convert(state string) error {
	store, err := g.openState(state)
	if err != nil {
		return err
	}
	return store.Close()
}

func (g *ground) openState(dir string) (*syncstate.Store, error) {
	return syncstate.Open(filepath.Join(dir, "state.db"), syncstate.Account{BaseURL: g.baseURL(), Username: "bench"})
}

func publishedRecord(r *syncstate.Record, product, frames int) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(product) * time.Minute)
	title := fmt.Sprintf("product-%05d", product)
	r.State, r.Since, r.Settled = "published", at, frames
	r.Project = syncstate.Project{UUID: fmt.Sprintf("project-%d", product/100), Title: fmt.Sprintf("project-%03d", product/100)}
	r.Product = syncstate.Product{UUID: fmt.Sprintf("product-%d", product), Title: title, SKU: title}
	r.Published = &syncstate.Published{At: at, Images: frames, Bytes: int64(frames) << 22}
	for i := range frames {
		name := fmt.Sprintf("%04d.jpg", i+1)
		digest := sha256.Sum256(fmt.Append(nil, product, name))
		r.Published.Frames = append(r.Published.Frames, syncstate.Frame{
			File:   syncstate.File{Name: name, Size: 4<<20 + int64(digest[0])<<8, ModTime: at.Add(time.Duration(digest[1]) * time.Millisecond), ID: fmt.Sprint(product*100 + i)},
			Digest: digest[:], ImageID: int64(product*100 + i), Ordial: i + 1, Source: name, Row: 1, Group: "rotation", StorageVersion: 2,
			MediaURL: mediaURL(product, i), ThumbnailURL: mediaURL(product, i) + "/resize;w_320/image.webp",
		})
	}
}
