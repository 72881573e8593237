package daemon

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

// A reading is the result of reading one frame. It is valid for exactly the file it names.
type reading struct {
	file     syncstate.File
	whole    bool      // as far as it was read; the upload shows the remainder
	broken   string    // why it is not whole
	since    time.Time // when it was read; if broken, since when it has been as it was read
	captured time.Time
	content  string // media type
	digest   []byte // SHA-256; nil when it was not asked for
	xmp      []byte
	early    bool // it was read before it was still, and must be read again at rest
}

// A gathering is a product folder's frames, sorted by their condition.
type gathering struct {
	whole  []watcher.File // settled, in the wanted order
	unread []watcher.File // still, but not checked yet
	moving []status.Cause // changing, or under a temporary name
	again  []status.Cause // not known to be still, but as they were when they were found whole
	busy   []watcher.Busy // temporary files that hold the set up
	broken []reading
	torn   string // the corrupt frame that a person must replace; empty while it may change

	stored  map[string]string // stored name of each whole frame
	video   bool
	problem *status.Cause // a person must solve it before anything is published

	readings map[string]reading
}

// gather sorts the frames of the scene, once for a scene that can keep the result.
func (s scene) gather() gathering {
	switch {
	case s.gathered == nil:
		return s.sortFrames()
	case *s.gathered == nil:
		g := s.sortFrames()
		*s.gathered = &g
	}
	return **s.gathered
}

func (s scene) sortFrames() gathering {
	g := gathering{readings: s.readings, whole: make([]watcher.File, 0, len(s.snapshot.Frames))}
	for _, f := range s.snapshot.Frames {
		g.add(s, f)
	}
	g.busy = s.busyNow()
	for _, busy := range g.busy {
		g.moving = append(g.moving, status.Cause{Kind: status.Temporary, Name: busy.Name, Said: busy.Reason})
	}
	g.findVideo(s)
	g.arrange(s)
	return g
}

func (g *gathering) add(s scene, f watcher.File) {
	r, isRead := s.read(f)
	switch {
	case !f.Still && s.known(f):
		g.again = append(g.again, status.Cause{Kind: status.SeenAgain, Name: f.Name})
	case !f.Still:
		g.moving = append(g.moving, status.Cause{Kind: status.StillChanging, Name: f.Name})
	case isRead && !r.whole:
		g.broken = append(g.broken, r)
		problem := &status.Cause{Kind: status.BrokenFrame, Name: f.Name, Said: r.broken}
		if s.now.Sub(r.since) >= brokenPatience || s.saidBefore(problem) {
			g.torn, g.problem = f.Name, problem
		}
	case isRead, s.known(f):
		g.whole = append(g.whole, f)
	default:
		g.unread = append(g.unread, f)
	}
}

// read is the reading of a still frame, if it holds for the frame as it stands. A frame that was
// sent early is read again at rest.
func (s scene) read(f watcher.File) (reading, bool) {
	r, ok := s.readings[f.Name]
	if !ok || r.early || !r.file.Same(identity(f)) {
		return reading{}, false
	}
	return r, !s.sentEarly(f) || !r.whole || r.digest != nil && !r.since.Before(f.Since)
}

// known reports whether this very file was found whole before, in this run or for the published
// revision.
func (s scene) known(f watcher.File) bool {
	if s.rules.order == manifest.Captured && s.capturedAt(f).IsZero() || s.sentEarly(f) {
		return false
	}
	return s.runFrame(f) != nil || s.publishedFrame(f) != nil
}

func (s scene) runFrame(f watcher.File) *syncstate.RunFrame {
	if s.record.Run == nil {
		return nil
	}
	file := identity(f)
	for i := range s.record.Run.Frames {
		if s.record.Run.Frames[i].Same(file) {
			return &s.record.Run.Frames[i]
		}
	}
	return nil
}

func (s scene) publishedFrame(f watcher.File) *syncstate.Frame {
	i, ok := s.publishedNames.find(s.record.Published, f.Name)
	if !ok || !s.record.Published.Frames[i].Same(identity(f)) {
		return nil
	}
	return &s.record.Published.Frames[i]
}

// nameIndex finds published frames by the names of their files. A nil one is made anew for each
// question.
type nameIndex struct {
	of *syncstate.Published
	at map[string]int // index into its frames
}

func (n *nameIndex) find(published *syncstate.Published, name string) (i int, ok bool) {
	if n == nil {
		n = new(nameIndex)
	}
	if published != nil && n.of != published {
		n.of, n.at = published, make(map[string]int, len(published.Frames))
		for i, f := range published.Frames {
			n.at[f.Name] = i
		}
	}
	i, ok = n.at[name]
	return i, ok && published != nil
}

