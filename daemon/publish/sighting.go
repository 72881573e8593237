package publish

import "time"

// A sighting is what the service shows at present, with the time when it was seen first. Something
// else in its place is another sighting.
type sighting[T comparable] struct {
	what  T
	since time.Time
}

// see notes what is shown, and returns since when.
func (s *sighting[T]) see(what T) (since time.Time) {
	if s.what != what {
		s.what, s.since = what, time.Now()
	}
	return s.since
}
