package status

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"spinsync/daemon/config"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// State is what a product folder is doing, in the one word that people and scripts are shown. A
// folder is in exactly one state.
type State string

const (
	Collecting State = "collecting" // frames are still arriving
	Queued     State = "queued"     // complete, waiting for its turn
	Uploading  State = "uploading"
	Processing State = "processing" // the service is at work
	Published  State = "published"
	Retrying   State = "retrying"  // NextTry is set if the time is known
	Attention  State = "attention" // a person must act; Reason has the remedy
	Paused     State = "paused"
	Missing    State = "missing" // the folder is gone, the view is kept
)

// States are all states in the order in which people read of them: those that need a person come
// first.
var States = []State{
	Attention, Retrying, Uploading, Processing, Queued, Collecting, Paused, Missing, Published,
}

// ByUrgency compares two states by their place in States.
func ByUrgency(a, b State) int { return cmp.Compare(slices.Index(States, a), slices.Index(States, b)) }

// Status is the whole daemon at one instant.
type Status struct {
	Started time.Time `json:"started,omitzero"` // zero without a daemon
	Paused  bool      `json:"paused"`           // all folders are
	// StateFile is why the state file cannot be written at present, which stops all work; empty
	// means that it can.
	StateFile string `json:"state_file,omitempty"`
	// Recovery is how many product folders the daemon has still to compare with the service; empty
	// for none.
	Recovery string `json:"recovery,omitempty"`
	// Settings is why sync.toml as it is now does not hold: it is wrong, or waits for a person;
	// empty when it holds.
	Settings string `json:"settings,omitempty"`
	// UploadLimit is what [upload] in sync.toml allows uploads at present; nil for no limit.
	UploadLimit *config.HeldLimit `json:"upload_limit,omitempty"`

	// Fleet is nil at a computer alone.
	Fleet *Fleet `json:"fleet,omitempty"`

	// AccessKeyFields are the form fields under which upload hosts took the access key, by host.
	AccessKeyFields map[string]string `json:"access_key_fields,omitempty"`

	Service  ServiceStatus        `json:"service"`
	Roots    []watcher.RootStatus `json:"roots"`
	Products []ProductStatus      `json:"products"` // by root, then folder

	// Generation lets Daemon.StatusSince see that nothing changed.
	Generation Generation `json:"-"`
}

// A Generation counts the changes of the status: while it stays the same, the products need not be
// listed again.
type Generation struct {
	Whole   bool // no folder was queued or with a worker, which sends bytes unannounced
	Changes int  // how often a folder had changed, or a worker had taken one
	Entered int  // how often a folder had been queued
}

// Trouble is why publishing cannot go on at present, or "".
func (s Status) Trouble() string {
	fleet := ""
	if s.Fleet != nil {
		fleet = cmp.Or(s.Fleet.Trouble, s.Fleet.Cluster, s.Fleet.OtherSettings())
	}
	return cmp.Or(s.StateFile, strings.Join(s.OfflineRoots(), "; "), s.Service.Trouble, fleet)
}

// OfflineRoots has a sentence for each root that cannot be read, with the remedy.
func (s Status) OfflineRoots() (sentences []string) {
	for _, r := range s.Roots {
		if r.Offline() {
			sentences = append(sentences, "the watched folder "+r.Path+" "+r.Reason)
		}
	}
	return sentences
}

// Links has a sentence for each watched folder with links in place of folders.
func (s Status) Links() (sentences []string) {
	for _, r := range s.Roots {
		which := "has a link, " + Name(r.Links.First)
		if r.Links.Count > 1 {
			which = fmt.Sprintf("has %d links, such as %s", r.Links.Count, Name(r.Links.First))
		}
		if r.Links.Count > 0 {
			sentences = append(sentences, "the watched folder "+r.Path+" "+which+"; spinsync follows no link: "+
				"put the folder itself there, watch the directory that it leads to, or name it under ignore in sync.toml")
		}
	}
	return sentences
}

// ServiceStatus is how the hosting service answers. An empty Trouble means well; Detail is the
// failure that led to it. Cause and State are those of the folders that wait for the service.
type ServiceStatus struct {
	Cause   *Cause     `json:"-"`
	State   State      `json:"state,omitempty"` // Attention or Retrying; empty while it is well
	URL     string     `json:"url"`
	Trouble string     `json:"trouble,omitempty"`
	Detail  string     `json:"detail,omitempty"`
	Since   *time.Time `json:"since,omitempty"`
	NextTry *time.Time `json:"next_try,omitempty"`
}

