package status

import (
	"strings"
	"time"

	"spinsync/syncstate"
)

// SetState records the state and cause that are shown from now on.
func SetState(r *syncstate.Record, state State, cause *Cause) {
	if State(r.State) != state {
		r.State, r.Since = string(state), WholeSecond(time.Now())
	}
	r.Cause, r.Detail = cause, ""
}

// OneLine joins a text that has a line for each mistake: a reason is one line.
func OneLine(text string) string { return strings.ReplaceAll(text, "\n  ", "; ") }

// WholeSecond is a time as it is shown.
func WholeSecond(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

// Keep records the status that was shown.
func (p *ProductStatus) Keep(r *syncstate.Record) {
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
		DeleteAsked: r.AsksToDelete(), Priority: r.Priority,
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
