package hosting

import (
	"errors"
	"sync"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
)

// Listing a product's images needs edit permission for its project (interface 4.12), and no run
// ends without that list. A user who lacks it is found with one request for each project and
// process: before a product is made where the project has one to try it with, else before the first
// frame is sent.

// Permissions remember for which projects the user may list images.
type Permissions struct {
	Asking KeyedLock // one request of a project at a time

	mu      sync.Mutex
	granted map[string]bool        // by project
	refused map[string]pastRefusal // the newest, by project
	led     map[string]time.Time   // since when requests for a product or of a project are led elsewhere
}

// A pastRefusal is one that other folders of the project need not hear for themselves for a moment.
type pastRefusal struct {
	at  time.Time
	err error
}

// Known reports whether nothing need be asked, and the refusal if that is why.
func (p *Permissions) Known(project string, now time.Time) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if no, ok := p.refused[project]; ok && now.Sub(no.at) < listLife {
		return true, no.err
	}
	return p.granted[project], nil
}

// Learn takes in the outcome of a list of images. Any error but the refusal of permission tells
// nothing.
func (p *Permissions) Learn(project string, now time.Time, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.granted == nil {
		p.granted, p.refused = map[string]bool{}, map[string]pastRefusal{}
	}
	switch {
	case err == nil:
		p.granted[project] = true
		delete(p.refused, project)
	case outcome.Needs(err, status.Refused): // not a product of its own that is gone
		p.refused[project] = pastRefusal{now, err}
	}
}

// Forget has the next folder ask anew, because a person says that something changed.
func (p *Permissions) Forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.refused)
}

// LedSince is since when requests about this are answered by a redirect and nothing else. An answer
// long ago counts no more.
func (p *Permissions) LedSince(about string, now time.Time) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.led == nil {
		p.led = map[string]time.Time{}
	}
	if since, ok := p.led[about]; ok && now.Sub(since) < ledLife {
		return since
	}
	p.led[about] = now
	return now
}

// LacksPermission reports whether a list of images was refused in a way that a want of edit
// permission may show in: no status is given for it (interface 7). A redirect may lead to
// a log-in page then. A rejected password is another matter.
func LacksPermission(err error) bool {
	var remote *apiclient.Error
	return errors.As(err, &remote) && remote.Err == nil && !outcome.Rejected(remote) &&
		(remote.Status/100 == 3 || !remote.Temporary())
}
