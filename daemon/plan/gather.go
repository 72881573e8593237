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

// A Reading is the result of reading one frame. It is valid for exactly the file it names.
type Reading struct {
	File     syncstate.File
	Whole    bool      // as far as it was read; the upload shows the remainder
	Broken   string    // why it is not whole
	Since    time.Time // when it was read; if broken, since when it has been as it was read
	Captured time.Time
	Content  string // media type
	Digest   []byte // SHA-256; nil when it was not asked for
	XMP      []byte
	Early    bool // it was read before it was still, and must be read again at rest
}

// A FrameSet is a product folder's frames, sorted by their condition.
type FrameSet struct {
	Whole  []watcher.File // settled, in the wanted order
	Unread []watcher.File // still, but not checked yet
	moving []status.Cause // changing, or under a temporary name
	again  []status.Cause // not known to be still, but as they were when they were found whole
	busy   []watcher.Busy // temporary files that hold the set up
	broken []Reading
	Torn   string // the corrupt frame that a person must replace; empty while it may change

	Stored  map[string]string // stored name of each whole frame
	video   bool
	Problem *status.Cause // a person must solve it before anything is published

	readings map[string]Reading
}

// FrameSet sorts the frames of the scene, once for a scene that can keep the result.
func (s Scene) FrameSet() FrameSet {
	switch {
	case s.Gathered == nil:
		return s.sortFrames()
	case *s.Gathered == nil:
		g := s.sortFrames()
		*s.Gathered = &g
	}
	return **s.Gathered
}

func (s Scene) sortFrames() FrameSet {
	g := FrameSet{readings: s.Readings, Whole: make([]watcher.File, 0, len(s.Snapshot.Frames))}
	for _, f := range s.Snapshot.Frames {
		g.add(s, f)
	}
	g.busy = s.BusyNow()
	for _, busy := range g.busy {
		g.moving = append(g.moving, status.Cause{Kind: status.Temporary, Name: busy.Name, Said: busy.Reason})
	}
	g.findVideo(s)
	g.arrange(s)
	return g
}

func (g *FrameSet) add(s Scene, f watcher.File) {
	r, isRead := s.read(f)
	switch {
	case !f.Still && s.known(f):
		g.again = append(g.again, status.Cause{Kind: status.SeenAgain, Name: f.Name})
	case !f.Still:
		g.moving = append(g.moving, status.Cause{Kind: status.StillChanging, Name: f.Name})
	case isRead && !r.Whole:
		g.broken = append(g.broken, r)
		problem := &status.Cause{Kind: status.BrokenFrame, Name: f.Name, Said: r.Broken}
		if s.Now.Sub(r.Since) >= BrokenPatience || s.saidBefore(problem) {
			g.Torn, g.Problem = f.Name, problem
		}
	case isRead, s.known(f):
		g.Whole = append(g.Whole, f)
	default:
		g.Unread = append(g.Unread, f)
	}
}

// read is the reading of a still frame, if it holds for the frame as it stands. A frame that was
// sent early is read again at rest.
func (s Scene) read(f watcher.File) (Reading, bool) {
	r, ok := s.Readings[f.Name]
	if !ok || r.Early || !r.File.Same(FileOf(f)) {
		return Reading{}, false
	}
	return r, !s.sentEarly(f) || !r.Whole || r.Digest != nil && !r.Since.Before(f.Since)
}

// known reports whether this very file was found whole before, in this run or for the published
// revision.
func (s Scene) known(f watcher.File) bool {
	if s.Rules.Order == manifest.Captured && s.CapturedAt(f).IsZero() || s.sentEarly(f) {
		return false
	}
	return s.runFrame(f) != nil || s.publishedFrame(f) != nil
}

func (s Scene) runFrame(f watcher.File) *syncstate.RunFrame {
	if s.Record.Run == nil {
		return nil
	}
	file := FileOf(f)
	for i := range s.Record.Run.Frames {
		if s.Record.Run.Frames[i].Same(file) {
			return &s.Record.Run.Frames[i]
		}
	}
	return nil
}

func (s Scene) publishedFrame(f watcher.File) *syncstate.Frame {
	i, ok := s.PublishedNames.find(s.Record.Published, f.Name)
	if !ok || !s.Record.Published.Frames[i].Same(FileOf(f)) {
		return nil
	}
	return &s.Record.Published.Frames[i]
}

// NameIndex finds published frames by the names of their files. A nil one is made anew for each
// question.
type NameIndex struct {
	of *syncstate.Published
	at map[string]int // index into its frames
}

