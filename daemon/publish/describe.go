package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/daemon/view"
	"spinsync/syncstate"
)

// A describer sets the alt texts of one folder's images.
type describer struct {
	record  *ledger
	ask     *requests
	refused refusedTexts
	log     *slog.Logger

	listed    time.Time // when the recorded alt texts were last read from the service, by requests.clock
	described int       // images whose texts were set, and the log does not know yet
	next      int       // the frame to begin with: the one behind the last that failed
}

// describeImages sets the alt texts that differ, of many images with one list and few commits. It
// reads the list first, unless the last one is fresh: a request replaces all texts of an image
// (interface 4.13), and those of others must survive. It records the intended texts before the
// first request. After a kill the next list shows which of them arrived.
func (d *describer) describeImages(ctx context.Context, s plan.Scene) error {
	if d.ask.clock().Sub(d.listed) > freshList {
		if err := d.refreshImages(ctx, s); err != nil {
			return err
		}
	}
	listed := d.listed
	d.listed = time.Time{}
	changes, err := d.intendAltTexts(&s)
	if err != nil {
		return err
	}
	if len(changes) == 0 {
		return d.refused.end(s.Record.Published.Frames)
	}
	set, failure := d.setAltTexts(ctx, s, changes, listed)
	if err := d.noteAltTexts(set); err != nil {
		return err
	}
	return failure
}

// refreshImages records the images that the service holds now, so that the next plan merges with
// them. A list of others may be behind, and calls a person once it has lasted.
func (d *describer) refreshImages(ctx context.Context, s plan.Scene) error {
	listed := d.ask.clock()
	images, err := d.ask.allImages(ctx, s.Record.Product.UUID)
	if err != nil {
		return err
	}
	err = d.record.try(func(r *syncstate.Record) error { return view.NoteImages(r, images) })
	switch {
	case err == nil:
		d.listed = listed
		d.ask.agree()
	case outcome.Needs(err, status.ViewReplaced) && d.ask.mayBeBehind(s.Record.Product.UUID):
		return outcome.Later(time.Now().Add(hosting.SearchPause(2)), status.Because(status.LookingAtView), nil)
	}
	return err
}

// haveListed notes when the recorded alt texts were read from the service, by requests.clock; zero
// if they were not.
func (d *describer) haveListed(at time.Time) { d.listed = at }

// intendAltTexts records the texts that are about to be set: an answer may get lost, and a text
// that arrived without one is ours. It returns the changes that one list serves, and puts the new
// record into the scene.
func (d *describer) intendAltTexts(s *plan.Scene) (changes []plan.AltChange, err error) {
	err = d.record.change(func(r *syncstate.Record) {
		s.Record, changes = *r, nil
		r.Late.AltIntent = map[int64]map[string]string{}
		all := s.Facts.Texts.Changes(r.Published)
		next, _ := slices.BinarySearchFunc(all, d.next, func(c plan.AltChange, next int) int { return c.Frame - next })
		for _, c := range slices.Concat(all[next:], all[:next]) {
			f := &r.Published.Frames[c.Frame]
			switch {
			case maps.Equal(c.Want, f.Alt):
				f.AltSet = c.Set
			case !d.refused.has(*f) && len(changes) < changesPerList:
				changes = append(changes, c)
				r.Late.AltIntent[f.ImageID] = changed(f.AltSet, c.Set)
			}
		}
	})
	return changes, err
}

// changed are the texts of ours that become others, a blank one for none.
func changed(set, next map[string]string) map[string]string {
	changed := maps.Clone(next)
	maps.DeleteFunc(changed, func(locale, text string) bool { return set[locale] == text })
	for locale := range set {
		if next[locale] == "" {
			changed[locale] = ""
		}
	}
	return changed
}

// setAltTexts sends changes, at least the first one, for as long as their list is fresh. It returns
// the accepted changes with the texts that the service stored. Neither a refused text nor a few
// faults of the service keep the other images from theirs.
func (d *describer) setAltTexts(
	ctx context.Context, s plan.Scene, changes []plan.AltChange, listed time.Time,
) (set []plan.AltChange, err error) {
	var failed error
	failures := 0
	for i, c := range changes {
		if i > 0 && d.ask.clock().Sub(listed) > freshList {
			break // the next plan reads again, and goes on
		}
		f := s.Record.Published.Frames[c.Frame]
		stored, err := d.ask.setAltTexts(ctx, f.ImageID, c.Want)
		switch remote, _ := errors.AsType[*apiclient.Error](err); {
		case err == nil:
			c.Stored = stored
			set = append(set, c)
		case remote != nil && isRefusal(remote):
			d.refuse(f, c.Want, remote)
		default:
			failures++
			failed = cmp.Or(failed, fmt.Errorf("alt texts of %s: %w", status.Name(f.Name), err))
			if remote == nil || remote.Status < 500 || remote.Throttled() || failures >= mostFailures {
				d.next = c.Frame + 1
				return set, failed
			}
		}
	}
	return set, failed
}

// noteAltTexts records the texts that the service took, all in one commit. Those that it refused
// will not come.
func (d *describer) noteAltTexts(set []plan.AltChange) error {
	if len(set)+len(d.refused.said) == 0 {
		return nil
	}
	err := d.record.change(func(r *syncstate.Record) {
		maps.DeleteFunc(r.Late.AltIntent, func(image int64, _ map[string]string) bool { return d.refused.said[image] != "" })
		if len(set) > 0 {
			r.Updates.Texts++
		}
		for _, c := range set {
			f := &r.Published.Frames[c.Frame]
			f.Alt, f.AltSet, f.AltCarry = c.Stored, c.Set, nil
			delete(r.Late.AltIntent, f.ImageID)
		}
	})
	if err == nil {
		d.described += len(set)
	}
	return err
}

// isRefusal reports whether the service refuses the texts themselves, and not the user or the
// image.
func isRefusal(e *apiclient.Error) bool {
	return e.Err == nil && (e.Status/100 == 4 || e.Status/100 == 2) &&
		!e.Temporary() && !e.Unauthorized() && !e.NotFound()
}

// refuse remembers that the service does not take the texts of an image, until all others are set.
func (d *describer) refuse(f syncstate.Frame, texts map[string]string, because *apiclient.Error) {
	longest := 0
	for _, text := range texts {
		longest = max(longest, utf8.RuneCountInString(text))
	}
	said := strings.TrimPrefix(because.Error(), because.Op+": ")
	d.refused.note(f, fmt.Sprintf("(%d characters): %s", longest, said))
	d.log.Warn("the service refuses alt texts",
		"folder", d.record.key.Path, "image", f.Name, "characters", longest, "error", because)
}

// logTexts logs for how many images texts were set, once for all of them.
func (d *describer) logTexts() {
	if d.described > 0 {
		d.log.Info("alt texts set", "folder", d.record.key.Path, "images", d.described)
	}
	d.described = 0
}
