package syncstate

import "time"

// shared is the part of a record that all stations of a fleet know: what was decided. A station that
// takes over goes on from it. What only one station can use or needs to show is not part of it:
// upload forms, marks of single frames, pauses before the next try, what people saw.
func (r Record) shared() Record {
	s := Record{
		Idle: r.Idle, Wishes: r.Wishes, Absence: r.Absence, Late: r.Late, Doubted: r.Doubted,
		Updating: r.Updating, Updates: r.Updates, Run: r.Run.shared(), Published: r.Published,
	}
	s.Absence.Verified = time.Time{}
	if r.Product.UUID != "" || s.Run != nil {
		s.Project, s.Product = r.Project, r.Product
	}
	return s
}

// shared is what another station needs of a run. Before the finish it sends all frames anew, under a
// form of its own; while the product is being made, the frames show which folder it is of. Whether a
// finish without an answer arrived it tells from what the product showed before. From the answer on it
// sees the run through by the manifest: how far the service was is asked for again.
func (r *Run) shared() *Run {
	if r == nil {
		return nil
	}
	s := *r
	s.Form, s.GivenUp, s.Setbacks, s.Looks, s.Seen = nil, false, Setbacks{}, Tries{}, nil
	switch {
	case r.Phase == Finishing:
		s.Seen = r.Seen
	case r.IsBound():
		s.Phase = Processing
	case s.Phase == Making:
		s.Intent = r.Intent.shared()
	default:
		s.Frames, s.Marker = nil, File{}
		if s.Phase == Sending {
			s.Phase = FormWanted
		}
	}
	return &s
}

// shared is an intent with what came of it so far. A station that takes over searches anew, and asks the
// same of a person.
func (i *Intent) shared() *Intent {
	if i == nil {
		return nil
	}
	s := *i
	s.Looks = Tries{}
	return &s
}

// take is the record once another station has changed its shared part. What this one saw, tried and
// showed was about the state before.
func (r Record) take(shared Record) Record {
	shared.Absence.Verified = r.Absence.Verified
	shared.Counts = r.Counts
	return shared
}

func (p ProjectRecord) shared() ProjectRecord {
	return ProjectRecord{Project: p.Project, Intent: p.Intent.shared()}
}
