package publish

import (
	"cmp"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/view"
	"spinsync/syncstate"
)

// The form of a view that somebody else uploaded to in the meantime is not finished: it would close
// theirs.
func TestOvertakenFormIsNotFinished(t *testing.T) {
	finishes := 0
	client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
		if c.Op == sandbox.FinishUpload {
			finishes++
		}
		return sandbox.Fault{}
	})
	j, s := published(t, client, 1, func(commit func() error) error { return commit() })
	s.Record.Run = &syncstate.Run{
		Phase: syncstate.Sending, Reupload: true, Form: new(syncstate.Form), Before: syncstate.Before{Print: "others"},
	}
	keep(t, j, s.Record)
	before := finishes
	err := j.parts.finisher.finishUpload(t.Context(), s, plan.Step{})
	if r, failed := j.record.read(); failed != nil || finishes != before || !r.Run.In(syncstate.Owed) {
		t.Errorf("%d finishes, the run is %+v: %v, %v", finishes-before, r.Run, err, failed)
	}
}

// A finish that is sent after the last look, and refused for now, has not arrived, though the
// service shows the finished revision from before.
func TestFinishAfterTheLastLook(t *testing.T) {
	busy := false
	client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
		if busy && c.Op == sandbox.FinishUpload {
			return sandbox.Fault{Status: 503}
		}
		return sandbox.Fault{}
	})
	j, s := published(t, client, 1, func(commit func() error) error { return commit() })
	busy = true
	shown, err := client.Status(t.Context(), s.Record.Product.UUID)
	if err != nil {
		t.Fatal(err)
	}
	seen := view.ProgressOf(shown)
	err = j.record.change(func(r *syncstate.Record) {
		r.Run = &syncstate.Run{Phase: syncstate.Finishing, Reupload: true, Seen: &seen, Looks: syncstate.Tries{N: hosting.Rungs}}
	})
	for range 2 {
		if err != nil {
			t.Fatal(err)
		}
		if s.Record, err = j.record.read(); err == nil && j.parts.finisher.confirmFinish(t.Context(), s) == nil {
			t.Error("the finish counts as heard")
		}
	}
	if r, err := j.record.read(); err != nil || r.Run.Phase != syncstate.Finishing {
		t.Errorf("the run is %+v, %v", r.Run, err)
	}
}

// TestFinishWithoutAnAnswer: the finish is sent again only where nothing shows that it arrived.
// Images that are listed before the first revision prove nothing, and neither does the refusal of
// the second request: the service is looked at some more times then.
func TestFinishWithoutAnAnswer(t *testing.T) {
	json := http.Header{"Content-Type": {"application/json"}}
	pending := sandbox.Fault{Status: 200, Body: `{"variant":{"source_revision":0,"image_status":"pending"}}`, Header: json}
	none := sandbox.Fault{Status: 200, Body: `[]`, Header: json}
	refused := sandbox.Fault{Status: 422, Body: `{"errors":["already finished"]}`}
	finished, before := &syncstate.Progress{Status: apiclient.StatusFinished}, &syncstate.Progress{Revision: 7}
	for name, test := range map[string]struct {
		status, images, finish sandbox.Fault
		seen                   *syncstate.Progress // nil: there was no revision before
		looks                  int
		again, arrived, looked bool // it is sent again, it arrived, the service is looked at again
	}{
		"nothing is there":                    {status: pending, images: none, again: true, arrived: true},
		"nothing is there, and it is refused": {status: pending, images: none, finish: refused, again: true, looked: true},
		"images are listed":                   {status: pending, looked: true},
		"the first revision is finished":      {arrived: true},
		"as before the run":                   {seen: finished, again: true, arrived: true},
		"as before, and it is refused":        {seen: finished, finish: refused, again: true, looked: true},
		"as before, and it was sent again":    {seen: finished, looks: 1, looked: true},
		"as before, after the looks":          {seen: finished, looks: hosting.Rungs, again: true, arrived: true},
		"the service goes on":                 {seen: before, arrived: true},
	} {
		requests, asked := 0, false
		client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
			switch {
			case !asked:
			case c.Op == sandbox.FinishUpload:
				requests++
				if test.finish.Status == 0 {
					return sandbox.Fault{Status: 200}
				}
				return test.finish
			case c.Op == sandbox.ReadStatus:
				return test.status
			case c.Op == sandbox.ListImages:
				return test.images
			}
			return sandbox.Fault{}
		})
		j, s := published(t, client, 1, func(commit func() error) error { return commit() })
		s.Record.Run = &syncstate.Run{Phase: syncstate.Finishing, Seen: test.seen, Looks: syncstate.Tries{N: test.looks}, Frames: make([]syncstate.RunFrame, 1)}
		keep(t, j, s.Record)
		asked = true
		err := j.parts.finisher.confirmFinish(t.Context(), s)
		r, failed := j.record.read()
		if (requests == 1) != test.again || requests > 1 || outcome.Is(err, outcome.Waits) != test.looked || (err != nil) != test.looked {
			t.Errorf("%s: %d requests, %v", name, requests, err)
		}
		if failed != nil || r.Run.In(syncstate.Processing) != test.arrived || !test.arrived && !r.Run.In(syncstate.Finishing) {
			t.Errorf("%s: the run is %+v, %v", name, r.Run, failed)
		}
	}
}

