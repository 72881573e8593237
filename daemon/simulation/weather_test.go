package simulation

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"spinsync/apiclient/sandbox"
)

// A weather is what can go wrong with requests in a seed, and how often each. Most kinds are absent
// from most seeds, so that one which ends a run early does not hide what the others find.
type weather struct {
	seed    uint64
	kinds   []mishap
	each    float64       // the part of the calls that goes wrong
	refused string        // a frame's name that the upload host takes of no folder; empty for none
	refusal sandbox.Fault // how the upload host refuses it
	finish  float64       // of the products, whose finish the service refuses
	unknown float64       // of the status requests whose product is not known just then
	kill    float64       // of the steps beside which the program is killed
	commits float64       // of the commits that fail
}

// A mishap is one way for a call to go wrong.
type mishap struct {
	name string
	make func(*rand.Rand) sandbox.Fault
	on   func(op string) bool // nil: any
}

func changes(op string) bool {
	switch op {
	case sandbox.CreateProject, sandbox.CreateProduct, sandbox.Upload, sandbox.FinishUpload, sandbox.UpdateProduct, sandbox.DeleteProduct, sandbox.SetAltTexts:
		return true
	}
	return false
}

const portal = "<html><body>Please log in to the hotel's network</body></html>"

// unknown is the status of a product that the service does not know.
var unknown = sandbox.Fault{Status: 200, Body: `{"variant":null}`, Header: http.Header{"Content-Type": {"application/json"}}}

func html() http.Header { return http.Header{"Content-Type": {"text/html"}} }

// A delay stays below what the look for a lost create has patience for, together with the longest
// lag of lists.
var mishaps = []mishap{
	{name: "drop before", make: func(*rand.Rand) sandbox.Fault { return sandbox.Fault{DropBefore: true} }},
	{name: "drop after", make: func(*rand.Rand) sandbox.Fault { return sandbox.Fault{DropAfter: true} }},
	{name: "cut request", on: changes, make: func(r *rand.Rand) sandbox.Fault { return sandbox.Fault{CutRequest: 1 + r.Int64N(2000)} }},
	{name: "cut answer", make: func(r *rand.Rand) sandbox.Fault { return sandbox.Fault{CutBody: r.IntN(60) - 1} }},
	{name: "500", make: func(*rand.Rand) sandbox.Fault { return sandbox.Fault{Status: 500, Body: "oops"} }},
	{name: "502 after the work", make: func(*rand.Rand) sandbox.Fault { return sandbox.Fault{Status: 502, Body: portal, Process: true} }},
	{name: "page", make: func(*rand.Rand) sandbox.Fault { return sandbox.Fault{Status: 200, Body: portal, Header: html()} }},
	{name: "page after the work", make: func(*rand.Rand) sandbox.Fault {
		return sandbox.Fault{Status: 200, Body: portal, Header: html(), Process: true}
	}},
	// An upload host says by its status alone whether it took a photo.
	{name: "nonsense after the work", on: func(op string) bool { return op != sandbox.Upload }, make: func(*rand.Rand) sandbox.Fault {
		return sandbox.Fault{Status: 200, Body: `{"uuid": 7, "variant": [`, Process: true}
	}},
	{name: "429", make: func(r *rand.Rand) sandbox.Fault {
		return sandbox.Fault{Status: 429, Body: `{"errors":["slow down"]}`, Header: retryAfter(r)}
	}},
	// A gateway that gave up waiting may ask for rest too.
	{name: "503", make: func(r *rand.Rand) sandbox.Fault {
		return sandbox.Fault{Status: 503, Body: "closed for maintenance", Header: retryAfter(r), Process: chance(r, 0.5)}
	}},
	{name: "422", make: func(*rand.Rand) sandbox.Fault {
		return sandbox.Fault{Status: 422, Body: `{"errors":["not today"]}`}
	}},
	{name: "401", on: func(op string) bool { return op != sandbox.Upload && op != sandbox.ReadStatus }, make: func(*rand.Rand) sandbox.Fault {
		return sandbox.Fault{Status: 401, Body: `{"errors":["who are you"]}`}
	}},
	{name: "slow", make: func(r *rand.Rand) sandbox.Fault {
		return sandbox.Fault{Delay: between(r, time.Second, 20*time.Second)}
	}},
	{name: "slow answer", make: func(r *rand.Rand) sandbox.Fault {
		return sandbox.Fault{Hold: between(r, time.Second, 20*time.Second)}
	}},
	{name: "too late", make: func(r *rand.Rand) sandbox.Fault {
		return sandbox.Fault{Delay: between(r, 61*time.Second, 70*time.Second)}
	}},
	{name: "answer too late", make: func(r *rand.Rand) sandbox.Fault {
		return sandbox.Fault{Hold: between(r, 61*time.Second, 90*time.Second)}
	}},
}

