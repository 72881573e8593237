package publish

import (
	"errors"
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestRefusedListOfImages: a refusal calls a person after three tries, a redirect after more, and
// only if the status has known the product since the last one. Then no run begins in the project.
func TestRefusedListOfImages(t *testing.T) {
	forbidden, redirect := &apiclient.Error{Status: 403}, &apiclient.Error{Status: 301}
	for name, test := range map[string]struct {
		failure         *apiclient.Error
		tries, refusals int // before this one
		statusAnswers   int // 0 = as the service does
		asked           time.Duration
		calls, waits    bool
	}{
		"the first time":             {failure: forbidden},
		"the second time":            {failure: forbidden, tries: 1, refusals: 1},
		"the third time":             {failure: forbidden, tries: 2, refusals: 2, calls: true},
		"a passing redirect":         {failure: redirect, tries: 4, refusals: 4},
		"a redirect that lasts":      {failure: redirect, tries: 5, calls: true},
		"a rejected password":        {failure: &apiclient.Error{Status: 401}, tries: 9, refusals: 9},
		"the status does not answer": {failure: forbidden, tries: 2, refusals: 2, statusAnswers: 503, waits: true},
		"the status was just asked":  {failure: forbidden, tries: 2, refusals: 2, asked: time.Second, waits: true},
	} {
		client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
			if c.Op == sandbox.ReadStatus {
				return sandbox.Fault{Status: test.statusAnswers}
			}
			return sandbox.Fault{}
		})
		j, s := published(t, client, 1, func(commit func() error) error { return commit() })
		s.Record.Project.UUID, j.parts.collector.ask.poll.First = "summer", time.Hour
		if test.asked > 0 {
			j.gate.service.Memory.Asked.Note(s.Record.Product.UUID, time.Now().Add(-test.asked))
		}
		if test.tries > 0 {
			s.Record.Trouble = &syncstate.Trouble{Tries: syncstate.Tries{N: test.tries}, Refusals: test.refusals, At: time.Now().Add(-time.Minute)}
		}
		err := j.parts.collector.ask.notListed(t.Context(), s, test.failure)
		if calls := outcome.Needs(err, status.ListRefused); calls != test.calls || outcome.Is(err, outcome.Waits) != test.waits || !errors.Is(err, error(test.failure)) {
			t.Errorf("%s: %v", name, err)
		}
		if o := outcome.Of(err); o != nil && time.Until(o.Until).Round(time.Second) != hosting.RefusedPause {
			t.Errorf("%s: it is tried again at %s", name, o.Until)
		}
		if blocked := j.gate.service.Memory.RefusedLists.Blocked("summer", time.Now()); (blocked != nil) != test.calls {
			t.Errorf("%s: runs are held back: %v", name, blocked)
		}
	}
}

// An archive that is not packed yet is waited for until an upload would be given up. That time starts
// again with each revision, and with each archive that was downloaded.
func TestArchiveThatIsNotPackedYet(t *testing.T) {
	packed := false
	client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
		if c.Op == sandbox.DownloadSources && !packed {
			return sandbox.Fault{Status: 409, Body: `{"errors":["it is being packed"]}`}
		}
		return sandbox.Fault{}
	})
	j, s := published(t, client, 1, func(commit func() error) error { return commit() })
	ask, product := j.parts.collector.ask, s.Record.Product.UUID
	compare := func(revision int64) error {
		_, err := ask.compareSources(t.Context(), product, &syncstate.Run{Seen: &syncstate.Progress{Revision: revision}}, nil)
		return err
	}
	for _, test := range []struct {
		name     string
		revision int64
		before   time.Duration // the first answer
		waits    bool
	}{
		{"the first time", 1, 0, true},
		{"before the end", 1, ask.poll.GiveUp - time.Minute, true},
		{"at the end", 1, ask.poll.GiveUp, false},
		{"of the next revision", 2, 0, true},
	} {
		ask.unpacked.since = ask.unpacked.since.Add(-test.before)
		err := compare(test.revision)
		_, refused := errors.AsType[*apiclient.Error](err)
		if err == nil || outcome.Is(err, outcome.Waits) != test.waits || refused == test.waits {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	if packed = true; compare(2) != nil || ask.unpacked != (sighting[upload]{}) {
		t.Errorf("once it is packed: %+v", ask.unpacked)
	}
}
