package publish

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/daemon/config"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// Two status requests for one product are at least Poll.First apart, whatever asks for them.
func TestGapBetweenStatusRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gap := 3 * time.Second
		p := &Publisher{
			Records: NewRecords(nil), Service: &hosting.Service{Memory: &hosting.Memory{}}, Poll: config.Poll{First: gap, Max: gap},
			Random: func(int64) int64 { return 0 },
		}
		j := NewJob(p, syncstate.Folder{Path: "Summer/SKU-1"}, nil)
		s := plan.Scene{Record: syncstate.Record{Product: syncstate.Product{UUID: "shoe"}}}
		p.Service.Memory.Asked.Note("shoe", time.Now())
		soonest := time.Now().Add(gap)
		last := j.take(t.Context(), s, plan.Step{Action: plan.Poll})
		if last == nil || last.Action != plan.Wait || !last.Until.Equal(soonest) {
			t.Errorf("a request right after another: %+v", last)
		}
		if next := j.gate.ask.nextPoll("shoe", time.Now()); next.Before(soonest) {
			t.Errorf("the next poll is due %s too early", soonest.Sub(next))
		}
	})
}

// Each status request is noted when it leaves, so that the gap is counted from there.
func TestStatusRequestIsNoted(t *testing.T) {
	service := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(service.Close)
	client, err := apiclient.New(apiclient.Options{BaseURL: service.URL, Username: "studio", Password: "the-secret"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdle)
	j := NewJob(&Publisher{Records: NewRecords(nil), Service: &hosting.Service{Client: client, Memory: &hosting.Memory{}}}, syncstate.Folder{Path: "Summer/SKU-1"}, nil)
	if _, err := j.parts.creator.finder.ask.status(t.Context(), "product"); err == nil || j.gate.service.Memory.Asked.At("product").IsZero() {
		t.Errorf("asked at %s, %v", j.gate.service.Memory.Asked.At("product"), err)
	}
}

// Two folders that look for one product keep the gap together, and so do two processes: an earlier
// one may have asked a moment before this one started.
func TestGapBetweenFolders(t *testing.T) {
	client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
	p, _, s := publisherOf(t, client, 1, func(commit func() error) error { return commit() })
	p.Poll.First = time.Hour
	listed := []syncstate.Product{s.Record.Product}
	look := func(folder string) ([]syncstate.Product, error) {
		job := NewJob(p, syncstate.Folder{Root: "/shoots", Path: folder}, nil)
		return job.parts.creator.finder.knownProducts(t.Context(), listed, false)
	}
	p.Service.Began = time.Now()
	if known, err := look("SKU-1"); !outcome.Is(err, outcome.Waits) {
		t.Errorf("right after the start: %v, %v", known, err)
	}
	p.Service.Began = time.Time{}
	if known, err := look("SKU-1"); len(known) != 1 || err != nil {
		t.Errorf("the first folder: %v, %v", known, err)
	}
	if known, err := look("SKU-1-moved"); !outcome.Is(err, outcome.Waits) {
		t.Errorf("the second folder: %v, %v", known, err)
	}
}

// TestProductThatIsGone: the status alone says that a product is gone, and a person is called once it
// has said so for a while. Another refusal is checked with the status, at its pace.
func TestProductThatIsGone(t *testing.T) {
	refusal := &apiclient.Error{Status: 404}
	for name, test := range map[string]struct {
		failure error
		deleted bool
		asked   bool // a moment ago
		since   time.Duration
		gone    bool
		waits   bool
	}{
		"the status said so once":       {failure: apiclient.ErrUnknownProduct, waits: true},
		"the status said so for long":   {failure: apiclient.ErrUnknownProduct, since: time.Hour, gone: true},
		"it is refused, and gone":       {failure: refusal, deleted: true, since: time.Hour, gone: true},
		"it is gone since just now":     {failure: refusal, deleted: true, waits: true},
		"it is refused, and there":      {failure: refusal},
		"it is refused, and just asked": {failure: refusal, deleted: true, asked: true},
	} {
		client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
		j, s := published(t, client, 1, func(commit func() error) error { return commit() })
		product := s.Record.Product.UUID
		if test.deleted {
			if err := client.DeleteProduct(t.Context(), product); err != nil {
				t.Fatal(err)
			}
		}
		if j.parts.collector.ask.poll.First = time.Hour; test.asked {
			j.gate.service.Memory.Asked.Note(product, time.Now())
		}
		j.gate.ask.said[product] = knowledge{at: time.Now().Add(-test.since), denied: hosting.Rungs + 1}
		err := j.parts.collector.ask.productGone(t.Context(), product, test.failure)
		if outcome.Needs(err, status.ProductGone) != test.gone || outcome.Is(err, outcome.Waits) != test.waits || !test.gone && !test.waits && !errors.Is(err, test.failure) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A product that the status knew and does not know any more may be in lists for a while. The time of
// the first such answer counts.
func TestStatusForgetsAProduct(t *testing.T) {
	client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
	j, s := published(t, client, 1, func(commit func() error) error { return commit() })
	ask, product := j.gate.ask, s.Record.Product.UUID
	if _, err := ask.status(t.Context(), product); err != nil || ask.mayComeYet(product) || !ask.knew(product, ask.said[product].at) {
		t.Errorf("a product that is there may still come, %v", err)
	}
	if err := client.DeleteProduct(t.Context(), product); err != nil {
		t.Fatal(err)
	}
	if _, err := ask.status(t.Context(), product); !errors.Is(err, apiclient.ErrUnknownProduct) || !ask.mayComeYet(product) {
		t.Errorf("a product that is gone since just now is in no list, %v", err)
	}
	since := ask.said[product].at
	if _, _ = ask.status(t.Context(), product); ask.said[product].at != since {
		t.Error("each answer makes it gone anew")
	}
}

// A product is not gone because the status denied it twice, with a long time between in which nobody
// asked.
func TestStatusDeniesAProductNowAndThen(t *testing.T) {
	client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
	j, s := published(t, client, 1, func(commit func() error) error { return commit() })
	ask, product := j.gate.ask, s.Record.Product.UUID
	if err := client.DeleteProduct(t.Context(), product); err != nil {
		t.Fatal(err)
	}
	ask.said[product] = knowledge{at: time.Now().Add(-time.Hour), denied: 1}
	for look := 2; look <= hosting.Rungs+1; look++ {
		_, err := ask.status(t.Context(), product)
		if err = ask.productGone(t.Context(), product, err); outcome.Needs(err, status.ProductGone) != (look > hosting.Rungs) {
			t.Errorf("after %d answers: %v", look, err)
		}
	}
}
