package status

import (
	"time"

	"spinsync/syncstate"
)

// ExportedProduct is one product folder in the output of `spinsync export`. Images is empty until
// the first publication and holds the last published revision from then on.
type ExportedProduct struct {
	Root         string          `json:"root"`
	Folder       string          `json:"folder"`
	Station      string          `json:"station"` // the active station of a fleet; empty at a computer alone
	Name         string          `json:"name"`    // of the root in a fleet
	Project      ExportedProject `json:"project"`
	UUID         string          `json:"uuid"`
	Title        string          `json:"title"`
	SKU          string          `json:"sku"`
	Manufacturer string          `json:"manufacturer"`
	Year         *string         `json:"year"`
	State        State           `json:"state"`
	Reason       string          `json:"reason"`
	Revision     int64           `json:"revision"`
	PublishedAt  *time.Time      `json:"published_at"`
	EmbedURL     string          `json:"embed_url"`
	Images       []ExportedImage `json:"images"`
}

// ExportedProject is the project a product belongs to.
type ExportedProject struct {
	UUID  string `json:"uuid"`
	Title string `json:"title"`
}

// ExportedImage is one published image and the local file it was made from.
type ExportedImage struct {
	ID             int64             `json:"id"`
	Ordial         int               `json:"ordial"`
	File           string            `json:"file"` // always the local name
	Source         string            `json:"source"`
	Row            int               `json:"row"`
	ImageGroup     string            `json:"image_group"`
	SourceRevision int64             `json:"source_revision"`
	StorageVersion int               `json:"storage_version"`
	MediaURL       string            `json:"media_url"`
	ThumbnailURL   string            `json:"thumbnail_url"`
	AltTexts       map[string]string `json:"alt_texts"`
}

// Exported turns a record into its entry of the export, in the state that people see.
func Exported(shown ProductStatus, r syncstate.Record) ExportedProduct {
	p := ExportedProduct{
		Root: shown.Root, Folder: shown.Folder, Station: shown.Station, Name: shown.Name,
		Project: ExportedProject{UUID: r.Project.UUID, Title: r.Project.Shown()},
		UUID:    r.Product.UUID, Title: r.Product.Title, SKU: r.Product.SKU,
		Manufacturer: r.Product.Manufacturer, Year: Optional(r.Product.Year),
		State: shown.State, Reason: shown.Reason,
		Images: []ExportedImage{},
	}
	if r.Published == nil {
		return p
	}
	p.Revision, p.PublishedAt, p.EmbedURL = r.Published.Revision, &r.Published.At, r.Published.EmbedURL
	for _, f := range r.Published.Frames {
		p.Images = append(p.Images, exportedImage(r.Published.Revision, f))
	}
	return p
}

func exportedImage(revision int64, f syncstate.Frame) ExportedImage {
	alt := f.Alt
	if alt == nil {
		alt = map[string]string{}
	}
	return ExportedImage{
		ID: f.ImageID, Ordial: f.Ordial, File: f.Name, Source: f.Source, Row: f.Row, ImageGroup: f.Group,
		SourceRevision: revision, StorageVersion: f.StorageVersion,
		MediaURL: f.MediaURL, ThumbnailURL: f.ThumbnailURL, AltTexts: alt,
	}
}

// Optional is nil for an empty text.
func Optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
