package plan

import (
	"slices"
	"strings"
	"time"

	"spinsync/daemon/manifest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
	"spinsync/watcher/frame"
)

// A Set is what the frames of a folder amount to at one instant. Judge makes it. The zero Set is
// neither ready nor published.
type Set struct {
	Whole  []watcher.File    // settled, in the wanted order
	Unread []watcher.File    // still, but not checked yet
	Broken []Reading         // of those that are not whole
	Busy   []watcher.Busy    // temporary files that hold the set up
	Stored map[string]string // stored name of each whole frame

	Open     []status.Cause // what keeps the folder from being complete, however quiet it is; news first
	allAgain bool           // Open names nothing but frames that were found whole and must be seen still again
	Corrupt  string         // the first frame that a person must replace; empty while it may change
	Problem  *status.Cause  // a person must solve it before anything is published

	Expected   int  // images of a complete set; 0 = unknown
	counted    bool // Expected is known, and of no frame beside those that names count
	Ready      bool
	awaits     Step       // of a set that is not ready: it names the missing evidence
	difference difference // from the published revision, if there is one

	about evidence
}

// A judge makes a set.
type judge struct {
	facts  Facts
	record syncstate.Record
	now    time.Time
	about  evidence

	moving []status.Cause // changing, or under a temporary name
	again  []status.Cause // not known to be still, but as they were when they were found whole
	set    Set
}

// Judge sorts the frames of a folder, and decides whether they are a whole set. Of the record it
// goes by the run, the publication and the number of frames that a person accepted.
func Judge(facts Facts, record syncstate.Record, now time.Time) Set {
	if restsPublished(facts, record) {
		return Set{} // its frames are not held
	}
	j := judge{facts: facts, record: record, now: now, about: evidenceOf(facts, record)}
	j.set.about = j.about
	j.sort()
	j.findBroken()
	j.findVideo()
	j.arrange()
	j.open()
	j.set.Expected, j.set.counted = j.expected(j.set.Whole)
	if record.Published != nil {
		j.set.difference = j.compare()
	}
	j.set.Ready, j.set.awaits = j.complete()
	return j.set
}

// restsPublished reports whether a folder was judged before, and found to be as it was published.
func restsPublished(facts Facts, record syncstate.Record) bool {
	return facts.Snapshot.Idle && record.Published != nil && record.Run == nil
}

// sort sorts the frames by their condition.
func (j *judge) sort() {
	j.set.Whole = make([]watcher.File, 0, len(j.facts.Snapshot.Frames))
	for _, f := range j.facts.Snapshot.Frames {
		j.add(f)
	}
	j.set.Busy = j.busy()
	for _, busy := range j.set.Busy {
		j.moving = append(j.moving, status.Cause{Kind: status.Temporary, Name: busy.Name, Text: busy.Reason})
	}
}

func (j *judge) add(f watcher.File) {
	r, isRead := j.about.read(f)
	switch {
	case !f.Still && j.about.known(f):
		j.again = append(j.again, status.Cause{Kind: status.SeenAgain, Name: f.Name})
	case !f.Still:
		j.moving = append(j.moving, status.Cause{Kind: status.StillChanging, Name: f.Name})
	case isRead && !r.Whole:
		j.set.Broken = append(j.set.Broken, r)
	case isRead, j.about.known(f):
		j.set.Whole = append(j.set.Whole, f)
	default:
		j.set.Unread = append(j.set.Unread, f)
	}
}

// open lists what keeps the folder from being complete.
func (j *judge) open() {
	open := slices.Grow(j.moving, len(j.set.Broken)+len(j.set.Unread)+len(j.again))
	for _, r := range j.set.Broken {
		open = append(open, notWhole(r))
	}
	for _, f := range j.set.Unread {
		open = append(open, status.Cause{Kind: status.NotChecked, Name: f.Name})
	}
	j.set.Open = append(open, j.again...)
	j.set.allAgain = len(j.again) > 0 && len(j.again) == len(j.set.Open)
}

