package publish

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/config"
	"spinsync/daemon/hosting"
	"spinsync/daemon/plan"
	"spinsync/daemon/schedule"
	"spinsync/syncstate"
)

// Two status requests for one product are at least Poll.First apart, whatever asks for them.
func TestGapBetweenStatusRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gap := 3 * time.Second
		polls := new(schedule.PollEstimator)
		p := &Publisher{Poll: config.Poll{First: gap, Max: gap}, Polls: polls, Random: func(int64) int64 { return 0 }}
		j := NewJob(p, syncstate.Folder{Path: "Summer/SKU-1"}, nil)
		j.Asked = time.Now()
		soonest := j.Asked.Add(gap)
		last := j.take(t.Context(), plan.Scene{}, plan.Step{Action: plan.Poll})
		if last == nil || last.Action != plan.Wait || !last.Until.Equal(soonest) {
			t.Errorf("a request right after another: %+v", last)
		}
		if next := j.creator.ask.nextPoll(0, time.Now()); next.Before(soonest) {
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
	j := NewJob(&Publisher{Service: &hosting.Service{Client: client}}, syncstate.Folder{Path: "Summer/SKU-1"}, nil)
	if _, err := j.creator.ask.status(t.Context(), "product"); err == nil || j.Asked.IsZero() {
		t.Errorf("asked at %s, %v", j.Asked, err)
	}
}