// ProductStatus is one product folder at one instant, as `spinsync status --json` prints it.
type ProductStatus struct {
	Root    string      `json:"root"`
	Folder  string      `json:"folder"`  // below the root, with slashes
	Station string      `json:"station"` // the active station of a fleet; empty at a computer alone
	Name    string      `json:"name"`    // of the root in a fleet
	State   State       `json:"state"`
	Reason  string      `json:"reason"`           // Cause as a sentence, where the status is shown
	Detail  string      `json:"detail,omitempty"` // the failed request behind it, for a technician
	Since   time.Time   `json:"since"`
	NextTry *time.Time  `json:"next_try"`
	Frames  FrameCounts `json:"frames"`
	// NotTaken are the photos in the folder that are no frames; nil for none.
	*watcher.NotTaken

	Project string `json:"project"` // title
	Product string `json:"uuid"`
	Title   string `json:"title"`
	SKU     string `json:"sku"`
	Live
	Paused     bool  `json:"paused"`     // a person paused it; Status.Paused is for all
	Gone       bool  `json:"gone"`       // whole reads do not find it, and its view or its record is left
	SentBytes  int64 `json:"sent_bytes"` // of the run under way
	TotalBytes int64 `json:"total_bytes"`

	// Cause is why the folder is in its state; nil for no reason.
	Cause *Cause `json:"-"`
	// Doubted means that the daemon has still to compare the folder with the service.
	Doubted bool `json:"-"`
	// DeleteAsked means that the daemon asks a person whether to delete the view. A named retry
	// answers yes.
	DeleteAsked bool `json:"delete_asked,omitempty"`

	// Four fields show a person at a turntable whether the product may be taken from it.
	// Arrived is when a frame last came or changed; zero when that is not known.
	Arrived time.Time `json:"-"`
	// Complete means that the frames are a whole set, each of them read; published or not.
	Complete bool `json:"-"`
	// Corrupt is the frame that is not whole and has to be made again; empty for none.
	Corrupt string `json:"corrupt,omitempty"`
	// QuietAt is when the folder has been quiet for long enough, if nothing changes until then;
	// zero when it waits for something else.
	QuietAt time.Time `json:"-"`

	// Priority means that a person has the folder go before all others.
	Priority bool `json:"-"`
	// Sending is how many frames are on their way to the upload host.
	Sending int `json:"-"`
}

// Live is the published view.
type Live struct {
	Revision    int64      `json:"revision"`
	PublishedAt *time.Time `json:"published_at"`
	EmbedURL    string     `json:"embed_url"` // the link to the view; empty when it is unknown
	// Updates are new fields and alt texts, which make no new revision.
	Updates syncstate.Updates `json:"updates,omitzero"`
	// Found means that PublishedAt is when the view was found on the service, because the time of
	// its publication is unknown.
	Found bool `json:"-"`
	// Shot is when the last photo came; zero when that is unknown, or when no photo came since the
	// revision before.
	Shot   time.Time `json:"-"`
	Images int       `json:"-"` // how many the view has
	Bytes  int64     `json:"-"` // of its photos
}

// InWords adds to the reason two facts that the state lacks where only the JSON form arrives: that a
// person paused the folder, and that it goes first.
func (p ProductStatus) InWords() ProductStatus {
	add := func(words string) { p.Reason = strings.TrimPrefix(p.Reason+"; "+words, "; ") }
	if p.Paused && p.State != Paused {
		add("paused")
	}
	if p.Priority {
		add("goes first")
	}
	return p
}

// InWords does so with all products.
func (s Status) InWords() Status {
	s.Products = slices.Clone(s.Products)
	for i, p := range s.Products {
		s.Products[i] = p.InWords()
	}
	return s
}

// FrameCounts counts a folder's frames. Expected is 0 when the number is not known.
type FrameCounts struct {
	Settled  int `json:"settled"`
	Uploaded int `json:"uploaded"`
	Expected int `json:"expected"`
}

// When is the time since which the folder is in its state. A live view counts from its publication,
// although the folder may have been compared since.
func (p ProductStatus) When() time.Time {
	if p.State == Published && p.PublishedAt != nil {
		return *p.PublishedAt
	}
	return p.Since
}

// Key names the product folder.
func (p ProductStatus) Key() syncstate.Folder {
	return syncstate.Folder{Root: p.Root, Path: p.Folder}
}

// IsBeingCompared reports whether the folder is being compared with the service. It leaves out a
// folder that is not complete yet, and one that is gone or waits for a person.
func (p ProductStatus) IsBeingCompared() bool {
	waits := p.State == Collecting && slices.ContainsFunc(untilComplete, p.Cause.Is)
	return p.AwaitsComparison() && p.State != Missing && p.State != Attention && !waits
}

// untilComplete are the kinds of a folder that waits until it is complete.
var untilComplete = []Kind{Unsettled, AwaitsMarker, AwaitsRest, AwaitsQuiet, AwaitsFile}

// AwaitsComparison reports whether the folder is still to be compared with the service. It leaves
// out a folder without any frame.
func (p ProductStatus) AwaitsComparison() bool {
	return p.Doubted && !(p.State == Collecting && p.TotalBytes == 0)
}