// What others wrote on an image while a finish had no answer is known when it is sent again. Images
// that may be those of the first finish say nothing about the ones that it replaces.
func TestTextsWrittenWhileAFinishHasNoAnswer(t *testing.T) {
	const known, written = "un vase", "une théière"
	for name, test := range map[string]struct {
		print string // of the images before the run; empty for the true one
		list  string // in place of the true one; %d is the id of the image
		looks int
		want  string
	}{
		"sent again":      {want: written},
		"looked at again": {looks: 1, want: written},
		"another upload":  {print: "others", want: known},
		"in work since":   {list: `[{"id":%d,"source":"0000.jpg","image_status":"processing","image_group":"rotation"}]`, want: known},
		"on their way":    {list: `[{"id":1,"source":"r1_0000.jpg","image_status":"finished","image_group":"rotation"}]`, want: known},
		"none at all":     {list: `[]`, want: known},
	} {
		var faked sandbox.Fault
		client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
			if c.Op == sandbox.ListImages {
				return faked
			}
			return sandbox.Fault{}
		})
		j, s := published(t, client, 1, func(commit func() error) error { return commit() })
		uuid, before := s.Record.Product.UUID, s.Record.Published.Frames
		images, err := client.Images(t.Context(), uuid)
		shown, failed := client.Status(t.Context(), uuid)
		if err := errors.Join(err, failed); err != nil {
			t.Fatal(err)
		}
		seen := view.ProgressOf(shown)
		before[0].Source, before[0].Alt = images[0].Source, map[string]string{"fr": known}
		s.Record.Run = &syncstate.Run{
			Phase: syncstate.Finishing, Reupload: true, Seen: &seen, Looks: syncstate.Tries{N: test.looks},
			Before: syncstate.Before{Print: cmp.Or(test.print, view.Fingerprint(images)), Frames: before},
		}
		keep(t, j, s.Record)
		if _, err := client.SetAltTexts(t.Context(), images[0].ID, map[string]string{"fr": written}); err != nil {
			t.Fatal(err)
		}
		if test.list == `[]` {
			s.Record.Run.Before.Print = ""
			keep(t, j, s.Record)
		}
		if test.list != "" {
			body := strings.Replace(test.list, "%d", strconv.FormatInt(images[0].ID, 10), 1)
			faked = sandbox.Fault{Status: 200, Body: body, Header: http.Header{"Content-Type": {"application/json"}}}
		}
		if err := j.parts.finisher.confirmFinish(t.Context(), s); err != nil && !outcome.Is(err, outcome.Waits) {
			t.Errorf("%s: %v", name, err)
		}
		r, err := j.record.read()
		if err != nil || len(r.Run.Before.Frames) != 1 || r.Run.Before.Frames[0].Alt["fr"] != test.want {
			t.Errorf("%s: the run is %+v, %v", name, r.Run, err)
		}
	}
}

// Only a clear refusal by the service ends a form. A conflict may be with an earlier finish, and a
// certificate that is not trusted says nothing.
func TestFinishThatIsRefusedForGood(t *testing.T) {
	for code, want := range map[int]bool{400: true, 422: true, 404: true, 409: false, 401: false, 403: false, 429: false, 500: false} {
		client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{Status: code, Body: "{}"} })
		remote, _ := errors.AsType[*apiclient.Error](client.FinishUpload(t.Context(), "product"))
		if remote == nil || refusedForGood(remote) != want {
			t.Errorf("%d: %v", code, remote)
		}
	}
	strange := httptest.NewTLSServer(nil)
	t.Cleanup(strange.Close)
	strange.Config.ErrorLog = log.New(io.Discard, "", 0)
	client, err := apiclient.New(apiclient.Options{BaseURL: strange.URL, Username: "studio", Password: "the-secret"})
	if err != nil {
		t.Fatal(err)
	}
	remote, _ := errors.AsType[*apiclient.Error](client.FinishUpload(t.Context(), "product"))
	if remote == nil || remote.Temporary() || refusedForGood(remote) {
		t.Errorf("of a strange certificate: %v", remote)
	}
}
