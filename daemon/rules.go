package daemon

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"strconv"
	"time"

	"golang.org/x/text/unicode/norm"

	"spinsync/daemon/config"
	"spinsync/daemon/layout"
	"spinsync/daemon/manifest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
	"spinsync/watcher/volume"
)

// rules are the settings of one root, and of a product folder once its product.toml is laid over.
type rules struct {
	layout     layout.Layout
	project    string // fixed title or UUID; empty when the layout has it
	order      manifest.Order
	frames     int // of a full turn; 0 = unknown
	marker     string
	settle     time.Duration
	quiet      time.Duration
	locale     string
	deleteGone bool
}

func rulesOf(w config.Watch) rules {
	return rules{
		layout: w.Layout, project: w.Project, order: w.Order, frames: w.Frames, marker: w.Marker,
		settle: w.Settle, quiet: w.Quiet, locale: w.Locale, deleteGone: w.OnRemove == config.RemoveDelete,
	}
}

// places reports whether a path is one at which a product folder is expected.
func (r rules) places(folder string) bool { return watcher.Level(folder) == r.layout.Depth() }

// digest tells whether a folder that came to rest was judged by the same rules.
func (r rules) digest(w config.Watch) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %d %q %q %q %q",
		r.layout, r.project, r.order, r.frames, r.marker, r.locale, w.Include, w.Ignore))
	return hex.EncodeToString(sum[:8])
}

// A product is the set of fields that the folder's name, its product.toml and the configuration
// give.
type product struct {
	project                        string // title or UUID
	title, sku, manufacturer, year string
}

func (p product) sameFields(q syncstate.Product) bool {
	return p.title == q.Title && p.sku == q.SKU && p.manufacturer == q.Manufacturer && p.year == q.Year
}

func (p product) record(uuid string) syncstate.Product {
	return syncstate.Product{UUID: uuid, Title: p.title, SKU: p.sku, Manufacturer: p.manufacturer, Year: p.year}
}

// productOf joins the sources: product.toml wins over the folder's name, and title and SKU stand in
// for each other.
func (r rules) productOf(folder string, file config.Product) (product, error) {
	fields, err := r.layout.Match(folder)
	if err != nil {
		return product{}, fmt.Errorf("folder %s: %w", status.Name(path.Base(folder)), err)
	}
	p := product{
		project: first(r.project, fields.Project),
		title:   first(file.Title, fields.Title), sku: first(file.SKU, fields.SKU),
		manufacturer: first(file.Manufacturer, fields.Manufacturer), year: first(file.Year, fields.Year),
	}
	p.title, p.sku = first(p.title, p.sku), first(p.sku, p.title)
	for _, field := range []*string{&p.project, &p.title, &p.sku, &p.manufacturer, &p.year} {
		*field = norm.NFC.String(*field)
	}
	return p, nil
}

// withProductFile lays the settings of a product.toml over the rules of the root.
func (r rules) withProductFile(file config.Product) rules {
	if file.Frames != nil {
		r.frames = *file.Frames
	}
	if file.Order != "" {
		r.order = file.Order
	}
	return r
}

func first(candidates ...string) string {
	for _, c := range candidates {
		if c != "" {
			return c
		}
	}
	return ""
}

func identity(f watcher.File) syncstate.File {
	return syncstate.File{Name: f.Name, Size: f.Size, ModTime: f.ModTime, ID: fileID(f.ID)}
}

// fileID is empty where the file system's numbers do not last.
func fileID(id volume.FileID) string {
	if id == 0 {
		return ""
	}
	return strconv.FormatUint(uint64(id), 36)
}

// fingerprintText is how a listing is recorded.
func fingerprintText(f watcher.Fingerprint) string { return hex.EncodeToString(f[:]) }

// fingerprintOf reads a recorded listing. What cannot be read is no listing.
func fingerprintOf(text string) (f watcher.Fingerprint) {
	if raw, err := hex.DecodeString(text); err == nil && len(raw) == len(f) {
		copy(f[:], raw)
	}
	return f
}