// findVideo refuses a video beside other frames: a product is images or one video (interface 1).
func (g *gathering) findVideo(s scene) {
	videos := 0
	for _, f := range g.whole {
		if isVideo(f.Name) {
			videos++
		}
	}
	g.video = videos > 0
	switch {
	case videos > 1:
		g.problem = about(status.SeveralVideos, videos)
	case videos == 1 && len(g.whole) > 1:
		g.problem = because(status.VideoBesideImages)
	}
}

// arrange sorts the whole frames and gives them stored names.
func (g *gathering) arrange(s scene) {
	sorted := make([]manifest.Frame, len(g.whole))
	for i, f := range g.whole {
		sorted[i] = manifest.Frame{Name: f.Name, Captured: s.capturedAt(f)}
	}
	if err := s.rules.order.Sort(sorted); err != nil {
		g.complain(err)
		return
	}
	names := make([]string, len(sorted))
	for i, f := range sorted {
		names[i] = f.Name
	}
	g.follow(names)
	stored, err := manifest.StoredNames(names)
	if err != nil {
		g.complain(err)
		return
	}
	g.stored = make(map[string]string, len(names))
	for i, name := range names {
		g.stored[name] = stored[i]
	}
}

// follow puts the whole frames in the order of their names. Most often they stand so already.
func (g *gathering) follow(names []string) {
	if slices.EqualFunc(g.whole, names, func(f watcher.File, name string) bool { return f.Name == name }) {
		return
	}
	byName := make(map[string]watcher.File, len(g.whole))
	for _, f := range g.whole {
		byName[f.Name] = f
	}
	for i, name := range names {
		g.whole[i] = byName[name]
	}
}

func (g *gathering) complain(err error) {
	if g.problem == nil {
		g.problem = &status.Cause{Kind: status.Mistake, Said: err.Error()}
	}
}

// capturedAt is a frame's capture time, if it was read from this very file.
func (s scene) capturedAt(f watcher.File) time.Time {
	if r, ok := s.readings[f.Name]; ok && r.file.Same(identity(f)) {
		return r.captured
	}
	if sent := s.runFrame(f); sent != nil {
		return sent.Captured
	}
	if published := s.publishedFrame(f); published != nil {
		return published.Captured
	}
	return time.Time{}
}

// count is the number of images the whole frames make.
func (g gathering) count() int { return len(g.whole) }

// unsettled lists the causes that keep the folder from being complete, however quiet it is. Causes
// that are news come first.
func (g gathering) unsettled() []status.Cause {
	all := slices.Clone(g.moving)
	for _, r := range g.broken {
		all = append(all, status.Cause{Kind: status.NotWhole, Name: r.file.Name, Said: r.broken})
	}
	for _, f := range g.unread {
		all = append(all, status.Cause{Kind: status.NotChecked, Name: f.Name})
	}
	return append(all, g.again...)
}

// prefixed reports whether any frame is stored under another name than its own.
func (g gathering) prefixed() bool {
	for name, stored := range g.stored {
		if stored != name {
			return true
		}
	}
	return false
}

// diverges reports whether a frame that may have been sent in this run has changed, is gone, or
// would be stored under another name. Only a new form makes the service forget it.
func (s scene) diverges(g gathering) bool {
	present := make(map[string]watcher.File, len(g.whole))
	for _, f := range g.whole {
		present[f.Name] = f
	}
	for _, sent := range s.record.Run.Frames {
		f, ok := present[sent.Name]
		switch {
		case ok && g.stored[f.Name] != storedName(sent.Stored, sent.Name):
			return true
		case ok && sent.Same(identity(f)), s.mayBeSentAgain(sent):
		default:
			return true
		}
	}
	return false
}

// formExpires reports whether the run's form is too old to send the frames that are left.
func (s scene) formExpires(g gathering, run *syncstate.Run) bool {
	return len(s.missing(g)) > 0 && !run.Form.Expires.IsZero() &&
		s.now.Add(s.clock).Add(formMargin).After(run.Form.Expires)
}

func storedName(stored, local string) string {
	if stored == "" {
		return local
	}
	return stored
}

// missing lists the whole frames that the run has not sent yet, or not as they came to rest.
func (s scene) missing(g gathering) []watcher.File {
	sent := make(map[string]syncstate.RunFrame, len(s.record.Run.Frames))
	for _, f := range s.record.Run.Frames {
		sent[f.Name] = f
	}
	var todo []watcher.File
	for _, f := range g.whole {
		switch before := sent[f.Name]; {
		case s.underWay[f.Name]:
		case !before.Uploaded, !before.Same(identity(f)), s.sentEarly(f) && !s.agrees(before):
			todo = append(todo, f)
		}
	}
	return todo
}

func isVideo(name string) bool { return strings.HasPrefix(frame.ContentType(name), "video/") }
