package servicetest

import (
	"math/rand/v2"
	"net/http"
	"time"
)

// Habits are what the service does where the interface says "not shown".
type Habits struct {
	Clock time.Duration // how far the service's clock is ahead

	// Forms and files of the upload host.
	UploadHost string // another than the interface's, "" = the same
	HostAs     string // how that is written, around a %s; a bare name of another host speaks https
	KeyField   string // of 4.3, with a vendor's prefix
	FormPath   string // of a product, a count of its forms, and a row
	OpenPolicy bool   // the policy can be read
	NamesField bool   // an open policy names KeyField
	EndOfForm  bool   // a form's age is judged when the file has arrived
	Stored     int    // HTTP status for a stored file
	StoreSays  string // how a refusal is worded: xml, text or nothing

	// The form of answers.
	Created      int    // HTTP status of 4.1 and 4.2
	Finish       string // answer to 4.4: nothing, empty, null, notice or product
	WrapEmbed    string // key of the markup in the answer to 4.5, "" = the markup alone
	EmbedUser    bool   // 4.5 needs credentials
	Wrap         string // key of the credentials in the answer to 4.9
	Archive      string // how the ZIP of 4.11 names files: uploaded, below the product, source or number
	PacksAdded   bool   // the ZIP has the pictures that people added
	Error        int    // HTTP status of errors
	NotFound     int    // HTTP status for an unknown thing
	ErrorObjects bool   // the elements of errors are objects
	NumericYear  bool   // a year of digits is a number
	Extra        bool   // objects have fields that the interface does not name
	Charset      bool   // the content type names it
	NoLength     bool   // answers come in chunks

	// Lists.
	Filters   string // what filters compare: whole, part or nothing
	Order     string // old, new or id
	Page      int    // entries of a page, 0 = one page
	Shifts    bool   // each page begins with the last entry of the page before, as when an entry came in front in between
	WrapLists string // key of the list in an answer, "" = the list alone

	// From the announcement of images to the end of their processing.
	WrongCount    bool // 4.4 is refused while other files are there than were announced
	Again         bool // a second 4.4 is refused
	FirstRevision uint64
	FirstRises    bool          // the first upload already has the next one
	Raise         string        // when a revision rises: form, once (for all forms up to the next 4.4), twice (at the form and at 4.4), finish or late
	StatusDelay   time.Duration // after 4.4, until anything of it shows
	MediaLag      time.Duration // after processing, until media can be had
	Idle          string        // image_status before the first upload
	Announced     string        // image_status while a form is open, "" = what it was
	Words         []string      // image_status while processing

	// What becomes of files.
	OldImages   bool // the former images stand until processing is done
	KeepIDs     bool
	KeepTexts   string // by file or place, "" = not at all
	NullTexts   bool   // beside other texts a locale without one is null in answers
	Sources     string // how stored sources are named: same, new, number or path
	FirstOrdial int
	OrdialStep  int
	Row         int
	Storage     int  // storage_version
	NewestPaths bool // media URLs have the revision of the product, not that of the image
	FirstImage  int64
}

// Plain are the habits of the plainest service.
func Plain() Habits {
	return Habits{
		HostAs: "%s", KeyField: "StorageAccessKeyId", FormPath: "%s/rotation/%d/%d", Stored: http.StatusNoContent,
		StoreSays: "xml", Created: http.StatusCreated, Finish: "notice", Archive: "uploaded",
		Error: http.StatusUnprocessableEntity, NotFound: http.StatusNotFound, Filters: "whole", Order: "old",
		Raise: "finish", Idle: "pending", Words: []string{"processing"}, Sources: "new", FirstOrdial: 1,
		OrdialStep: 1, Row: 1, Storage: 2,
	}
}

// Drawn are the habits that a seed chooses.
func Drawn(seed uint64) Habits {
	r := random(seed, "habits")
	h := Habits{Clock: pick(r, 0, 0, 47*time.Minute, -3*time.Hour)}
	h.drawForms(r)
	h.drawAnswers(r)
	h.drawLists(r)
	h.drawProcessing(r)
	h.drawImages(r)
	h.Shifts = chance(r, 0.5)
	if h.Raise == "form" && h.Announced != "" {
		h.Raise = pick(r, "form", "once", "twice")
	}
	h.PacksAdded = chance(r, 0.5) && h.Archive != "number"
	h.NullTexts = chance(r, 0.3)
	return h
}

