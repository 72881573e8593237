package publish

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/apiclient/sandbox/section"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/syncstate"
)

// A product that is listed is the folder's, unless the service says over the patience of a look, or
// a person says, that it is not there. Any other answer proves nothing: a second product would be
// made.
func TestListedProduct(t *testing.T) {
	for name, test := range map[string]struct {
		product      string // the listed one; "" = one that is there
		status       int    // of the service's answer; 0 = its own
		since        time.Duration
		notMade      bool
		known, fails bool
		waits        bool
	}{
		"it is there":               {known: true},
		"the service is busy":       {status: 503, fails: true},
		"a stranger does not know":  {status: 404, fails: true},
		"it is not known just now":  {product: "none", fails: true, waits: true},
		"it was not known for long": {product: "none", since: time.Hour},
		"a person says it is gone":  {product: "none", notMade: true},
	} {
		client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
			if c.Op == section.ReadStatus {
				return sandbox.Fault{Status: test.status}
			}
			return sandbox.Fault{}
		})
		j, s := published(t, client, 1, func(commit func() error) error { return commit() })
		listed := s.Record.Product
		if test.product != "" {
			listed.UUID = test.product
			j.Service.Unknown.Learn(listed.UUID, false, time.Now().Add(-test.since))
		}
		known, err := j.creator.knownProducts(t.Context(), []syncstate.Product{listed}, test.notMade)
		if (err != nil) != test.fails || outcome.Is(err, outcome.Waits) != test.waits || (len(known) == 1) != test.known {
			t.Errorf("%s: known are %v, %v", name, known, err)
		}
	}
}

// A create that is answered with the product of another folder may have made one all the same. Its
// failure says so, or the create would be sent once more.
func TestAnswerWithAnothersProduct(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"uuid": "theirs", "title": "Shoe", "path": "a", "policy": "p", "signature": "s",
			"hostname": "up.example.com", "access_key_id": "k", "acl": "private"}`)
	}))
	t.Cleanup(server.Close)
	client, err := apiclient.New(apiclient.Options{BaseURL: server.URL, Username: "studio", Password: "the-secret"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdle)
	service, err := hosting.New(client, plantest.Store(t), "", slog.New(slog.DiscardHandler), nil, "")
	if err != nil {
		t.Fatal(err)
	}
	p := &Publisher{Service: service, Owners: NewOwners()}
	p.Owners.Set("theirs", syncstate.Folder{Path: "Summer/boot"})
	j := NewJob(p, syncstate.Folder{Path: "Summer/shoe"}, nil)
	err = j.creator.sendCreate(t.Context(), plan.Product{}, syncstate.Intent{Title: "Shoe"}, 1)
	if !errors.Is(err, apiclient.ErrOtherAnswer) || !strings.Contains(err.Error(), "Summer/boot") {
		t.Errorf("the create ends with %v", err)
	}
}

// A folder that has another name by now leaves the name of its unanswered create to the folder that
// has it, and asks for nothing more under it.
func TestNothingIsCreatedUnderAnEarlierName(t *testing.T) {
	creates := 0
	client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
		if c.Op == section.CreateProduct {
			creates++
		}
		return sandbox.Fault{}
	})
	other, s := published(t, client, 1, func(commit func() error) error { return commit() })
	projects, err := client.Projects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := other.Publisher
	if p.Service, err = hosting.New(client, p.Records.Store, "", p.Log, p.RetryPause, ""); err != nil {
		t.Fatal(err)
	}
	p.Owners = NewOwners()
	p.Owners.Set(s.Record.Product.UUID, other.Key)
	j := NewJob(p, syncstate.Folder{Root: "/shoots", Path: "new"}, nil)
	s = plan.Scene{Wanted: plan.Product{Title: "Other", SKU: "Other"}}
	s.Record.State, s.Record.NotMade = "queued", true
	s.Record.Intent = &syncstate.Intent{Title: "SKU-1", SKU: "SKU-1", Project: projects[0].UUID, Sent: true}
	if err := p.Records.Update(j.Key, func(r *syncstate.Record) error { *r = s.Record; return nil }); err != nil {
		t.Fatal(err)
	}
	creates = 0
	if err := j.creator.createProduct(t.Context(), s, plan.Step{Count: 1}); err != nil || creates > 0 {
		t.Errorf("%d requests, %v", creates, err)
	}
	if r, err := j.Records.Record(j.Key); err != nil || r.Product.UUID != "" || r.Intent != nil {
		t.Errorf("the record has product %q and the intent %+v, %v", r.Product.UUID, r.Intent, err)
	}
}
