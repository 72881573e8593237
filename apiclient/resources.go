package apiclient

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"time"
)

// Project is a group of products (interface section 2).
type Project struct {
	UUID      string    `json:"uuid"`
	Title     string    `json:"title"`
	CreatedAt Timestamp `json:"created_at"`
	// Products counts the project's products. Only the project list (4.7) carries it, elsewhere it
	// is nil.
	Products *int `json:"products,omitempty"`
}

// Product is one 360° view (interface section 2).
type Product struct {
	UUID         string `json:"uuid"`
	Title        string `json:"title"`
	SKU          string `json:"sku"`
	Manufacturer string `json:"manufacturer"`
	// Year is null on the wire when it is empty here.
	Year      string    `json:"year"`
	Project   string    `json:"project"` // UUID of the owning project
	CreatedAt Timestamp `json:"created_at"`
}

// newProject is the body of 4.1.
type newProject struct {
	Title string `json:"title"`
}

// NewProduct is the body of 4.2. An empty year is left out.
type NewProduct struct {
	Title        string `json:"title"`
	SKU          string `json:"sku"`
	Manufacturer string `json:"manufacturer"`
	Year         string `json:"year,omitempty"`
	Project      string `json:"project"` // UUID of an existing project
	Images       int    `json:"images"`  // how many files will be uploaded, 1 for a video
}

// ProductUpdate is the body of 4.9. A nil field is not sent and stays as it is; a pointer to ""
// empties the field.
type ProductUpdate struct {
	Title        *string `json:"title,omitempty"`
	SKU          *string `json:"sku,omitempty"`
	Manufacturer *string `json:"manufacturer,omitempty"`
	Year         *string `json:"year,omitempty"`
}

// Credentials are what a product's files are uploaded with (interface section 2, answered by 4.2
// and 4.9).
//
// With Policy and Signature any program can write below Path. Printing or logging a value hides
// them. Marshalling to JSON does not, because the form has to survive a restart: keep the result as
// private as a password.
type Credentials struct {
	UUID        string `json:"uuid"`
	Title       string `json:"title"`
	Path        string `json:"path"`
	Policy      string `json:"policy"`
	Signature   string `json:"signature"`
	Hostname    string `json:"hostname"`
	AccessKeyID string `json:"access_key_id"`
	ACL         string `json:"acl"`

	// AccessKeyField is the form field that carries AccessKeyID (4.3). Empty means the first of
	// AccessKeyFields.
	AccessKeyField string `json:"-"`
}

// String names the product and the host, without the secrets.
func (c Credentials) String() string {
	return fmt.Sprintf("upload form of product %s for %s", printable(c.UUID), printable(c.Hostname))
}

// Format prints String for every verb, so that %+v and %#v hide the secrets too.
func (c Credentials) Format(f fmt.State, _ rune) { fmt.Fprint(f, c.String()) }

// LogValue implements slog.LogValuer.
func (c Credentials) LogValue() slog.Value { return slog.StringValue(c.String()) }

// Image is one frame of a product as the service holds it (interface section 2, answered by 4.12).
type Image struct {
	ID             int64  `json:"id"`
	Ordial         int    `json:"ordial"`          // position; the interface's spelling
	AltTexts       Texts  `json:"alt_texts"`       // not nil once read
	SourceRevision int64  `json:"source_revision"` // 0 is a valid revision
	StorageVersion int    `json:"storage_version"`
	ImageStatus    string `json:"image_status"` // passed on as the service spells it
	Source         string `json:"source"`
	Row            int    `json:"row"`
	ImageGroup     string `json:"image_group"`
	MediaReady     bool   `json:"media_ready"`
	// MediaURL and ThumbnailURL are null on the wire when they are empty here: the media is not
	// ready.
	MediaURL     string `json:"media_url"`
	ThumbnailURL string `json:"thumbnail_url"`
}

// StatusFinished is the one value of an image status that the interface names.
const StatusFinished = "finished"

// Status is how far the service is with a product's newest upload (4.14).
type Status struct {
	SourceRevision int64  `json:"source_revision"`
	ImageStatus    string `json:"image_status"`
}

// Finished reports whether processing is complete. Every other status counts as processing.
func (s Status) Finished() bool { return s.ImageStatus == StatusFinished }

// StatusAnswer is the whole answer of 4.14. Variant is nil for an unknown product.
type StatusAnswer struct {
	Variant *Status `json:"variant"`
}

// altTextUpdate is the body of 4.13, which replaces every text of the image.
type altTextUpdate struct {
	AltTexts Texts `json:"alt_texts"`
}

// ImageAltTexts is the answer of 4.13: what the service stored.
type ImageAltTexts struct {
	ID          int64  `json:"id"`
	VariantUUID string `json:"variant_uuid"` // UUID of the product
	AltTexts    Texts  `json:"alt_texts"`
}

