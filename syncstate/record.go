package syncstate

import (
	"cmp"
	"time"
)

// Folder names one product folder: its root's path as configured, made absolute, and its path below
// the root with slashes on every system.
type Folder struct {
	Root string
	Path string
}

func (f Folder) String() string { return f.Root + "/" + f.Path }

// Record holds the work done for one product folder. The zero Record is a folder without any.
//
// Run and Published carry frame lists that are stored apart, so that a change of the record itself
// rewrites one small value.
//
// Names of files and paths are any bytes. All other text must be valid UTF-8, or it is read back
// with replacement characters.
type Record struct {
	Shown   Shown       `json:"shown,omitzero"`
	Idle    Idle        `json:"idle,omitzero"`
	Wishes  Wishes      `json:"wishes,omitzero"`
	Absence Absence     `json:"absence,omitzero"`
	Late    LateTexts   `json:"late,omitzero"`
	Counts  FrameCounts `json:"counts,omitzero"`

	// Project and Product are the service's own, as last acknowledged. Product.UUID is empty before
	// the create; the other fields are then what the product is to have.
	Project Project `json:"project,omitzero"`
	Product Product `json:"product,omitzero"`

	// Doubted: the service may know more of the folder than the record does. Nothing is sent before
	// the folder was compared with the service.
	Doubted bool `json:"doubted,omitempty"`

	// Unread is what the cluster of a fleet has of the folder, by its lists, while it cannot be read: the
	// record is then of an earlier time, and nothing is done for the folder.
	Unread map[string][]byte `json:"unread,omitempty"`

	// Updating is set before fields of the product are changed and ends with the answer: while it
	// is set, the fields of the product are unknown.
	Updating bool    `json:"updating,omitempty"`
	Updates  Updates `json:"updates,omitzero"`

	Trouble *Trouble `json:"trouble,omitempty"` // the last failure; nil after a success

	// Panics counts the internal errors in the work on the folder since it was last idle.
	Panics int `json:"panics,omitempty"`

	Run       *Run       `json:"-"`
	Published *Published `json:"-"`
}

// check refuses a record that makes no sense.
func (r Record) check() error { return cmp.Or(r.Run.check(), r.Trouble.check()) }

// Shown is the status that people saw last, for the command line without a daemon, and so that a
// restart shows the same. A pause is laid over it where it is displayed, and is no part of it.
type Shown struct {
	State  string    `json:"state,omitempty"`
	Cause  *Cause    `json:"cause,omitempty"`
	Detail string    `json:"detail,omitempty"`
	Since  time.Time `json:"since,omitzero"` // when the folder entered the state
	// Content is the listing and the settings of which that was shown.
	Content string `json:"content,omitempty"`
}

// Idle is the state of a folder for which nothing was owed any more. Both equal at a start means:
// nothing to do, no file to read.
type Idle struct {
	Listing  string `json:"listing,omitempty"`  // the listing hash
	Settings string `json:"settings,omitempty"` // the configuration by which the folder was judged
	Newest   int64  `json:"newest,omitempty"`   // when its newest frame was written, in a fleet its newest file; 0 = unknown
}

// Wishes are what a person asked of the folder.
type Wishes struct {
	Paused time.Time `json:"paused,omitzero"` // since when the folder is paused by itself; zero: it is not
	// Priority has the folder go before all others. It ends when the folder is published as it is.
	Priority bool `json:"priority,omitempty"`
	// AsIs is the content whose frames a person accepted with `retry --as-is`, as Shown has it, or
	// AsIsWhenQuiet; empty for none.
	AsIs string `json:"as_is_content,omitempty"`
	// NoTwin: a person denied that the folder is one of those that are gone, or whose drive is, and
	// had the same photos. It ends when the folder has a product.
	NoTwin bool `json:"no_twin,omitempty"`
	// NotMade: a person confirmed that the lost create made nothing. It ends with the next create,
	// or when the folder has a product.
	NotMade bool `json:"not_made,omitempty"`
	// Verify asks whether the service still holds the product.
	Verify bool `json:"verify,omitempty"`
}

// Absence is the state of a folder that is gone, and of its view.
type Absence struct {
	// Verified is when the service was last asked whether it still holds the product.
	Verified time.Time `json:"verified,omitzero"`
	// Removal is how far a person was asked whether the view may be deleted.
	Removal Removal `json:"removal,omitempty"`
	// DeleteSent is set before the product is deleted on the service: from then on the product may
	// or may not be there.
	DeleteSent time.Time `json:"delete_sent,omitzero"`
}

// LateTexts are changes of AltSet, by image and locale, that the service may or may not show. A blank
// text is withdrawn.
type LateTexts struct {
	// AltIntent are about to be set, or their answer is not recorded yet. They end when the images
	// are listed again.
	AltIntent map[int64]map[string]string `json:"alt_intent,omitempty"`
	// AltLate had no answer and were not there when the images were listed: they may come late.
	AltLate map[int64]map[string]string `json:"alt_late,omitempty"`
}

// FrameCounts are for people, so that a list of thousands of folders needs no frame list.
type FrameCounts struct {
	Settled  int       `json:"settled,omitempty"`
	Expected int       `json:"expected,omitempty"` // 0 = unknown
	Arrived  time.Time `json:"arrived,omitzero"`   // when a frame last came or changed
	// NotTaken describes the photos in the folder that are no frames; empty for none.
	NotTaken string `json:"not_taken,omitempty"`
}

// AsIsWhenQuiet in the place of a content accepts as many frames as there are when no more arrive.
const AsIsWhenQuiet = "when quiet"

