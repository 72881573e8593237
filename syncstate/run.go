package syncstate

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// A Phase is how far a run has come.
type Phase string

// The phases, in their order. A run of a product that exists begins with Owed or FormWanted. One that
// has lost its form is FormWanted again.
const (
	Making     Phase = "making"      // its product is being made: the create may have arrived
	Owed       Phase = ""            // it is still to begin, for a product that exists
	FormWanted Phase = "form wanted" // it has begun, and has no upload form
	Sending    Phase = "sending"     // it has a form, under which the frames are sent
	Finishing  Phase = "finishing"   // the finish request may have arrived
	Processing Phase = "processing"  // the finish request was answered
	Collecting Phase = "collecting"  // the service reports Seen as finished
)

var phases = []Phase{Making, Owed, FormWanted, Sending, Finishing, Processing, Collecting}

// Run is one create or reupload that is under way.
type Run struct {
	Phase    Phase     `json:"phase,omitempty"`
	Reupload bool      `json:"reupload"`
	Started  time.Time `json:"started,omitzero"`
	Images   int       `json:"images"`           // the number announced to the service
	Intent   *Intent   `json:"intent,omitempty"` // the create, nil in every phase but Making
	Form     *Form     `json:"form,omitempty"`   // the credentials; never nil in Sending
	// GivenUp: a form of the run was given up. The next is asked for once the set is complete.
	GivenUp  bool     `json:"given_up,omitempty"`
	Setbacks Setbacks `json:"setbacks,omitzero"`

	Before Before `json:"before,omitzero"`

	// Marker is the marker file when the finish request was sent.
	Marker     File      `json:"-"`
	FinishSent time.Time `json:"finish_sent,omitzero"` // set before the finish request is sent
	// Seen is the progress that the service showed last: just before the finish, if there were
	// images then, and from then on at each check. It is never nil in Collecting.
	Seen *Progress `json:"seen,omitempty"`
	// Looks counts the checks in vain: for a sign that an unanswered finish arrived, and from then
	// on for a list of the run's images. Next is when the status is asked for again.
	Looks Tries `json:"looks,omitzero"`
	// Doubt: another revision than this run's may have finished, so the files on the service must
	// be compared.
	Doubt bool `json:"doubt,omitempty"`

	// Frames are those that the folder had when its product or a form was asked for, and from Sending
	// on those that may have been sent.
	Frames []RunFrame `json:"-"`
}

// Before is what the product showed before a run.
type Before struct {
	// Revision is nil for a product that never finished one.
	Revision *int64 `json:"revision,omitempty"`
	// Print is the fingerprint of the images. It is empty when there were none, and once the service
	// was seen to go on since the finish: images that keep all their names are then the run's own.
	Print string `json:"print,omitempty"`
	// Frames are the photos of the images, as far as these are known, with the alt texts of each.
	// Those of an upload that was not recorded are among them.
	Frames []Frame `json:"-"`
}

// Setbacks count what had a run begin again. Another run for the same frames goes on counting. Where a
// person was asked, a change of the folder resets the counts of forms.
type Setbacks struct {
	// ExpiredForms are the forms that did not last until all was sent, although the folder was
	// still and had the line.
	ExpiredForms int `json:"expired_forms,omitempty"`
	// NoRoom says that the upload host had no room for a frame. A form that expires afterwards counts,
	// even where nothing was sent under it because the host rested.
	NoRoom bool `json:"no_room,omitempty"`
	// RefusedForms are those that the upload host refused for another reason than their age, or that
	// it refused one frame under, and those whose finish the service refused.
	RefusedForms int `json:"refused_forms,omitempty"`
	// Overtaken are the uploads in a row that were given up because the service showed another.
	Overtaken int `json:"overtaken,omitempty"`
}

// ForgetForms resets what is known of forms.
func (s *Setbacks) ForgetForms() { s.ExpiredForms, s.NoRoom, s.RefusedForms = 0, false, 0 }

// In reports whether there is a run, in this phase.
func (r *Run) In(p Phase) bool { return r != nil && r.Phase == p }

// Asked is the create of a run whose product is being made; nil for any other run, and for none.
func (r *Run) Asked() *Intent {
	if r == nil {
		return nil
	}
	return r.Intent
}

// IsBound reports whether there is a run whose finish request may have arrived, so that it must be
// seen through.
func (r *Run) IsBound() bool { return r.In(Finishing) || r.In(Processing) || r.In(Collecting) }

// DropForm has a run ask for another form before it goes on.
func (r *Run) DropForm() {
	r.Form, r.GivenUp = nil, r.GaveUpForm()
	if r.Phase == Sending {
		r.Phase = FormWanted
	}
}

// GaveUpForm reports whether a run that asks for a form had one before.
func (r *Run) GaveUpForm() bool { return r.GivenUp || r.Form != nil }

// Unbind takes a run back to before its finish request: that was refused, or is not believed any
// more.
func (r *Run) Unbind() {
	r.Phase, r.FinishSent = Sending, time.Time{}
	if r.Form == nil {
		r.Phase = FormWanted
	}
}

// check refuses a run that would be read as what it is not.
func (r *Run) check() error {
	switch {
	case r == nil:
		return nil
	case !slices.Contains(phases, r.Phase):
		return fmt.Errorf("a run is in the unknown phase %q", r.Phase)
	case (r.Phase == Making) != (r.Intent != nil):
		return errors.New("a run that makes a product has no create, or another one has")
	case r.Phase == Sending && r.Form == nil:
		return errors.New("a run sends without an upload form")
	case r.Phase == Collecting && r.Seen == nil:
		return errors.New("a run collects a revision that was not seen")
	}
	return nil
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

// Progress is how far the service is with a product (interface 4.14).
type Progress struct {
	Revision int64  `json:"revision"`
	Status   string `json:"status"`
}

// RunFrame is one frame of a run's manifest.
type RunFrame struct {
	File
	Stored   string // the stored name; empty when it is the local one
	Digest   []byte // of the bytes sent; nil while none were
	Uploaded bool
	Captured time.Time
	Changed  int64 // the file's last change before it was sent, as its drive reports it; 0 = unknown
}