// findBroken calls a person to the frames that stay broken.
func (j *judge) findBroken() {
	var lasting []status.Cause
	for _, r := range j.set.Broken {
		problem := &status.Cause{Kind: status.BrokenFrame, Name: r.File.Name, Text: r.Broken}
		if j.now.Sub(r.Since) >= BrokenPatience {
			j.set.Problem, lasting = problem, append(lasting, notWhole(r))
		}
	}
	if len(lasting) > 0 {
		j.set.Corrupt = lasting[0].Name
	}
	if len(lasting) > 1 {
		j.set.Problem = status.List(status.BrokenFrames, lasting)
	}
}

func notWhole(r Reading) status.Cause {
	return status.Cause{Kind: status.NotWhole, Name: r.File.Name, Text: r.Broken}
}

// findVideo refuses a video with other frames: a product is images or one video (interface 1).
func (j *judge) findVideo() {
	videos := 0
	for _, f := range j.set.Whole {
		if isVideo(f.Name) {
			videos++
		}
	}
	switch {
	case videos > 1:
		j.set.Problem = status.About(status.SeveralVideos, videos)
	case videos == 1 && len(j.set.Whole) > 1:
		j.set.Problem = status.Because(status.VideoBesideImages)
	}
}

// arrange sorts the whole frames and gives them stored names.
func (j *judge) arrange() {
	sorted := make([]manifest.Frame, len(j.set.Whole))
	for i, f := range j.set.Whole {
		sorted[i].Name = f.Name
		if j.facts.Rules.Order == manifest.Captured {
			sorted[i].Captured = j.about.capturedAt(f)
		}
	}
	if err := j.facts.Rules.Order.Sort(sorted); err != nil {
		j.complain(err)
		return
	}
	names := make([]string, len(sorted))
	for i, f := range sorted {
		names[i] = f.Name
	}
	j.follow(names)
	stored, err := manifest.StoredNames(names)
	if err != nil {
		j.complain(err)
		return
	}
	j.set.Stored = make(map[string]string, len(names))
	for i, name := range names {
		j.set.Stored[name] = stored[i]
	}
}

// follow puts the whole frames in the order of names. Most often they are in it already.
func (j *judge) follow(names []string) {
	if slices.EqualFunc(j.set.Whole, names, func(f watcher.File, name string) bool { return f.Name == name }) {
		return
	}
	byName := make(map[string]watcher.File, len(j.set.Whole))
	for _, f := range j.set.Whole {
		byName[f.Name] = f
	}
	for i, name := range names {
		j.set.Whole[i] = byName[name]
	}
}

func (j *judge) complain(err error) {
	if j.set.Problem == nil {
		j.set.Problem = &status.Cause{Kind: status.Mistake, Text: err.Error()}
	}
}

// InOrder are the whole frames in the wanted order, followed by the unread ones.
func (set Set) InOrder() []watcher.File { return slices.Concat(set.Whole, set.Unread) }

// Count is the number of images the whole frames make.
func (set Set) Count() int { return len(set.Whole) }

// prefixed reports whether any frame is stored under another name than its own.
func (set Set) prefixed() bool {
	for name, stored := range set.Stored {
		if stored != name {
			return true
		}
	}
	return false
}

// StoredName is the stored name of a frame from its record, where the local name is left out.
func StoredName(stored, local string) string {
	if stored == "" {
		return local
	}
	return stored
}

func isVideo(name string) bool { return strings.HasPrefix(frame.ContentType(name), "video/") }

// PublishedFrames are the frames by the name of their files.
func PublishedFrames(p *syncstate.Published) map[string]syncstate.Frame {
	byName := map[string]syncstate.Frame{}
	if p != nil {
		for _, f := range p.Frames {
			byName[f.Name] = f
		}
	}
	return byName
}

// SizeKey is the size key of the recorded frames of a folder: their number and their bytes. The index
// of recorded folders finds them by it.
type SizeKey struct {
	Images int
	Bytes  int64
}

// SizeKey is the size key of the whole frames.
func (set Set) SizeKey() SizeKey {
	key := SizeKey{Images: len(set.Whole)}
	for _, f := range set.Whole {
		key.Bytes += f.Size
	}
	return key
}