// Removal is a person's decision about the view of a folder that is gone.
type Removal string

// The zero Removal means that no person was asked.
const (
	RemovalAsked     Removal = "asked"
	RemovalConfirmed Removal = "confirmed"
	RemovalWished    Removal = "wished" // by a person; the view is still compared with the record
	RemovalForget    Removal = "forget" // the folder's record goes, the view stays
)

// AsksToDelete reports whether a person is asked whether the view may be deleted.
func (r Record) AsksToDelete() bool {
	return r.Absence.Removal == RemovalAsked || r.Absence.Removal == RemovalWished && r.Doubted
}

// Project is a project on the service. Title is how the configuration or the path names it: its
// title, or its UUID. Name is its title on the service where Title is the UUID, else empty.
type Project struct {
	UUID  string `json:"uuid,omitempty"`
	Title string `json:"title,omitempty"`
	Name  string `json:"name,omitempty"`
}

// Shown is the title that people see.
func (p Project) Shown() string { return cmp.Or(p.Name, p.Title) }

// Product is a product on the service with the fields it was last given. An empty Year is an unset
// one.
type Product struct {
	UUID         string `json:"uuid,omitempty"`
	Title        string `json:"title,omitempty"`
	SKU          string `json:"sku,omitempty"`
	Manufacturer string `json:"manufacturer,omitempty"`
	Year         string `json:"year,omitempty"`
}

// Updates count how often the product got other fields, and images got other alt texts. They show
// what a view got without a new revision.
type Updates struct {
	Fields int `json:"fields,omitempty"`
	Texts  int `json:"texts,omitempty"`
}

// Intent is written before a request that creates something is sent. While it is set, the service
// may or may not have made the thing: spinsync must search for it before it sends the request
// again.
type Intent struct {
	Title   string    `json:"title"`
	SKU     string    `json:"sku,omitempty"`
	Project string    `json:"project,omitempty"` // UUID; empty for a project's own intent
	At      time.Time `json:"at"`
	Sent    bool      `json:"sent"`           // the request may have left; false before it is recorded
	Looks   Tries     `json:"looks,omitzero"` // searches since then that found nothing
	// Answer is what came back last and left open whether the thing was made, Detail the failed
	// request. Refusals counts the answers that do not pass by themselves.
	Answer   *Cause `json:"answer,omitempty"`
	Detail   string `json:"detail,omitempty"`
	Refusals int    `json:"refusals,omitempty"`
}

// File is the identity of a local file: as long as all of it is the same, so is the content.
type File struct {
	Name    string
	Size    int64
	ModTime time.Time
	ID      string
}

// Same reports whether two identities are of one unchanged file.
func (f File) Same(g File) bool {
	return f.Name == g.Name && f.Size == g.Size && f.ModTime.Equal(g.ModTime) && f.ID == g.ID
}

// Published is the last revision that was read back from the service after it had finished.
type Published struct {
	Revision int64     `json:"revision"`
	At       time.Time `json:"at"`
	Images   int       `json:"images"` // how many
	Bytes    int64     `json:"bytes"`
	// Found: it was found on the service at that time, and the time of its publication is unknown.
	Found bool `json:"found,omitempty"`
	// Shot is when its last photo came; zero when that is unknown, or when no photo came since the
	// revision before.
	Shot time.Time `json:"shot,omitzero"`
	// EmbedURL is the link to the view, as the service's embed markup has it; empty when it is unknown.
	EmbedURL string `json:"embed_url,omitempty"`
	// PhotosOf is a folder that stood then and was published with the same photos; empty for none.
	PhotosOf string `json:"photos_of,omitempty"`
	Marker   File   `json:"-"` // the marker file at that time

	Frames []Frame `json:"-"`
}

// Frame is one published frame: the local file it came from, and the image it became.
type Frame struct {
	File
	Stored   string
	Digest   []byte
	Captured time.Time

	ImageID        int64
	Ordial         int
	Source         string
	Row            int
	Group          string
	StorageVersion int
	MediaURL       string
	ThumbnailURL   string
	Alt            map[string]string // as the service holds them
	// AltSet are ours as we last set them, until the folder withdraws them: one that the service does
	// not hold was removed or replaced by others, and is not set again.
	AltSet map[string]string
	// AltCarry are the texts that others wrote on the frame's image in the revision before, until
	// they are merged in.
	AltCarry map[string]string
}

// ProjectRecord is the record of a project by its title, without its folders.
type ProjectRecord struct {
	Project
	Intent *Intent `json:"intent,omitempty"` // a create whose answer is not recorded yet
}

// RootRecord is the identity of a watched root, by which another volume in its place is recognised.
type RootRecord struct {
	Volume string  `json:"volume,omitempty"` // never empty once the root was watched
	Mounts []Mount `json:"mounts,omitempty"`
	// Aside are the folders that went all at once and wait for their drive, as bytes.
	Aside [][]byte `json:"aside,omitempty"`
	// Known: every folder of the root was compared with the service since the state file is in use.
	// A folder that is not recorded is a new one.
	Known bool `json:"known,omitempty"`
	// Added: the root came while the state file was in use, which would know the views of its
	// folders.
	Added bool `json:"added,omitempty"`
}

// A Mount is the identity of a drive that is mounted on a directory below a root.
type Mount struct {
	// Dir is slash-separated, below the root. Names of directories are bytes and need not be valid
	// text.
	Dir    []byte `json:"dir"`
	Volume string `json:"volume"`
}