// Timestamp is a time as the service writes it: ISO 8601 in UTC with milliseconds. The zero value
// is null on the wire. A time that cannot be read becomes the zero value, since no operation
// depends on it.
type Timestamp struct{ time.Time }

// timestampLayouts are tried in turn. The interface shows the first and promises only ISO 8601 for
// products.
var timestampLayouts = []string{time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05", time.DateOnly}

// MarshalJSON writes the form the interface shows, or null.
func (t Timestamp) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return t.UTC().AppendFormat(nil, `"2006-01-02T15:04:05.000Z"`), nil
}

// UnmarshalJSON reads an ISO 8601 time of any precision, of which it keeps the milliseconds that
// the interface shows.
func (t *Timestamp) UnmarshalJSON(data []byte) error {
	*t = Timestamp{}
	var s string
	if json.Unmarshal(data, &s) != nil {
		return nil
	}
	for _, layout := range timestampLayouts {
		if parsed, err := time.Parse(layout, s); err == nil {
			t.Time = parsed.UTC().Truncate(time.Millisecond)
			return nil
		}
	}
	return nil
}

// MarshalJSON writes an empty year as null.
func (p Product) MarshalJSON() ([]byte, error) {
	type plain Product
	return json.Marshal(struct {
		plain
		Year *string `json:"year"`
	}{plain(p), orNull(p.Year)})
}

// UnmarshalJSON accepts scalars of other types than shown, and requires the uuid.
func (p *Product) UnmarshalJSON(data []byte) error {
	type plain Product
	wire := struct {
		*plain
		Title        text `json:"title"`
		SKU          text `json:"sku"`
		Manufacturer text `json:"manufacturer"`
		Year         text `json:"year"`
	}{plain: (*plain)(p)}
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	p.Title, p.SKU = string(wire.Title), string(wire.SKU)
	p.Manufacturer, p.Year = string(wire.Manufacturer), string(wire.Year)
	return requireFields("product", field{"uuid", p.UUID})
}

// UnmarshalJSON requires the uuid.
func (p *Project) UnmarshalJSON(data []byte) error {
	type plain Project
	wire := struct {
		*plain
		Title    text   `json:"title"`
		Products *whole `json:"products"`
	}{plain: (*plain)(p)}
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	p.Title = string(wire.Title)
	p.Products = nil
	if wire.Products != nil {
		p.Products = new(int(*wire.Products))
	}
	return requireFields("project", field{"uuid", p.UUID})
}

// MarshalJSON writes empty URLs as null.
func (i Image) MarshalJSON() ([]byte, error) {
	type plain Image
	return json.Marshal(struct {
		plain
		MediaURL     *string `json:"media_url"`
		ThumbnailURL *string `json:"thumbnail_url"`
	}{plain(i), orNull(i.MediaURL), orNull(i.ThumbnailURL)})
}

// UnmarshalJSON accepts numbers written as strings, and requires the id.
func (i *Image) UnmarshalJSON(data []byte) error {
	type plain Image
	wire := struct {
		*plain
		ID             *whole `json:"id"`
		Ordial         whole  `json:"ordial"`
		SourceRevision whole  `json:"source_revision"`
		StorageVersion whole  `json:"storage_version"`
		Row            whole  `json:"row"`
	}{plain: (*plain)(i)}
	i.AltTexts = Texts{}
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	if wire.ID == nil {
		return missingField("image", "id")
	}
	i.ID, i.SourceRevision = int64(*wire.ID), int64(wire.SourceRevision)
	i.Ordial, i.StorageVersion, i.Row = int(wire.Ordial), int(wire.StorageVersion), int(wire.Row)
	return nil
}

// UnmarshalJSON requires the status, and the revision of what is finished: one that is missing must
// not be taken for revision 0. A status of null is none yet, for instance of a product without
// images.
func (s *Status) UnmarshalJSON(data []byte) error {
	var wire struct {
		SourceRevision *whole          `json:"source_revision"`
		ImageStatus    json.RawMessage `json:"image_status"`
	}
	*s = Status{}
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	if wire.ImageStatus == nil {
		return missingField("variant", "image_status")
	}
	if err := json.Unmarshal(wire.ImageStatus, &s.ImageStatus); err != nil {
		return err
	}
	switch {
	case wire.SourceRevision != nil:
		s.SourceRevision = int64(*wire.SourceRevision)
	case s.Finished():
		return missingField("variant", "source_revision")
	}
	return nil
}

// UnmarshalJSON requires the id.
func (a *ImageAltTexts) UnmarshalJSON(data []byte) error {
	type plain ImageAltTexts
	wire := struct {
		*plain
		ID *whole `json:"id"`
	}{plain: (*plain)(a)}
	a.AltTexts = Texts{}
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	if wire.ID == nil {
		return missingField("image", "id")
	}
	a.ID = int64(*wire.ID)
	return nil
}
