package plan

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"

	"spinsync/daemon/config"
	"spinsync/daemon/layout"
	"spinsync/daemon/manifest"
	"spinsync/syncstate"
	"spinsync/watcher"
	"spinsync/watcher/volume"
)

// Rules are the settings of one root, and of a product folder once its product.toml is laid over.
type Rules struct {
	Layout     layout.Layout
	Project    string // fixed title or UUID; empty when the layout has it
	Order      manifest.Order
	Frames     int // of a full turn; 0 = unknown
	Marker     string
	Settle     time.Duration
	Quiet      time.Duration
	Locale     string
	DeleteGone bool
}

// RulesOf are the rules that sync.toml gives a root.
func RulesOf(w config.Watch) Rules {
	return Rules{
		Layout: w.Layout, Project: w.Project, Order: w.Order, Frames: w.Frames, Marker: w.Marker,
		Settle: w.Settle, Quiet: w.Quiet, Locale: w.Locale, DeleteGone: w.OnRemove == config.RemoveDelete,
	}
}

// Places reports whether a path is one at which a product folder is expected.
func (r Rules) Places(folder string) bool { return watcher.Level(folder) == r.Layout.Depth() }

// StillAt is when what is written now can be still, so that it is worth another look.
func (r Rules) StillAt(now time.Time) time.Time { return now.Add(max(r.Settle, ChangedPause)) }

// Digest identifies the rules by which an idle folder was judged.
func (r Rules) Digest(w config.Watch) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %d %q %q %q %q",
		r.Layout, r.Project, r.Order, r.Frames, r.Marker, r.Locale, w.Include, w.Ignore))
	return hex.EncodeToString(sum[:8])
}

// A Product is the set of fields that the folder's name, its product.toml and the configuration
// give.
type Product struct {
	Project                        string // title or UUID
	Title, SKU, Manufacturer, Year string
}

// SameFields reports whether a product on the service has these fields.
func (p Product) SameFields(q syncstate.Product) bool {
	return p.Title == q.Title && p.SKU == q.SKU && p.Manufacturer == q.Manufacturer && p.Year == q.Year
}

// WithUUID is the product as the service has it once it has these fields.
func (p Product) WithUUID(uuid string) syncstate.Product {
	return syncstate.Product{UUID: uuid, Title: p.Title, SKU: p.SKU, Manufacturer: p.Manufacturer, Year: p.Year}
}

// ProductOf joins the sources: product.toml wins over the folder's name, and title and SKU replace
// each other where one is missing. All of them are in NFC.
func (r Rules) ProductOf(folder string, file config.Product) (Product, error) {
	fields, err := r.Layout.Match(folder)
	if err != nil {
		return Product{}, err
	}
	p := Product{
		Project: cmp.Or(r.Project, fields.Project),
		Title:   cmp.Or(file.Title, fields.Title), SKU: cmp.Or(file.SKU, fields.SKU),
		Manufacturer: cmp.Or(file.Manufacturer, fields.Manufacturer),
		Year:         cmp.Or(file.Year, fields.Year),
	}
	p.Title, p.SKU = cmp.Or(p.Title, p.SKU), cmp.Or(p.SKU, p.Title)
	return p, nil
}

// WithProductFile lays the settings of a product.toml over the rules of the root.
func (r Rules) WithProductFile(file config.Product) Rules {
	if file.Frames != nil {
		r.Frames = *file.Frames
	}
	if file.Order != "" {
		r.Order = file.Order
	}
	return r
}

// FullTurn is the number of images of a whole set by sync.toml, product.toml or the names of the
// frames; 0 when none of them has it.
func (r Rules) FullTurn(frames []watcher.File) int {
	images, _ := r.fullTurn(frames)
	return images
}

// fullTurn also returns how many of them are beside those that the names count, where names do.
func (r Rules) fullTurn(frames []watcher.File) (images, beside int) {
	switch {
	case len(frames) == 1 && isVideo(frames[0].Name):
		return 1, 0
	case r.Frames > 0:
		return r.Frames, 0
	}
	names := make([]string, 0, len(frames))
	for _, f := range frames {
		names = append(names, f.Name)
	}
	return manifest.Total(names)
}

// FileOf is the identity of a file.
func FileOf(f watcher.File) syncstate.File {
	return syncstate.File{Name: f.Name, Size: f.Size, ModTime: f.ModTime, ID: FileID(f.ID)}
}

// FileID is empty where the file system's numbers do not last.
func FileID(id volume.FileID) string {
	if id == 0 {
		return ""
	}
	return strconv.FormatUint(uint64(id), 36)
}

// FingerprintText is how a listing is recorded.
func FingerprintText(f watcher.Fingerprint) string { return hex.EncodeToString(f[:]) }

// FingerprintOf reads a recorded listing. What cannot be read is no listing.
func FingerprintOf(text string) (f watcher.Fingerprint) {
	if raw, err := hex.DecodeString(text); err == nil && len(raw) == len(f) {
		copy(f[:], raw)
	}
	return f
}

// ListingHash is the listing hash of a folder as it is recorded; empty for a folder that is gone.
func ListingHash(s watcher.Snapshot) string {
	if !s.Present {
		return ""
	}
	return FingerprintText(s.Fingerprint)
}

// Fill lays a row below product.toml and above the folder's name. The SKU, by which the row may
// have been found, stays.
func (p *Product) Fill(row, file config.Product) {
	if file.Title == "" {
		p.Title = cmp.Or(row.Title, p.Title)
	}
	p.Manufacturer = cmp.Or(file.Manufacturer, row.Manufacturer, p.Manufacturer)
	p.Year = cmp.Or(file.Year, row.Year, p.Year)
}
