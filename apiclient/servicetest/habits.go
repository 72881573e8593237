package servicetest

import (
	"math/rand/v2"
	"net/http"
	"time"
)

// habits are what the service does where the interface says "not shown".
type habits struct {
	storing
	answering
	listing
	processing
	imaging
	Clock time.Duration // how far the service's clock is ahead
}

// storing is how the upload host goes about its forms and files.
type storing struct {
	UploadHost string // another than the interface's, "" = the same
	HostAs     string // how that is written, around a %s; a bare name of another host speaks https
	KeyField   string // of 4.3, with a vendor's prefix
	FormPath   string // of a product, a count of its forms, and a row
	OpenPolicy bool   // the policy can be read
	EndOfForm  bool   // a form's age is judged when the file has arrived
	Stored     int    // HTTP status for a stored file
	StoreSays  string // how a refusal is worded: xml, text or nothing
}

// answering is how answers look.
type answering struct {
	Created      int    // HTTP status of 4.1 and 4.2
	Finish       string // answer to 4.4
	Wrap         string // key of the credentials in the answer to 4.9
	Archive      string // how the ZIP of 4.11 names files: uploaded, below the product, source or number
	Error        int    // HTTP status of errors
	NotFound     int    // HTTP status for an unknown thing
	ErrorObjects bool   // the elements of errors are objects
	Extra        bool   // objects have fields that the interface does not name
	Charset      bool   // the content type names it
	NoLength     bool   // answers come in chunks
}

// listing is how lists are made.
type listing struct {
	Filters string // what filters compare: whole, part or nothing
	Order   string // old, new or id
	Page    int    // entries of a page, 0 = one page
}

// processing is what happens from the announcement of images to the end of their processing.
type processing struct {
	WrongCount    bool // 4.4 is refused while other files are there than were announced
	Again         bool // a second 4.4 is refused
	FirstRevision uint64
	FirstRises    bool          // the first upload already has the next one
	Raise         string        // when a revision rises: form, finish or late
	Lag           time.Duration // after 4.4, until anything of it shows
	MediaLag      time.Duration // after processing, until media can be had
	Idle          string        // image_status before the first upload
	Announced     string        // image_status while a form is open, "" = what it was
	Words         []string      // image_status while processing
}

// imaging is what becomes of files.
type imaging struct {
	OldImages   bool // the former images stand until processing is done
	KeepIDs     bool
	KeepTexts   bool   // by source file
	Sources     string // how stored sources are named: same, new, number or path
	FirstOrdial int
	OrdialStep  int
	Row         int
	Storage     int  // storage_version
	NewestPaths bool // media URLs have the revision of the product, not that of the image
	FirstImage  int64
}

func newHabits(seed uint64) habits {
	r := random(seed, "habits")
	return habits{
		Clock: pick(r, 0, 0, 47*time.Minute, -3*time.Hour), storing: newStoring(r), answering: newAnswering(r),
		listing: newListing(r), processing: newProcessing(r), imaging: newImaging(r),
	}
}

func newStoring(r *rand.Rand) storing {
	s := storing{
		UploadHost: pick(r, "", "", "127.0.0.1:9000", "127.0.0.2:8000"),
		HostAs:     pick(r, "%s", "http://%s", "http://%s/"),
		KeyField:   pick(r, "StorageAccessKeyId", "AWSAccessKeyId", "OSSAccessKeyId"),
		FormPath:   pick(r, "%s/rotation/%d/%d", "%s/rotation-r%d/row%d", "%s/views/a/%d/%d"),
		OpenPolicy: chance(r, 0.5),
		EndOfForm:  chance(r, 0.3),
		Stored:     pick(r, http.StatusNoContent, http.StatusOK, http.StatusCreated),
		StoreSays:  pick(r, "xml", "xml", "text", "nothing"),
	}
	if s.UploadHost != "" {
		s.HostAs = pick(r, "http://%s", "http://%s/")
	}
	return s
}

func newAnswering(r *rand.Rand) answering {
	a := answering{
		Created:      pick(r, http.StatusOK, http.StatusCreated),
		Finish:       pick(r, "nothing", "empty", "notice", "product", "null"),
		Wrap:         pick(r, "", "", "upload", "product"),
		Archive:      pick(r, "uploaded", "below", "source", "number"),
		Error:        pick(r, http.StatusUnprocessableEntity, http.StatusBadRequest, http.StatusOK),
		ErrorObjects: chance(r, 0.4),
		Extra:        chance(r, 0.4),
		Charset:      chance(r, 0.5),
		NoLength:     chance(r, 0.3),
	}
	a.NotFound = pick(r, http.StatusNotFound, a.Error)
	return a
}

func newListing(r *rand.Rand) listing {
	return listing{
		Filters: pick(r, "whole", "part", "nothing"), Order: pick(r, "old", "new", "id"), Page: pick(r, 0, 0, 0, 1, 3),
	}
}

func newProcessing(r *rand.Rand) processing {
	p := processing{
		WrongCount:    chance(r, 0.5),
		Again:         chance(r, 0.5),
		FirstRevision: pick(r, uint64(0), 0, 1, 41),
		FirstRises:    chance(r, 0.5),
		Raise:         pick(r, "form", "finish", "finish", "late"),
		Lag:           pick(r, 0, 0, 4*time.Second),
		MediaLag:      pick(r, 0, 0, 7*time.Second),
		Idle:          pick(r, "pending", "empty", "finished"),
		Announced:     pick(r, "", "uploading"),
		Words:         pick(r, []string{"processing"}, []string{"queued", "resizing", "Finished soon"}),
	}
	if p.Raise == "form" && p.Announced == "" {
		p.Lag = 0 // nothing would tell the finished old images from the finished new ones
	}
	return p
}

func newImaging(r *rand.Rand) imaging {
	return imaging{
		OldImages:   chance(r, 0.3),
		KeepIDs:     chance(r, 0.3),
		KeepTexts:   chance(r, 0.3),
		Sources:     pick(r, "same", "new", "number", "path"),
		FirstOrdial: pick(r, 0, 1, 1, 10),
		OrdialStep:  pick(r, 1, 1, 10),
		Row:         pick(r, 0, 1, 3),
		Storage:     pick(r, 1, 2),
		FirstImage:  pick(r, int64(0), 70_000, 1<<53),
		NewestPaths: chance(r, 0.3),
	}
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

func chance(r *rand.Rand, p float64) bool { return r.Float64() < p }
