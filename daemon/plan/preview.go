package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

const longAgo = 24 * time.Hour

// Absent is the snapshot of a folder that stays away.
func Absent(key syncstate.Folder) watcher.Snapshot {
	return watcher.Snapshot{
		Root: key.Root, Folder: key.Path,
		Absent: watcher.Absence{Since: time.Now().Add(-longAgo), Reads: 2},
	}
}

// Stilled is the snapshot of a folder in which nothing changes any more.
func Stilled(s watcher.Snapshot) watcher.Snapshot {
	s.Frames = AtRest(s.Frames)
	s.Changed = time.Now().Add(-longAgo)
	return s
}

// StayBroken dates the broken readings back: if nothing changes any more, the frames stay broken.
func StayBroken(readings map[string]Reading) {
	for name, r := range readings {
		if !r.Whole {
			r.Since = r.Since.Add(-longAgo)
			readings[name] = r
		}
	}
}

// joined are the parts of a detail, without the empty ones.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "; ")
}

// sentence is why a step is owed, in words.
func (s Scene) sentence(next Step) string { return status.Sentence(next.Cause, s.command) }

func Foretell(s Scene, next Step) (does, detail string) {
	switch Actions[next.Action].forecast {
	case asUpload:
		return s.foretellUpload(s.FrameSet())
	case asFinish:
		return "finish", s.sentence(next)
	case asItself:
		return string(next.Action), s.sentence(next)
	case asNothing:
		return "nothing", joined("published", status.NotTaken(s.Snapshot.NotTaken))
	case asMissing:
		return string(status.Missing), status.Sentence(s.gone(), s.command)
	}
	switch next.State {
	case status.Published:
		return "nothing", joined("published", status.NotTaken(s.Snapshot.NotTaken))
	case status.Attention, status.Missing, status.Paused:
		return string(next.State), s.sentence(next)
	}
	return "wait", s.sentence(next)
}

func (s Scene) foretellUpload(g FrameSet) (does, detail string) {
	// Of an incomplete set some frames may be sent, but nothing is published.
	if ready, pending := s.complete(g); !ready {
		return "wait", s.sentence(pending)
	}
	switch {
	case s.Record.Product.UUID == "":
		where := fmt.Sprintf("%s %s in project %s",
			status.Frames(g.Count()), size(s.TotalBytes()), status.Name(s.Wanted.Project))
		return "create", joined(where, s.inOrder(g), status.NotTaken(s.Snapshot.NotTaken))
	case s.Record.Published == nil && s.Record.Run != nil && !s.Record.Run.Reupload:
		return "finish", "the first upload is under way, " + status.Frames(g.Count())
	}
	return "reupload", joined(s.foretellReupload(g), s.inOrder(g), status.NotTaken(s.Snapshot.NotTaken))
}

// inOrder shows the order of the frames where their names leave it open; see
// manifest.Order.Explain.
func (s Scene) inOrder(g FrameSet) string {
	names := make([]string, len(g.Whole))
	for i, f := range g.Whole {
		names[i] = f.Name
	}
	return s.Rules.Order.Explain(names)
}

func (s Scene) foretellReupload(g FrameSet) string {
	if s.Record.Published == nil {
		return status.Frames(g.Count())
	}
	d := g.compare(s.Record.Published)
	changed := fmt.Sprintf("%d of them new or changed", d.changed)
	if d.perhaps > 0 {
		changed += fmt.Sprintf(" and %d perhaps", d.perhaps)
	}
	return fmt.Sprintf("%s, %s, %d removed", status.Frames(g.Count()), changed, d.removed)
}

func size(bytes int64) string {
	return fmt.Sprintf("(%.1f MB)", float64(bytes)/1e6)
}

// command is a command of spinsync for the folder of the scene.
func (s Scene) command(verb string) string { return status.CommandFor(verb, s.NameInShell) }