func (h *Habits) drawForms(r *rand.Rand) {
	h.UploadHost = pick(r, "", "", "127.0.0.1:9000", "127.0.0.2:8000")
	h.HostAs = pick(r, "%s", "http://%s", "http://%s/")
	h.KeyField = pick(r, "StorageAccessKeyId", "AWSAccessKeyId", "OSSAccessKeyId")
	h.FormPath = pick(r, "%s/rotation/%d/%d", "%s/rotation-r%d/row%d", "%s/views/a/%d/%d")
	h.OpenPolicy = chance(r, 0.5)
	h.NamesField = chance(r, 0.5)
	h.EndOfForm = chance(r, 0.3)
	h.Stored = pick(r, http.StatusNoContent, http.StatusOK, http.StatusCreated)
	h.StoreSays = pick(r, "xml", "xml", "text", "nothing")
	if h.UploadHost != "" {
		h.HostAs = pick(r, "http://%s", "http://%s/")
	}
}

func (h *Habits) drawAnswers(r *rand.Rand) {
	h.Created = pick(r, http.StatusOK, http.StatusCreated)
	h.Finish = pick(r, "nothing", "empty", "notice", "product", "null")
	h.WrapEmbed = pick(r, "", "", "html")
	h.EmbedUser = chance(r, 0.5)
	h.Wrap = pick(r, "", "", "upload", "product")
	h.Archive = pick(r, "uploaded", "below", "source", "number")
	h.Error = pick(r, http.StatusUnprocessableEntity, http.StatusBadRequest, http.StatusOK)
	h.ErrorObjects = chance(r, 0.4)
	h.NumericYear = chance(r, 0.3)
	h.Extra = chance(r, 0.4)
	h.Charset = chance(r, 0.5)
	h.NoLength = chance(r, 0.3)
	h.NotFound = pick(r, http.StatusNotFound, h.Error)
}

func (h *Habits) drawLists(r *rand.Rand) {
	h.Filters = pick(r, "whole", "part", "nothing")
	h.Order = pick(r, "old", "new", "id")
	h.Page = pick(r, 0, 0, 0, 1, 3)
	h.WrapLists = pick(r, "", "", "items")
}

func (h *Habits) drawProcessing(r *rand.Rand) {
	h.WrongCount = chance(r, 0.5)
	h.Again = chance(r, 0.5)
	h.FirstRevision = pick(r, uint64(0), 0, 1, 41)
	h.FirstRises = chance(r, 0.5)
	h.Raise = pick(r, "form", "finish", "finish", "late")
	h.StatusDelay = pick(r, 0, 0, 4*time.Second)
	h.MediaLag = pick(r, 0, 0, 7*time.Second)
	h.Idle = pick(r, "pending", "empty", "finished")
	h.Announced = pick(r, "", "uploading")
	h.Words = pick(r, []string{"processing"}, []string{"queued", "resizing", "Finished soon"})
	if h.Raise == "form" && h.Announced == "" {
		h.StatusDelay = 0 // nothing would distinguish the finished old images from the finished new ones
	}
}

func (h *Habits) drawImages(r *rand.Rand) {
	h.OldImages = chance(r, 0.3)
	h.KeepIDs = chance(r, 0.3)
	h.KeepTexts = pick(r, "", "", "file", "place")
	h.Sources = pick(r, "same", "new", "number", "path")
	h.FirstOrdial = pick(r, 0, 1, 1, 10)
	h.OrdialStep = pick(r, 1, 1, 10)
	h.Row = pick(r, 0, 1, 3)
	h.Storage = pick(r, 1, 2)
	h.FirstImage = pick(r, int64(0), 70_000, 1<<53)
	h.NewestPaths = chance(r, 0.3)
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

func chance(r *rand.Rand, p float64) bool { return r.Float64() < p }
