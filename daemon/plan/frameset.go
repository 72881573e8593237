package plan

import (
	"slices"
	"strings"

	"spinsync/daemon/manifest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
	"spinsync/watcher/frame"
)

// A FrameSet is a product folder's frames, sorted by their condition.
type FrameSet struct {
	scene *Scene

	Whole   []watcher.File // settled, in the wanted order
	Unread  []watcher.File // still, but not checked yet
	moving  []status.Cause // changing, or under a temporary name
	again   []status.Cause // not known to be still, but as they were when they were found whole
	busy    []watcher.Busy // temporary files that hold the set up
	broken  []Reading
	Corrupt string // the first frame that a person must replace; empty while it may change

	Stored  map[string]string // stored name of each whole frame
	Problem *status.Cause     // a person must solve it before anything is published
}

// A Memo keeps results about a scene for all its copies. Without a Memo each call works them out
// again.
type Memo struct {
	frames *FrameSet
	names  nameIndex
}

func (m *Memo) index() *nameIndex {
	if m == nil {
		return nil
	}
	return &m.names
}

// FrameSet sorts the frames of the scene.
func (s Scene) FrameSet() FrameSet {
	if s.Memo == nil {
		return s.sortFrames()
	}
	if s.Memo.frames == nil {
		set := s.sortFrames()
		s.Memo.frames = &set
	}
	set := *s.Memo.frames
	set.scene = &s
	return set
}

// framesOf is a set of frames of the scene that are taken to be whole.
func (s *Scene) framesOf(whole []watcher.File) FrameSet { return FrameSet{scene: s, Whole: whole} }

func (s Scene) sortFrames() FrameSet {
	set := s.framesOf(make([]watcher.File, 0, len(s.Facts.Snapshot.Frames)))
	about := s.evidence()
	for _, f := range s.Facts.Snapshot.Frames {
		set.add(f, about)
	}
	set.busy = s.BusyNow()
	for _, busy := range set.busy {
		set.moving = append(set.moving, status.Cause{Kind: status.Temporary, Name: busy.Name, Text: busy.Reason})
	}
	set.findBroken()
	set.findVideo()
	set.arrange()
	return set
}

func (set *FrameSet) add(f watcher.File, about evidence) {
	r, isRead := about.read(f)
	switch {
	case !f.Still && about.known(f):
		set.again = append(set.again, status.Cause{Kind: status.SeenAgain, Name: f.Name})
	case !f.Still:
		set.moving = append(set.moving, status.Cause{Kind: status.StillChanging, Name: f.Name})
	case isRead && !r.Whole:
		set.broken = append(set.broken, r)
	case isRead, about.known(f):
		set.Whole = append(set.Whole, f)
	default:
		set.Unread = append(set.Unread, f)
	}
}

// findBroken calls a person to the frames that stay broken.
func (set *FrameSet) findBroken() {
	s := set.scene
	var lasting []status.Cause
	for _, r := range set.broken {
		problem := &status.Cause{Kind: status.BrokenFrame, Name: r.File.Name, Text: r.Broken}
		if s.Now.Sub(r.Since) >= BrokenPatience {
			set.Problem, lasting = problem, append(lasting, notWhole(r))
		}
	}
	if len(lasting) > 0 {
		set.Corrupt = lasting[0].Name
	}
	if len(lasting) > 1 {
		set.Problem = status.List(status.BrokenFrames, lasting)
	}
}

func notWhole(r Reading) status.Cause {
	return status.Cause{Kind: status.NotWhole, Name: r.File.Name, Text: r.Broken}
}

// findVideo refuses a video with other frames: a product is images or one video (interface 1).
func (set *FrameSet) findVideo() {
	videos := 0
	for _, f := range set.Whole {
		if isVideo(f.Name) {
			videos++
		}
	}
	switch {
	case videos > 1:
		set.Problem = status.About(status.SeveralVideos, videos)
	case videos == 1 && len(set.Whole) > 1:
		set.Problem = status.Because(status.VideoBesideImages)
	}
}

// arrange sorts the whole frames and gives them stored names.
func (set *FrameSet) arrange() {
	about := set.scene.evidence()
	sorted := make([]manifest.Frame, len(set.Whole))
	for i, f := range set.Whole {
		sorted[i] = manifest.Frame{Name: f.Name, Captured: about.capturedAt(f)}
	}
	if err := set.scene.Facts.Rules.Order.Sort(sorted); err != nil {
		set.complain(err)
		return
	}
	names := make([]string, len(sorted))
	for i, f := range sorted {
		names[i] = f.Name
	}
	set.follow(names)
	stored, err := manifest.StoredNames(names)
	if err != nil {
		set.complain(err)
		return
	}
	set.Stored = make(map[string]string, len(names))
	for i, name := range names {
		set.Stored[name] = stored[i]
	}
}

