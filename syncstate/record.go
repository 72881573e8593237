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
	Told
	Idle
	Wishes
	Absence
	LateTexts
	FrameCounts

	// Project and Product are the service's own, as last acknowledged. Product.UUID is empty before
	// the create; the other fields are then what the product is to have.
	Project Project `json:"project,omitzero"`
	Product Product `json:"product,omitzero"`

	// Unreconciled says that the record may tell less than the service knows, because the state file
	// is new or from a backup. It ends when the folder was compared with the service.
	Unreconciled bool `json:"unreconciled,omitempty"`

	// Updating is set before fields of the product are changed and ends with the answer: while it
	// is set, the fields of the product are unknown.
	Updating bool `json:"updating,omitempty"`

	// Outline stands for the frames, by names, sizes and times, that the folder had when its
	// product or an upload was last asked for. It ends with the publication.
	Outline string `json:"outline,omitempty"`

	// Stopped stands for the files, the configuration and the reason with which a person was told
	// to act, and Trouble was not why. As long as it holds they are told the same over a restart.
	Stopped string `json:"stopped,omitempty"`

	Intent  *Intent  `json:"intent,omitempty"`  // a create whose answer is not recorded yet
	Trouble *Trouble `json:"trouble,omitempty"` // the last failure; nil after a success

	// Panics counts the internal errors in the work on the folder since it was last idle.
	Panics int `json:"panics,omitempty"`

	Run       *Run       `json:"-"`
	Published *Published `json:"-"`
}

// Told is the status that people saw last, for the command line without a daemon.
type Told struct {
	State  string    `json:"state,omitempty"`
	Cause  *Cause    `json:"cause,omitempty"`
	Detail string    `json:"detail,omitempty"`
	Since  time.Time `json:"since,omitzero"` // when the folder entered the state
	// Before is the saved status from before a pause, be it that of all folders; nil when it is
	// unknown, and without a pause.
	Before *SavedStatus `json:"before,omitempty"`
}

// Idle is the state of a folder for which nothing was owed any more. Both equal at a start means:
// nothing to do, no file to read.
type Idle struct {
	Listing  string `json:"idle,omitempty"`     // the listing hash
	Settings string `json:"settings,omitempty"` // the configuration by which the folder was judged
}

