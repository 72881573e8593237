package hosting

import (
	"errors"
	"maps"
	"sync"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
)

// Listing a product's images needs edit permission for its project (interface 4.12), and no run
// ends without that list. So no run begins in a project where the list was refused. The runs that
// wait for it ask again each minute.

// RefusedLists are the breakers of the projects whose images this user may not list.
type RefusedLists struct {
	mu sync.Mutex
	of map[string]refusedList // by project
}

// A refusedList is the newest refusal of a project.
type refusedList struct {
	at    time.Time
	cause *status.Cause
}

// Note takes in a refusal.
func (r *RefusedLists) Note(project string, now time.Time, cause *status.Cause) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil {
		r.of = map[string]refusedList{}
	}
	maps.DeleteFunc(r.of, func(_ string, l refusedList) bool { return now.Sub(l.at) >= refusedLife })
	r.of[project] = refusedList{now, cause}
}

// End takes in that a list of the project's images was given.
func (r *RefusedLists) End(project string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.of, project)
}

// Forget lets runs begin everywhere, after a person's word that something changed.
func (r *RefusedLists) Forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.of)
}

// Blocked is the wait of a run that is to begin in a project; nil when it may begin.
func (r *RefusedLists) Blocked(project string, now time.Time) *outcome.Outcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	refused, is := r.of[project]
	if !is || now.Sub(refused.at) >= refusedLife {
		return nil
	}
	return outage{cause: refused.cause}.blocks(now.Add(RefusedPause), true)
}

// LacksPermission reports whether a list of images was refused in a way that a want of edit
// permission may show in: no status is given for it (interface 7). A redirect may lead to
// a log-in page then. A rejected password is another matter.
func LacksPermission(err error) bool {
	var remote *apiclient.Error
	return errors.As(err, &remote) && remote.Err == nil && !outcome.Rejected(remote) &&
		(remote.Status/100 == 3 || !remote.Temporary())
}