// refusals are the ways in which an upload host refuses one photo for good.
var refusals = []sandbox.Fault{
	{Status: 403}, {Status: 403, Body: "<Error><Code>AccessDenied</Code></Error>"},
	{Status: 400, Body: "<Error><Code>EntityTooLarge</Code></Error>"}, {Status: 400},
	{Status: 413}, {Status: 415, Body: "no such type here"}, {Status: 507, Body: "the disk is full"},
}

// retryAfter asks for some seconds of rest, in seconds or by the clock.
func retryAfter(r *rand.Rand) http.Header {
	seconds := 1 + r.IntN(60)
	if chance(r, 0.3) {
		return http.Header{"Retry-After": {time.Now().Add(time.Duration(seconds) * time.Second).UTC().Format(http.TimeFormat)}}
	}
	return http.Header{"Retry-After": {fmt.Sprint(seconds)}}
}

func newWeather(seed uint64, faults swarm) weather {
	r := random(seed, "weather")
	w := weather{
		seed: seed, each: pick(r, 0.05, 0.15, 0.35),
		kill: when(faults.has(killing), pick(r, 0, 0.01, 0.05)), commits: when(faults.has(failingCommit), 0.02),
	}
	w.refused = when(faults.has(refusedPhoto), pick(random(seed, "refused"), "frame_01.jpg", "img9.jpg"))
	w.refusal = pick(random(seed, "refusal"), refusals...)
	w.finish, w.unknown = when(faults.has(refusedFinish), 0.3), when(faults.has(unknownProduct), 0.1)
	for _, m := range mishaps {
		if faults.has(m.name) {
			w.kinds = append(w.kinds, m)
		}
	}
	return w
}

// spoil decides how a call goes wrong, and gives each call a time of its own. It does so by what
// the call is about and when it came, not by how many came before: of two that come at one instant
// nobody can tell which is the first.
func (w weather) spoil(c *call) (kind string, fault sandbox.Fault) {
	op := c.op
	r := random(w.seed, fmt.Sprint(c, instant()))
	latency := between(r, time.Millisecond, 80*time.Millisecond)
	if len(w.kinds) > 0 && chance(r, w.each) {
		if m := pick(r, w.kinds...); m.on == nil || m.on(op) {
			kind, fault = m.name, m.make(r)
		}
	}
	if w.refused != "" && strings.HasSuffix(c.file, "/"+w.refused) {
		kind, fault = refusedPhoto, w.refusal
	}
	if op == sandbox.FinishUpload && chance(random(w.seed, "finish "+c.what), w.finish) {
		kind, fault = refusedFinish, sandbox.Fault{Status: 422, Body: `{"errors":["no room for this view"]}`}
	}
	if op == sandbox.ReadStatus && chance(random(w.seed, fmt.Sprint("unknown ", c, instant())), w.unknown) {
		kind, fault = unknownProduct, unknown
	}
	fault.Delay += latency
	return kind, fault
}

// kills decides whether the program is killed at a point.
func (w weather) kills(point string) bool {
	return chance(random(w.seed, fmt.Sprint("kill ", point, instant())), w.kill)
}

// fails decides whether a commit of the state file fails, and whether it is done all the same.
func (w weather) fails(point string) (fails, done bool) {
	r := random(w.seed, "fail "+point)
	return chance(r, w.commits), chance(r, 0.5)
}