func (n *NameIndex) find(published *syncstate.Published, name string) (i int, ok bool) {
	if n == nil {
		n = new(NameIndex)
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
func (g *FrameSet) findVideo(s Scene) {
	videos := 0
	for _, f := range g.Whole {
		if isVideo(f.Name) {
			videos++
		}
	}
	g.video = videos > 0
	switch {
	case videos > 1:
		g.Problem = status.About(status.SeveralVideos, videos)
	case videos == 1 && len(g.Whole) > 1:
		g.Problem = status.Because(status.VideoBesideImages)
	}
}

// arrange sorts the whole frames and gives them stored names.
func (g *FrameSet) arrange(s Scene) {
	sorted := make([]manifest.Frame, len(g.Whole))
	for i, f := range g.Whole {
		sorted[i] = manifest.Frame{Name: f.Name, Captured: s.CapturedAt(f)}
	}
	if err := s.Rules.Order.Sort(sorted); err != nil {
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
	g.Stored = make(map[string]string, len(names))
	for i, name := range names {
		g.Stored[name] = stored[i]
	}
}

// follow puts the whole frames in the order of their names. Most often they stand so already.
func (g *FrameSet) follow(names []string) {
	if slices.EqualFunc(g.Whole, names, func(f watcher.File, name string) bool { return f.Name == name }) {
		return
	}
	byName := make(map[string]watcher.File, len(g.Whole))
	for _, f := range g.Whole {
		byName[f.Name] = f
	}
	for i, name := range names {
		g.Whole[i] = byName[name]
	}
}

func (g *FrameSet) complain(err error) {
	if g.Problem == nil {
		g.Problem = &status.Cause{Kind: status.Mistake, Said: err.Error()}
	}
}

// CapturedAt is a frame's capture time, if it was read from this very file.
func (s Scene) CapturedAt(f watcher.File) time.Time {
	if r, ok := s.Readings[f.Name]; ok && r.File.Same(FileOf(f)) {
		return r.Captured
	}
	if sent := s.runFrame(f); sent != nil {
		return sent.Captured
	}
	if published := s.publishedFrame(f); published != nil {
		return published.Captured
	}
	return time.Time{}
}

// Count is the number of images the whole frames make.
func (g FrameSet) Count() int { return len(g.Whole) }

// Unsettled lists the causes that keep the folder from being complete, however quiet it is. Causes
// that are news come first.
func (g FrameSet) Unsettled() []status.Cause {
	all := slices.Clone(g.moving)
	for _, r := range g.broken {
		all = append(all, status.Cause{Kind: status.NotWhole, Name: r.File.Name, Said: r.Broken})
	}
	for _, f := range g.Unread {
		all = append(all, status.Cause{Kind: status.NotChecked, Name: f.Name})
	}
	return append(all, g.again...)
}

// prefixed reports whether any frame is stored under another name than its own.
func (g FrameSet) prefixed() bool {
	for name, stored := range g.Stored {
		if stored != name {
			return true
		}
	}
	return false
}

// diverges reports whether a frame that may have been sent in this run has changed, is gone, or
// would be stored under another name. Only a new form makes the service forget it.
func (s Scene) diverges(g FrameSet) bool {
	present := make(map[string]watcher.File, len(g.Whole))
	for _, f := range g.Whole {
		present[f.Name] = f
	}
	for _, sent := range s.Record.Run.Frames {
		f, ok := present[sent.Name]
		switch {
		case ok && g.Stored[f.Name] != StoredName(sent.Stored, sent.Name):
			return true
		case ok && sent.Same(FileOf(f)), s.mayBeSentAgain(sent):
		default:
			return true
		}
	}
	return false
}

// formExpires reports whether the run's form is too old to send the frames that are left.
func (s Scene) formExpires(g FrameSet, run *syncstate.Run) bool {
	return len(s.missing(g)) > 0 && !run.Form.Expires.IsZero() &&
		s.Now.Add(s.Clock).Add(formMargin).After(run.Form.Expires)
}

func StoredName(stored, local string) string {
	if stored == "" {
		return local
	}
	return stored
}

// missing lists the whole frames that the run has not sent yet, or not as they came to rest.
func (s Scene) missing(g FrameSet) []watcher.File {
	sent := make(map[string]syncstate.RunFrame, len(s.Record.Run.Frames))
	for _, f := range s.Record.Run.Frames {
		sent[f.Name] = f
	}
	var todo []watcher.File
	for _, f := range g.Whole {
		switch before := sent[f.Name]; {
		case s.UnderWay[f.Name]:
		case !before.Uploaded, !before.Same(FileOf(f)), s.sentEarly(f) && !s.agrees(before):
			todo = append(todo, f)
		}
	}
	return todo
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

// A renamed or moved folder is recognised by its content: it has the same frames as a folder that
// is gone from the disk. It takes over the record of that folder, so that spinsync uploads nothing
// again and makes no product twice. This holds for a published product, for an upload under way,
// and for a create whose answer is not known yet. A product stays in the project that it was made
// in, because no request moves a product to another project (interface 4.9).

// SizeKey is the size key of the recorded frames of a folder: their number and their bytes. The
// content index finds folders by it.
type SizeKey struct {
	Images int
	Bytes  int64
}

func (g FrameSet) Extent() SizeKey {
	e := SizeKey{Images: len(g.Whole)}
	for _, f := range g.Whole {
		e.Bytes += f.Size
	}
	return e
}

func (s Scene) Settled() int {
	n := 0
	for _, f := range s.Snapshot.Frames {
		if r, read := s.Readings[f.Name]; s.known(f) || f.Still && (!read || r.Whole || !r.File.Same(FileOf(f))) {
			n++
		}
	}
	return n
}

func (s Scene) TotalBytes() int64 {
	var total int64
	for _, f := range s.Snapshot.Frames {
		total += f.Size
	}
	return total
}
