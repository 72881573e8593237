package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"spinsync/daemon/manifest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// LongAgo is long before a decision: no patience lasts that long.
const LongAgo = 24 * time.Hour

// StayBroken dates the broken readings back: if nothing changes any more, the frames stay broken.
func StayBroken(readings map[string]Reading) {
	for name, r := range readings {
		if !r.Whole {
			r.Since = r.Since.Add(-LongAgo)
			readings[name] = r
		}
	}
}

// joined are the parts of a detail, without the empty ones.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "; ")
}

// ShowsFrames reports whether the service shows exactly the frames of the folder: at most its fields
// and texts are owed, also while it is paused.
func (s Scene) ShowsFrames() bool {
	owed := s.PlanOwed()
	switch owed.Action {
	case Note, Update, Describe:
		return true
	case Idle:
		return owed.State == status.Published
	}
	return false
}

// Foretell describes what a step does, and why or to what. Command words a command of spinsync for the
// folder.
func Foretell(s Scene, next Step, command func(verb string) string) (does, detail string) {
	return preview{scene: s, command: command}.of(next)
}

// A preview describes the owed step of a scene.
type preview struct {
	scene   Scene
	command func(verb string) string
}

// sentence is why a step is owed, in words.
func (p preview) sentence(next Step) string { return status.Sentence(next.Cause, p.command) }

// withNotTaken are the parts of a detail, together with the photos that are no frames.
func (p preview) withNotTaken(parts ...string) string {
	return joined(append(parts, status.NotTaken(p.scene.Facts.Snapshot.NotTaken))...)
}

func (p preview) of(next Step) (does, detail string) {
	switch Actions[next.Action].forecast {
	case asUpload:
		return p.upload()
	case asFinish:
		return "finish", p.sentence(next)
	case asItself:
		return string(next.Action), p.sentence(next)
	case asNothing:
		return "nothing", p.withNotTaken("published")
	case asFollows:
		return p.following(next)
	}
	paused := p.scene.pausedBy()
	switch {
	case next.State == status.Published:
		return "nothing", p.withNotTaken("published")
	case next.State.OutlastsPause():
		return string(next.State), p.sentence(next)
	case next.Action == Wait && paused != nil, next.State == status.Paused:
		return string(status.Paused), status.Sentence(paused, p.command)
	}
	return "wait", p.sentence(next)
}

// following describes what comes after the view of a folder that is gone was found, or after a
// person was asked about it.
func (p preview) following(next Step) (does, detail string) {
	p.scene.Record.Wishes.Verify, p.scene.Record.Absence.Verified = false, p.scene.Now
	if next.Action == Ask {
		p.scene.Record.Absence.Removal = syncstate.RemovalAsked
	}
	return p.of(Next(p.scene))
}

func (p preview) upload() (does, detail string) {
	// Of an incomplete set some frames may be sent, but nothing is published.
	set := p.scene.Set
	if !set.Ready {
		return "wait", p.sentence(set.awaits)
	}
	switch {
	case p.scene.Record.Product.UUID == "":
		where := fmt.Sprintf("%s (%s) in project %s",
			status.Frames(set.Count()), status.Size(p.scene.Facts.TotalBytes()), status.Name(p.scene.Facts.Wanted.Project))
		return "create", p.withNotTaken(where, p.order())
	case p.scene.Record.Published == nil && p.scene.Record.Run != nil && !p.scene.Record.Run.Reupload:
		return "finish", "the first upload is not complete, " + status.Frames(set.Count())
	}
	return "reupload", p.withNotTaken(p.reupload(), p.order())
}

// order shows the order of the frames where their names leave it open, and a number that is
// missing.
func (p preview) order() string {
	names := make([]string, len(p.scene.Set.Whole))
	for i, f := range p.scene.Set.Whole {
		names[i] = f.Name
	}
	return joined(p.scene.Facts.Rules.Order.Explain(names), manifest.Gap(names))
}

func (p preview) reupload() string {
	set := p.scene.Set
	if p.scene.Record.Published == nil {
		return status.Frames(set.Count())
	}
	d := set.difference
	changed := fmt.Sprintf("%d of them new or changed", d.changed)
	if d.perhaps > 0 {
		changed += fmt.Sprintf(" and %d perhaps", d.perhaps)
	}
	return fmt.Sprintf("%s, %s, %d removed", status.Frames(set.Count()), changed, d.removed)
}
