package status

import (
	"strings"
	"time"

	"spinsync/syncstate"
)

// SetState records the state and cause that are shown from now on.
func SetState(r *syncstate.Record, state State, cause *Cause) {
	if State(r.Shown.State) != state {
		r.Shown.State, r.Shown.Since = string(state), WholeSecond(time.Now())
	}
	r.Shown.Cause, r.Shown.Detail = cause, ""
}

// OneLine joins a text that has a line for each mistake: a reason is one line.
func OneLine(text string) string { return strings.ReplaceAll(text, "\n  ", "; ") }

// WholeSecond is a time as it is shown.
func WholeSecond(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

// Keep records the status that was shown.
func (p *ProductStatus) Keep(r *syncstate.Record) {
	r.Shown.State, r.Shown.Cause, r.Shown.Detail, r.Shown.Since = string(p.State), p.Cause, p.Detail, p.Since
	r.Counts.Settled, r.Counts.Expected, r.Counts.Arrived = p.Frames.Settled, p.Frames.Expected, p.Arrived
	r.Counts.NotTaken = notTakenText(p.NotTaken)
}

// decided is the state of a folder that another station of a fleet works on, as far as its record has
// it; empty where nothing was decided that shows.
func decided(r syncstate.Record) State {
	switch {
	case r.Run.IsBound():
		return Processing
	case r.Run != nil:
		return Uploading
	case r.Published != nil:
		return Published
	}
	return ""
}

// DecidedOf is the status of a folder on which another station of a fleet works, as far as it was
// decided. What this station showed of it itself, while it was the active one, may be long over.
func DecidedOf(key syncstate.Folder, r syncstate.Record) ProductStatus {
	r.Shown, r.Counts, r.Trouble = syncstate.Shown{}, syncstate.FrameCounts{}, nil
	return ProductOf(key, r)
}

// ProductOf is the status as far as a record alone has it.
func ProductOf(key syncstate.Folder, r syncstate.Record) ProductStatus {
	p := ProductStatus{
		Root: key.Root, Folder: key.Path, State: State(r.Shown.State), Cause: r.Shown.Cause, Detail: r.Shown.Detail, Since: r.Shown.Since,
		Frames: FrameCounts{Settled: r.Counts.Settled, Expected: r.Counts.Expected}, NotTaken: notTakenOf(r.Counts.NotTaken),
		Project: r.Project.Shown(), Product: r.Product.UUID, Title: r.Product.Title, SKU: r.Product.SKU,
		Live: Live{Updates: r.Updates}, Doubted: r.Doubted,
		Gone:        State(r.Shown.State) == Missing || r.Absence.Removal != "" || !r.Absence.DeleteSent.IsZero(),
		DeleteAsked: r.AsksToDelete(), Priority: r.Wishes.Priority,
		Arrived: r.Counts.Arrived,
	}
	switch {
	case r.Unread != nil:
		p.State, p.Cause = Attention, Because(Unread)
	case p.State == "":
		p.State = decided(r)
	}
	p.Complete = p.State == Published
	if r.Published != nil {
		p.Revision, p.PublishedAt, p.Frames.Uploaded = r.Published.Revision, new(r.Published.At), r.Published.Images
		p.Found, p.Shot, p.EmbedURL = r.Published.Found, r.Published.Shot, r.Published.EmbedURL
		p.Images, p.Bytes = r.Published.Images, r.Published.Bytes
		if p.State == Published && p.Since.IsZero() {
			p.Since, p.Frames.Settled = r.Published.At, r.Published.Images // as another station published it
		}
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