// follow puts the whole frames in the order of names. Most often they are in it already.
func (set *FrameSet) follow(names []string) {
	if slices.EqualFunc(set.Whole, names, func(f watcher.File, name string) bool { return f.Name == name }) {
		return
	}
	byName := make(map[string]watcher.File, len(set.Whole))
	for _, f := range set.Whole {
		byName[f.Name] = f
	}
	for i, name := range names {
		set.Whole[i] = byName[name]
	}
}

func (set *FrameSet) complain(err error) {
	if set.Problem == nil {
		set.Problem = &status.Cause{Kind: status.Mistake, Text: err.Error()}
	}
}

// InOrder are the whole frames in the wanted order, followed by the unread ones.
func (set FrameSet) InOrder() []watcher.File { return slices.Concat(set.Whole, set.Unread) }

// Count is the number of images the whole frames make.
func (set FrameSet) Count() int { return len(set.Whole) }

// HeldUpBy lists the causes that keep the folder from being complete, however quiet it is. Causes
// that are news come first.
func (set FrameSet) HeldUpBy() []status.Cause {
	all := slices.Clone(set.moving)
	for _, r := range set.broken {
		all = append(all, notWhole(r))
	}
	for _, f := range set.Unread {
		all = append(all, status.Cause{Kind: status.NotChecked, Name: f.Name})
	}
	return append(all, set.again...)
}

// prefixed reports whether any frame is stored under another name than its own.
func (set FrameSet) prefixed() bool {
	for name, stored := range set.Stored {
		if stored != name {
			return true
		}
	}
	return false
}

// diverges reports whether a frame that may have been sent in this run has changed, is gone, or
// would be stored under another name. Only a new form makes the service forget it. A frame that the
// watcher does not know to be still may yet be as it was sent.
func (set FrameSet) diverges() bool {
	run := set.scene.Record.Run
	if !run.In(syncstate.Sending) {
		return false
	}
	present := make(map[string]watcher.File, len(set.scene.Facts.Snapshot.Frames))
	for _, f := range set.scene.Facts.Snapshot.Frames {
		present[f.Name] = f
	}
	for _, sent := range run.Frames {
		f, ok := present[sent.Name]
		stored, settled := set.Stored[sent.Name]
		switch {
		case !ok, !sent.Same(FileOf(f)), settled && stored != StoredName(sent.Stored, sent.Name):
			return true
		}
	}
	return false
}

// formExpires reports whether the run's form is too old to send the frames that are left.
func (set FrameSet) formExpires(run *syncstate.Run) bool {
	s := set.scene
	return len(set.unsent()) > 0 && !run.Form.Expires.IsZero() &&
		s.Now.Add(s.Clock).Add(formMargin).After(run.Form.Expires)
}

// StoredName is the stored name of a frame from its record, where the local name is left out.
func StoredName(stored, local string) string {
	if stored == "" {
		return local
	}
	return stored
}

// unsent lists the whole frames that the run has not sent yet.
func (set FrameSet) unsent() []watcher.File {
	s := set.scene
	sent := make(map[string]bool, len(s.Record.Run.Frames))
	for _, f := range s.Record.Run.Frames {
		sent[f.Name] = f.Uploaded
	}
	var unsent []watcher.File
	for _, f := range set.Whole {
		if !sent[f.Name] && !s.UnderWay[f.Name] {
			unsent = append(unsent, f)
		}
	}
	return unsent
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
func (set FrameSet) SizeKey() SizeKey {
	key := SizeKey{Images: len(set.Whole)}
	for _, f := range set.Whole {
		key.Bytes += f.Size
	}
	return key
}

// Resting counts the frames that are not expected to change any more. A still frame that is not
// read yet is among them: most likely it is whole.
func (s Scene) Resting() int {
	n, about := 0, s.evidence()
	for _, f := range s.Facts.Snapshot.Frames {
		r, isRead := about.read(f)
		if broken := isRead && !r.Whole; !broken && (f.Still || about.known(f)) {
			n++
		}
	}
	return n
}

// TotalBytes is the size of all frames.
func (s Scene) TotalBytes() int64 {
	var total int64
	for _, f := range s.Facts.Snapshot.Frames {
		total += f.Size
	}
	return total
}
