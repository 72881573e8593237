package status

import (
	"strings"
	"time"

	"spinsync/syncstate"
)

// SetState records the state and cause that are shown from now on.
func SetState(r *syncstate.Record, state State, cause *Cause) {
	if State(r.State) != state {
		notePause(r, state)
		r.State, r.Since = string(state), WholeSecond(time.Now())
	}
	r.Cause, r.Detail = cause, ""
}

// PauseRecord pauses a folder in its record.
func PauseRecord(r *syncstate.Record, paused *Cause) {
	if !State(r.State).OutlastsPause() {
		SetState(r, Paused, paused)
	}
}

// ResumeRecord ends the pause of a folder in its record. A folder of which nothing is known from
// before is queued, for this cause.
func ResumeRecord(r *syncstate.Record, queued Kind) {
	if State(r.State) != Paused {
		return
	}
	before := BeforePause(r, queued)
	SetState(r, State(before.State), before.Cause)
	if !before.Since.IsZero() {
		r.Since = before.Since
	}
}

// BeforePause is the saved status from before the pause, as far as the record has it. Queued is the
// cause for a folder of which nothing is known from before.
func BeforePause(r *syncstate.Record, queued Kind) syncstate.SavedStatus {
	switch {
	case r.Before != nil:
		return *r.Before
	case r.Published != nil && r.Run == nil && r.Trouble == nil:
		return syncstate.SavedStatus{State: string(Published), Since: r.Published.At}
	}
	return syncstate.SavedStatus{State: string(Queued), Cause: Because(queued)}
}

// notePause records the state before a pause that begins with this state. An upload begins again
// after a pause.
func notePause(r *syncstate.Record, state State) {
	switch before := (syncstate.SavedStatus{State: r.State, Cause: r.Cause, Since: r.Since}); {
	case state != Paused:
		r.Before = nil
	case State(r.State) == Uploading:
		before.Since = time.Time{}
		fallthrough
	case r.State != "" && State(r.State) != Paused:
		r.Before = &before
	}
}

// OneLine joins a text that has a line for each mistake: a reason is one line.
func OneLine(text string) string { return strings.ReplaceAll(text, "\n  ", "; ") }

// WholeSecond is a time as it is shown.
func WholeSecond(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

// Keep records the status that was shown.
func (p *ProductStatus) Keep(r *syncstate.Record) {
	notePause(r, p.State)
	r.State, r.Cause, r.Detail, r.Since = string(p.State), p.Cause, p.Detail, p.Since
	r.Settled, r.Expected, r.Arrived = p.Frames.Settled, p.Frames.Expected, p.Arrived
	r.NotTaken = notTakenText(p.NotTaken)
}

// ProductOf is the status as far as a record alone has it.
func ProductOf(key syncstate.Folder, r syncstate.Record) ProductStatus {
	p := ProductStatus{
		Root: key.Root, Folder: key.Path, State: State(r.State), Cause: r.Cause, Detail: r.Detail, Since: r.Since,
		Frames: FrameCounts{Settled: r.Settled, Expected: r.Expected}, NotTaken: notTakenOf(r.NotTaken),
		Project: r.Project.Shown(), Product: r.Product.UUID, Title: r.Product.Title, SKU: r.Product.SKU,
		Live: Live{Updates: r.Updates}, Doubted: r.Doubted,
		DeleteAsked: r.AsksToDelete(), Priority: r.Priority, Paused: r.Paused,
		TableSignal: TableSignal{Arrived: r.Arrived, Complete: State(r.State) == Published},
	}
	if r.Published != nil {
		p.Revision, p.PublishedAt, p.Frames.Uploaded = r.Published.Revision, new(r.Published.At), r.Published.Images
		p.Found, p.Shot, p.EmbedURL = r.Published.Found, r.Published.Shot, r.Published.EmbedURL
		p.Images, p.Bytes = r.Published.Images, r.Published.Bytes
	}
	if r.Run != nil {
		p.Frames.Uploaded = 0
		for _, f := range r.Run.Frames {
			if f.Uploaded {
				p.Frames.Uploaded++
			}
		}
	}
	if r.Trouble != nil && r.Trouble.Kind != syncstate.NeedsPerson {
		p.NextTry = new(r.Trouble.Tries.Next)
	}
	return p
}
