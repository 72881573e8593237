package show

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"spinsync/cmd/spinsync/backend"
	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// printRoots prints a line for each root that cannot be read, once for each reason: what else is
// done may take hours.
func (s *Progress) printRoots(now status.Status) {
	for _, sentence := range now.OfflineRoots() {
		if s.hints != nil && !s.offline[sentence] {
			s.offline[sentence] = true
			terminal.Warn(s.hints, sentence)
		}
	}
}

func publicationOf(p status.ProductStatus) publication {
	return publication{p.Product, p.Revision, p.PublishedAt.Unix()}
}

// printWait prints a line when nothing happens for a while because folders have to be quiet, and
// then not before that is over, or once because their frames are still arriving. A daemon in another
// process does not report how long that takes. Without a terminal it is one of the lines.
func (s *Progress) printWait(now time.Time, products []status.ProductStatus) {
	const shortest = 2 * time.Second
	w, only := quietWait(now, products)
	if !only {
		s.idle = time.Time{}
		return
	}
	if s.idle.IsZero() {
		s.idle = now
	}
	to := s.hints
	if to == nil {
		to = s.Lines
	}
	switch {
	case w.quiet > 0 && w.until.Sub(now) > shortest && !now.Before(s.until):
		s.until = w.until
		fmt.Fprintf(to, "waiting %s until %s quiet\n", status.Coarse(w.until.Sub(now)), foldersAre(w.quiet))
	case w.quiet == 0 && s.until.IsZero() && now.Sub(s.idle) > shortest:
		s.until = now
		why := backend.FolderName(w.first, products) + ": " + w.first.Reason
		fmt.Fprintf(to, "waiting until %s complete; %s\n", foldersAre(w.arriving), terminal.Printable(why))
	}
}

// A quietness is what a pass waits for while it does nothing else.
type quietness struct {
	arriving int // folders that are not complete
	first    status.ProductStatus
	quiet    int       // those of them that only have to be quiet
	until    time.Time // when the last of these has been
}

// quietWait reports what folders have to wait for, and whether there is nothing else to do.
func quietWait(now time.Time, products []status.ProductStatus) (w quietness, only bool) {
	for _, p := range products {
		switch p.State {
		case "", status.Uploading, status.Processing, status.Queued:
			return quietness{}, false
		case status.Collecting:
			if w.arriving++; w.arriving == 1 {
				w.first = p
			}
			if p.QuietAt.After(now) {
				w.quiet++
			}
			if p.QuietAt.After(w.until) {
				w.until = p.QuietAt
			}
		}
	}
	return w, w.arriving > 0
}

// foldersAre is "1 folder is" or "3 folders are".
func foldersAre(n int) string {
	verb := " are"
	if n == 1 {
		verb = " is"
	}
	return status.Counted(n, "folder") + verb
}

// print prints a line for what a person should know at once.
func (s *Progress) print(p status.ProductStatus, all []status.ProductStatus) {
	switch {
	case p.State == status.Published && p.PublishedAt != nil:
		s.printView(p, terminal.Printable(backend.FolderName(p, all)))
	case p.State == status.Attention, p.State == status.Retrying:
		s.printReason(p, all)
	}
}

// More words for a view than status.Published.
const (
	updated  status.State = "updated"  // it got other fields or alt texts without a new revision
	recorded status.State = "recorded" // the service had it as the folder is
)

// printView prints a line for a view that changed.
func (s *Progress) printView(p status.ProductStatus, name string) {
	before, stood := s.stood[publicationOf(p)]
	s.stood[publicationOf(p)] = p.Updates
	switch {
	case !stood:
		what := status.Published
		if p.Found {
			what = recorded
		}
		s.printed[p.Key()] = what
		fmt.Fprintf(s.Lines, "%-9s  %s  (%s, revision %d)\n",
			what, name, status.Counted(p.Frames.Uploaded, "frame"), p.Revision)
	case p.Updates != before:
		s.printed[p.Key()] = updated
		fmt.Fprintf(s.Lines, "%-9s  %s  (%s)\n", updated, name, updatesSince(before, p.Updates))
	}
}

func updatesSince(before, now syncstate.Updates) string {
	var what []string
	if now.Fields != before.Fields {
		what = append(what, "title, SKU, manufacturer or year")
	}
	if now.Texts != before.Texts {
		what = append(what, "alt texts")
	}
	return strings.Join(what, "; ")
}

// printReason prints a line for a folder that is not published.
func (s *Progress) printReason(p status.ProductStatus, all []status.ProductStatus) {
	s.printed[p.Key()] = p.State
	why := backend.FolderName(p, all) + ": " + reason(time.Now(), p)
	fmt.Fprintf(s.Lines, "%-9s  %s\n", p.State, terminal.Printable(why))
}

// news are the words for views that a pass changed or found.
var news = []status.State{status.Published, updated, recorded}

// conclude prints the folders that a pass left unpublished and that have no line yet, and sums up.
// Where every folder is paused the sum is enough.
func (s *Progress) conclude(unpublished bool) {
	counts, fresh := map[status.State]int{}, map[status.State]int{}
	for _, p := range s.last {
		if last := s.printed[p.Key()]; p.State == status.Published && slices.Contains(news, last) {
			fresh[last]++
		} else {
			counts[p.State]++
		}
	}
	for _, p := range s.last {
		fine := p.State == status.Published || p.State == status.Missing || counts[status.Paused] == len(s.last)
		if unpublished && !fine && s.printed[p.Key()] != p.State {
			s.printReason(p, s.last)
		}
	}
	fmt.Fprintln(s.Lines, sumUp(counts, fresh, unpublished))
}

// NoFolderFound is printed where there is nothing to publish.
const NoFolderFound = "no product folder was found"

// sumUp is how many folders a pass published, updated and recorded, and what the other ones are.
// These are counted by their state.
func sumUp(counts, fresh map[status.State]int, unpublished bool) string {
	all, standing := 0, counts[status.Published]
	for _, of := range []map[status.State]int{counts, fresh} {
		for _, n := range of {
			all += n
		}
	}
	switch {
	case all == 0:
		return NoFolderFound
	case all == standing && !unpublished && all == 1:
		return "1 product folder is as published"
	case all == standing && !unpublished:
		return fmt.Sprintf("all %d product folders are as published", all)
	}
	var parts []string
	for _, what := range news {
		if fresh[what] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s now", fresh[what], what))
		}
	}
	if standing > 0 {
		parts = append(parts, fmt.Sprintf("%d as published", standing))
	}
	delete(counts, status.Published)
	return status.Counted(all, "product folder") + ": " + strings.Join(append(parts, countedStates(counts)...), ", ")
}
