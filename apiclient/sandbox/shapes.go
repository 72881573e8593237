package sandbox

import (
	"cmp"
	"net/http"
	"time"
)

// Shapes choose among the answers that the interface leaves open ("not shown"). The zero value is
// the plainest service.
type Shapes struct {
	UploadShapes

	// WrapEmbed is the key of the JSON object that holds the markup of 4.5. Empty: the markup
	// stands alone.
	WrapEmbed string
	// EmbedNeedsUser makes 4.5 ask for credentials.
	EmbedNeedsUser bool

	// ErrorObjects writes the elements of errors as objects with code and message, instead of text.
	ErrorObjects bool
	// ErrorsAreOK answers errors with HTTP 200, but for missing credentials (401).
	ErrorsAreOK bool
	// YearIsNumber answers a year of digits as a number.
	YearIsNumber bool
	// ExtraFields adds fields that the interface does not name to every object.
	ExtraFields bool
	// Filters is what the filters of 4.6 and 4.8 do. Several filters must all match.
	Filters FilterShape
	// WrapLists is the key of the object that holds the array of 4.6 to 4.8. Empty: the array
	// stands alone.
	WrapLists string
	// PageSize hands those lists out in pages of so many, each with a Link header to the next. 0 is
	// one page.
	PageSize int
	// ListLag keeps a new project or product out of the lists of 4.6 to 4.8 for so long.
	ListLag time.Duration
	// RemovedLag keeps a removed project or product in those lists for so long.
	RemovedLag time.Duration
	// StrictRights makes everything that changes a product need edit permission, as 4.12 does.
	StrictRights bool

	// FirstRevision is the source_revision of a new product and of its first upload.
	FirstRevision uint64
	// RaiseEarly raises the revision with the update that announces a reupload, not with 4.4.
	RaiseEarly bool
	// FinishLag is how long after 4.4 the service goes on reporting the earlier state, in 4.12 and
	// 4.14.
	FinishLag time.Duration
	// PendingWord is the image_status before the first upload is finished. Empty is "pending".
	PendingWord string
	// ProcessingWords are the values of image_status while processing, each for the same share of
	// the time. Empty is "processing".
	ProcessingWords []string
	// Sources is how stored source names are made of the uploaded ones.
	Sources SourceShape
	// KeepIDs gives the image at each position the id that it had before the reupload.
	KeepIDs bool
	// KeepAltTexts carries the alt texts of a file name over a reupload.
	KeepAltTexts bool
	// StorageVersion of new products chooses the layout of their media paths, 1 or 2 (interface
	// section 2). 0 is 2.
	StorageVersion int
	// NoMedia leaves the media URLs null although processing is finished, as when the account has
	// no media path.
	NoMedia bool
	// Groups puts an image whose name begins with the key into the image group that is the value.
	// Everything else is in the group "rotation".
	Groups map[string]string
}

// UploadShapes are those of forms, of uploads and of their finish.
type UploadShapes struct {
	// WrapCredentials is the key that holds the upload credentials in the answer of 4.9, beside a
	// notice. Empty: they are the answer, as in 4.2.
	WrapCredentials string
	// Hostname is how the upload host is written in upload credentials.
	Hostname HostnameShape
	// AccessKeyField is the form field of 4.3 that carries the access key. Empty is
	// "StorageAccessKeyId".
	AccessKeyField string
	// SilentPolicy leaves that field out of the policy's conditions, as real upload hosts do.
	SilentPolicy bool
	// UploadStatus answers a file that was stored: 200, 201 (with XML) or 204. 0 is 204.
	UploadStatus int
	// ExpiryAtEnd judges a form's age when the file has arrived, not when its upload begins.
	ExpiryAtEnd bool
	// SilentFinish answers 4.4 with 204 and nothing else, instead of a notice.
	SilentFinish bool
	// RefuseWrongCount refuses 4.4 while another number of files is there than was announced.
	RefuseWrongCount bool
}

// HostnameShape is how the upload host is written.
type HostnameShape int

const (
	HostnameBare     HostnameShape = iota // host:port
	HostnameURL                           // http://host:port
	HostnameSlashURL                      // http://host:port/
)

// FilterShape is what filters compare.
type FilterShape int

const (
	FilterExact     FilterShape = iota // the whole value
	FilterSubstring                    // a part of it, without regard to letter case
	FilterIgnored                      // nothing
)

// SourceShape is how stored source names are made.
type SourceShape int

const (
	SourcesRenamed SourceShape = iota // as uploaded at first, "frame_r2.jpg" in revision 2
	SourcesKept                       // as uploaded
	SourcesRandom                     // a random name with the same extension
)

func (s *Shapes) setDefaults() {
	s.AccessKeyField = cmp.Or(s.AccessKeyField, "StorageAccessKeyId")
	s.UploadStatus = cmp.Or(s.UploadStatus, http.StatusNoContent)
	s.PendingWord = cmp.Or(s.PendingWord, "pending")
	s.StorageVersion = cmp.Or(s.StorageVersion, 2)
	if len(s.ProcessingWords) == 0 {
		s.ProcessingWords = []string{"processing"}
	}
}