// Wishes are what a person asked of the folder.
type Wishes struct {
	Paused bool `json:"paused,omitempty"`
	// Priority has the folder go before all others. It ends when the folder is published as it is.
	Priority bool `json:"priority,omitempty"`
	// AsIs is the number of frames a person accepted with `retry --as-is`, or AsIsWhenQuiet; 0 is
	// none.
	AsIs int `json:"as_is,omitempty"`
	// NoTwin is the word of a person that the folder is none of those that are gone and had the same
	// photos. It ends when the folder has a product.
	NoTwin bool `json:"no_twin,omitempty"`
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

// LateTexts are alt texts of ours, by image and locale, that the service may or may not hold.
type LateTexts struct {
	// AltIntent are about to be set, or their answer is not recorded yet. They end when the images
	// are listed again.
	AltIntent map[int64]map[string]string `json:"alt_intent,omitempty"`
	// AltLate had no answer and were not there when the images were listed: the request may be late.
	AltLate map[int64]map[string]string `json:"alt_late,omitempty"`
}

// FrameCounts are for people, so that a list of thousands of folders needs no frame list.
type FrameCounts struct {
	Settled  int       `json:"settled,omitempty"`
	Expected int       `json:"expected,omitempty"` // 0 = unknown
	Arrived  time.Time `json:"arrived,omitzero"`   // when a frame last came or changed
	// NotTaken tells of the photos in the folder that are no frames; empty for none.
	NotTaken string `json:"not_taken,omitempty"`
}

// A SavedStatus is what people were told of a folder. Since is zero when the state begins anew.
type SavedStatus struct {
	State string    `json:"state"`
	Cause *Cause    `json:"cause,omitempty"`
	Since time.Time `json:"since,omitzero"`
}

// AsIsWhenQuiet in the place of a number accepts as many frames as there are when no more arrive.
const AsIsWhenQuiet = -1

// Removal is what a person says to the deletion of a view whose folder went together with others.
type Removal string

// The zero Removal means that no person was asked.
const (
	RemovalAsked     Removal = "asked"
	RemovalConfirmed Removal = "confirmed"
)

// Project is a project on the service. Title is how the configuration or the path names it: its
// title, or its UUID. Name is its title on the service where Title is the UUID, else empty.
type Project struct {
	UUID  string `json:"uuid,omitempty"`
	Title string `json:"title,omitempty"`
	Name  string `json:"name,omitempty"`
}

// Shown is the title that people are told.
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

// Intent is written before a request that creates something is sent. While it is set, the service
// may or may not have made the thing: spinsync must look for it before it sends the request again.
type Intent struct {
	Title    string    `json:"title"`
	SKU      string    `json:"sku,omitempty"`
	Project  string    `json:"project,omitempty"` // UUID; empty for a project's own intent
	At       time.Time `json:"at"`
	Attempt  int       `json:"attempt"`
	Sent     bool      `json:"sent"`            // the request may have left
	Looks    int       `json:"looks,omitempty"` // looks since then that found nothing
	LastLook time.Time `json:"last_look,omitzero"`
	// RepeatAt is when a service that was not ready, and said for how long, may be asked again;
	// zero when it said nothing.
	RepeatAt time.Time `json:"repeat_at,omitzero"`
	// Answer is what came back last and left open whether the thing was made, Detail the failed
	// request. Refusals counts the answers that do not pass by themselves.
	Answer   *Cause `json:"answer,omitempty"`
	Detail   string `json:"detail,omitempty"`
	Refusals int    `json:"refusals,omitempty"`
}

// Trouble is a failure that stands between a folder and its publication.
type Trouble struct {
	Cause *Cause `json:"cause"`
	// Detail is the failed request: method, path, status and the host's message; empty for none.
	Detail   string `json:"detail,omitempty"`
	Attempts int    `json:"attempts"`
	// Refusals counts the attempts that met with an obstacle which does not pass by itself.
	Refusals int       `json:"refusals,omitempty"`
	Since    time.Time `json:"since"`
	// At is when it was recorded. NextTry is when it is tried again; zero means that a person must
	// act.
	At      time.Time `json:"at,omitzero"`
	NextTry time.Time `json:"next_try,omitzero"`
	// Rest is what a host asked to be spared until NextTry; nil when it asked for nothing.
	Rest *Rest `json:"rest,omitempty"`
	// Person says that a person is told although it is tried again by itself.
	Person bool `json:"person,omitempty"`
	// Listing is the fingerprint of the folder at the time: another one is a reason to try anew.
	Listing string `json:"listing,omitempty"`
}

// Rest is what a host asked for with Retry-After: no requests of one operation, or none at all when
// Op is empty.
type Rest struct {
	Host string `json:"host,omitempty"` // an upload host; empty for the service
	Op   string `json:"op,omitempty"`
}

// Run is one create or reupload that is under way.
type Run struct {
	Reupload bool      `json:"reupload"`
	Started  time.Time `json:"started"`        // zero: it is still to begin
	Images   int       `json:"images"`         // the number announced to the service
	Form     *Form     `json:"form,omitempty"` // nil: the credentials were not received yet

	// ShortForms counts the forms that did not last until all was sent, although nothing but the
	// upload took their time.
	ShortForms int `json:"short_forms,omitempty"`

	// Refused counts the forms that the upload host refused for another reason than their age.
	Refused int `json:"refused,omitempty"`

	// Overtaken counts the uploads in a row that were given up because the service showed another.
	Overtaken int `json:"overtaken,omitempty"`

	// Baseline is the product's revision before the run; nil for a product that never finished one.
	Baseline *int64 `json:"baseline,omitempty"`
	// Before is the fingerprint of the images that the product had before the run; empty when it
	// had none.
	Before string `json:"before,omitempty"`
	// Carry are the alt texts that others wrote on the images before the run, by local file and
	// locale.
	Carry map[string]map[string]string `json:"-"`

	// Marker is the marker file when the finish request was sent.
	Marker File `json:"-"`
	// Finishing is how far the product was just before the finish request; nil while it had no
	// images.
	Finishing   *Progress `json:"finishing,omitempty"`
	FinishLooks int       `json:"finish_looks,omitempty"` // looks for a sign that it arrived
	FinishSent  time.Time `json:"finish_sent,omitzero"`   // set before the finish request is sent
	FinishAcked time.Time `json:"finish_acked,omitzero"`  // its answer came
	Polls       int       `json:"polls,omitempty"`
	NextPoll    time.Time `json:"next_poll,omitzero"`
	Status      string    `json:"status,omitempty"`   // the service's word, as last read
	Finished    int64     `json:"finished,omitempty"` // finished revision, plus one; 0 = none yet
	// Revision is the revision of the last poll, plus one. Doubt says that another revision than
	// this run's may have finished, so that the files on the service must be compared.
	Revision int64 `json:"revision,omitempty"`
	Doubt    bool  `json:"doubt,omitempty"`
	// Moved says that the service was seen to go on since the finish request.
	Moved bool `json:"moved,omitempty"`
	// Took is the time from the finish request to the answer that all is processed; 0 = unknown,
	// because that was asked for late.
	Took time.Duration `json:"took,omitempty"`

	// WrongLists counts the lists of images that contradicted the manifest.
	WrongLists int `json:"wrong_lists,omitempty"`

	Frames []RunFrame `json:"-"`
}

// Form is what the service handed out for a run's uploads (interface 2, upload credentials). It is
// secret while it is valid and is dropped with the run.
type Form struct {
	Path        string    `json:"path"`
	Policy      string    `json:"policy"`
	Signature   string    `json:"signature"`
	Hostname    string    `json:"hostname"`
	AccessKeyID string    `json:"access_key_id"`
	ACL         string    `json:"acl"`
	Expires     time.Time `json:"expires,omitzero"` // by the service's clock; zero = unknown
	// MinSize and MaxSize are the bytes that a file may have; 0 = unknown.
	MinSize int64 `json:"min_size,omitempty"`
	MaxSize int64 `json:"max_size,omitempty"`
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

// Progress is what the service says of how far it is with a product (interface 4.14).
type Progress struct {
	Revision int64  `json:"revision"`
	Status   string `json:"status"`
}

// RunFrame is one frame of a run's manifest.
type RunFrame struct {
	File
	Stored   string // the stored name; empty when it is the local one
	Digest   []byte // SHA-256 of the bytes sent
	Uploaded bool
	Captured time.Time
	// Early says that it was sent before it was known to have stopped changing, or turned out to be
	// torn: the digest of the whole file as it came to rest must agree with that of the bytes sent.
	Early bool
}

// Published is the last revision that was read back from the service after it had finished.
type Published struct {
	Revision int64     `json:"revision"`
	At       time.Time `json:"at"`
	Images   int       `json:"images"` // how many
	Bytes    int64     `json:"bytes"`
	// Found says that it was found on the service at that time, and that the time of its
	// publication is unknown.
	Found bool `json:"found,omitempty"`
	// Took is how long the service processed it; 0 = unknown.
	Took   time.Duration `json:"took,omitempty"`
	Marker File          `json:"-"` // the marker file at that time

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
	AltSet         map[string]string // as we last set them
	// AltCarry are the texts that others wrote on the frame's image in the revision before, until
	// they are merged in.
	AltCarry map[string]string
}

// ProjectRecord is the record of a project by its title, without its folders.
type ProjectRecord struct {
	Project
	Intent *Intent `json:"intent,omitempty"` // a create whose answer is not recorded yet
	// Missed counts the looks in a row that found the service neither to know nor to list the
	// project, the last of them at LastMissed.
	Missed     int       `json:"missed,omitempty"`
	LastMissed time.Time `json:"last_missed,omitzero"`
}

// RootRecord is the identity of a watched root, by which another volume in its place is recognised.
type RootRecord struct {
	Volume string  `json:"volume,omitempty"`
	Mounts []Mount `json:"mounts,omitempty"`
	// Reconciled says that every folder of the root was looked at since the state file is in use: a
	// folder that is not recorded is a new one.
	Reconciled bool `json:"reconciled,omitempty"`
}

// A Mount is the identity of a drive that is mounted on a directory below a root.
type Mount struct {
	// Dir is slash-separated, below the root. Names of directories are bytes and need not be valid
	// text.
	Dir    []byte `json:"dir"`
	Volume string `json:"volume"`
}
