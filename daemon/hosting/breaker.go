package hosting

import (
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// Breakers are the circuit breakers for all requests of the client: one for the service, whose host is
// "", and one for each upload host.
type Breakers struct {
	pause    func(attempt int) time.Duration
	log      *slog.Logger
	password string // what to do when the service rejects it

	mu     sync.Mutex
	byHost map[string]*Breaker // of hosts that are in use or in trouble
}

func NewBreakers(pause func(attempt int) time.Duration, log *slog.Logger, password string) *Breakers {
	return &Breakers{
		pause: pause, log: log,
		password: status.FirstOf(password, "correct them in sync.toml, then restart spinsync"),
		byHost:   map[string]*Breaker{},
	}
}

func (g *Breakers) Of(host string) *Breaker {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.byHost[host] == nil {
		g.byHost[host] = &Breaker{pause: g.pause, log: g.log, password: g.password, host: nameOfHost(host)}
	}
	return g.byHost[host]
}

// nameOfHost names a host in the log.
func nameOfHost(host string) string {
	if host == "" {
		return "the service"
	}
	return "upload host " + host
}

// Enter implements apiclient.Breaker.
func (g *Breakers) Enter(host, op string) error {
	if blocked := g.Of(host).enter(time.Now(), op); blocked != nil {
		return blocked
	}
	return nil
}

// Leave implements apiclient.Breaker.
func (g *Breakers) Leave(host, op string, err error) {
	now := time.Now()
	left := g.Of(host)
	left.leave(now, op, err)
	g.mu.Lock()
	defer g.mu.Unlock()
	if left.remembersNothing(now) { // there may be a host for each product
		delete(g.byHost, host)
	}
}

// Open lets the next request through at once, because a person asks for it or gave another
// password.
func (g *Breakers) Open() {
	for _, host := range g.hosts() {
		g.Of(host).open()
	}
}

// Reach does so because the machine woke up or its network changed. A rejected password stays
// blocked, because neither makes it right.
func (g *Breakers) Reach() {
	for _, host := range g.hosts() {
		g.Of(host).reach()
	}
}

// hosts are the hosts that have a breaker, the service first. It drops breakers that no request has
// tried for long, such as that of an upload host that no form names now.
func (g *Breakers) hosts() []string {
	now := time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	maps.DeleteFunc(g.byHost, func(_ string, of *Breaker) bool { return of.abandoned(now) })
	return slices.Sorted(maps.Keys(g.byHost))
}

// Status is the trouble with the service, or else with an upload host.
func (g *Breakers) Status(url string) status.ServiceStatus {
	for _, host := range g.hosts() {
		if s := g.Of(host).status(url); s.Trouble != "" {
			return s
		}
	}
	return status.ServiceStatus{URL: url}
}

// Blames is the wait that follows a failure which is the trouble of a host, and not of the folder
// that met with it; nil for another failure.
func (g *Breakers) Blames(now time.Time, err error) *outcome.Outcome {
	var remote *apiclient.Error
	if !errors.As(err, &remote) || !remote.Barred() && !outcome.Rejected(remote) {
		return nil
	}
	if blocked := g.Of(remote.UploadHost).Shut(now, ""); blocked != nil {
		return blocked
	}
	return g.Of(remote.UploadHost).outage(remote).blocks(now.Add(time.Second), false)
}

// Recall restores the pause that a host asked an earlier process for. The pause is never longer
// than the host asked: the clock may have been set back since.
func (g *Breakers) Recall(now time.Time, t *syncstate.Trouble) {
	left := min(t.NextTry.Sub(now), t.NextTry.Sub(t.At), outcome.LongestRetry)
	switch {
	case t.Rest == nil || left <= 0:
	case t.Rest.Op == "":
		g.Of(t.Rest.Host).rest(now, left, outage{t.Cause, t.Detail})
	default:
		g.Of(t.Rest.Host).hold(t.Rest.Op, outage{t.Cause, t.Detail}.blocks(now.Add(left), false))
	}
}

// A Breaker is the circuit breaker of a host that cannot or will not answer. After its pause one
// request goes ahead, and only its success lets the others follow. A rejected password does not
// block requests that need none.
type Breaker struct {
	pause func(attempt int) time.Duration
	log   *slog.Logger
	host  string // in the log

	password string // what to do when the service rejects it

	mu      sync.Mutex
	closed  bool
	probing bool
	until   time.Time
	asked   time.Time // end of the pause that the host itself asked for
	since   time.Time
	fails   int
	said    outage
	cause   *apiclient.Error            // of the newest failure; nil when an earlier process had it
	person  bool                        // it is a matter for a person
	holds   map[string]*outcome.Outcome // by operation, as the service asked with Retry-After

	refusal refusal
}

// A refusal of the password lasts until a request with it is answered otherwise.
type refusal struct {
	cause        *apiclient.Error // nil when the password is not refused
	since, until time.Time        // one request tries it again then
	trying       bool
}

// concerns reports whether an operation needs the password that is refused.
func (r refusal) concerns(op string) bool { return r.cause != nil && op != apiclient.OpStatus }

// enter is the wait for which a request must not be sent; nil when it may go.
func (g *Breaker) enter(now time.Time, op string) *outcome.Outcome {
	g.mu.Lock()
	defer g.mu.Unlock()
	if blocked := g.blocked(now, op); blocked != nil {
		return blocked
	}
	if hold := g.holds[op]; hold != nil && now.Before(hold.Until) {
		return hold
	}
	g.probing, g.refusal.trying = g.closed, g.refusal.trying || g.refusal.concerns(op)
	return nil
}

// Shut is the wait for a host that is blocked at present, at least for this operation; else nil.
func (g *Breaker) Shut(now time.Time, op string) *outcome.Outcome {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.blocked(now, op)
}

func (g *Breaker) blocked(now time.Time, op string) *outcome.Outcome {
	soon := now.Add(time.Second)
	switch r := g.refusal; {
	case g.closed && now.Before(g.until):
		return g.said.blocks(g.until, g.person)
	case g.closed && g.probing:
		return g.said.blocks(soon, g.person)
	case r.concerns(op) && now.Before(r.until):
		return g.outage(r.cause).blocks(r.until, true)
	case r.concerns(op) && r.trying:
		return g.outage(r.cause).blocks(soon, true)
	}
	return nil
}

// An outage is a host's failure as all folders see it, without the file that was being uploaded.
type outage struct {
	cause  *status.Cause
	detail string
}

// outage has a remedy only where a person must act.
func (g *Breaker) outage(err *apiclient.Error) outage {
	err = withoutFile(err)
	told := outcome.Explain(err, g.password)
	if !outcome.Rejected(err) && !err.Barred() {
		told.Remedy = ""
	}
	return outage{outcome.WithRest(told.Cause(), err), err.Detail()}
}

// blocks is the wait for the end of the outage.
func (o outage) blocks(until time.Time, person bool) *outcome.Outcome {
	kind := outcome.HostWaits
	if person {
		kind = outcome.HostNeedsPerson
	}
	return &outcome.Outcome{Kind: kind, Until: until, Cause: o.cause, Detail: o.detail}
}

// leave takes the outcome of a request.
func (g *Breaker) leave(now time.Time, op string, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var remote *apiclient.Error
	switch {
	case errors.As(err, &remote):
		g.fail(now, op, remote)
	case err == nil:
		g.reopen(now)
		g.accepted(now, op)
	}
	g.probing = false
	if g.refusal.concerns(op) {
		g.refusal.trying = false
	}
}

// fail applies a failure to the whole host, or to the operation alone.
func (g *Breaker) fail(now time.Time, op string, err *apiclient.Error) {
	asked, said := outcome.AskedRest(err), g.outage(err)
	switch {
	case outcome.Rejected(err):
		g.reopen(now)
		g.refuse(now, err)
	case err.Throttled(), unreachable(err), err.Barred():
		g.cause = err
		g.rest(now, asked, said)
		g.person = err.Barred() && now.Sub(g.since) >= BarredPatience
	default:
		if asked > 0 {
			g.hold(op, said.blocks(now.Add(asked), false))
		}
		if err.Status != 0 {
			g.reopen(now)
			g.accepted(now, op)
		}
	}
}

// withoutFile is a failure for the other folders, which do not have the uploaded file.
func withoutFile(err *apiclient.Error) *apiclient.Error {
	if err.UploadHost == "" {
		return err
	}
	general := *err
	general.Op = apiclient.OpUpload
	return &general
}

// rest blocks the host for as long as it asked, and longer from failure to failure. A request that
// fails while the host is blocked was under way, and is the same failure.
func (g *Breaker) rest(now time.Time, asked time.Duration, said outage) {
	pause := asked
	if !now.Before(g.until) {
		g.fails++
		pause = max(asked, g.pause(g.fails))
	}
	if until := now.Add(asked); until.After(g.asked) {
		g.asked = until
	}
	g.close(now, pause, said)
}

func (g *Breaker) hold(op string, wait *outcome.Outcome) {
	if g.holds == nil {
		g.holds = map[string]*outcome.Outcome{}
	}
	g.holds[op] = wait
}

// reopen notes that the host answers. An answer before the end of the pause was under way when the
// host asked for it, and does not end it.
func (g *Breaker) reopen(now time.Time) {
	if now.Before(g.until) {
		return
	}
	if g.closed {
		g.log.Info(g.host + " answers again")
	}
	g.closed, g.fails, g.said = false, 0, outage{}
}

func (g *Breaker) refuse(now time.Time, err *apiclient.Error) {
	if g.refusal.cause == nil {
		g.refusal.since = now
		g.logRest(g.outage(err))
	}
	g.refusal.cause, g.refusal.until = err, now.Add(rejectedPause)
}

// accepted notes that a request was not refused. A request without the password, or from before the
// refusal, proves nothing about the password.
func (g *Breaker) accepted(now time.Time, op string) {
	if g.refusal.concerns(op) && !now.Before(g.refusal.until) {
		g.log.Info(g.host + " accepts the password again")
		g.refusal = refusal{}
	}
}

func (g *Breaker) close(now time.Time, pause time.Duration, said outage) {
	if !g.closed {
		g.since = now
		g.logRest(said)
	}
	g.closed, g.person, g.said = true, false, said
	if until := now.Add(pause); until.After(g.until) {
		g.until = until
	}
}

func (g *Breaker) logRest(said outage) {
	g.log.Warn(g.host+" is blocked for a while",
		"reason", status.Sentence(said.cause, status.AnyFolder), "detail", said.detail)
}

// unreachable reports whether nothing came back from the host. A failure of the local file says
// nothing about it.
func unreachable(err *apiclient.Error) bool {
	return err.Status == 0 && err.Temporary() && !err.Local() && outcome.OfHost(err) == nil
}

// Overloaded reports whether an upload failed because the host or the line has too much to do.
func Overloaded(err error) bool {
	var remote *apiclient.Error
	return errors.As(err, &remote) && (remote.Throttled() || unreachable(remote))
}

// open lets the next request through at once, unless the host itself asked for more time.
func (g *Breaker) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.until, g.refusal.until = g.asked, time.Time{}
}

// reach lets the next request through, as open does, but keeps a rejected password blocked.
func (g *Breaker) reach() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.until = g.asked
}

// abandoned reports whether the pause has been over for so long that nothing waits for the host.
func (g *Breaker) abandoned(now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed && g.refusal.cause == nil && !g.probing && now.Sub(g.until) >= abandonedAfter
}

// remembersNothing reports whether the breaker has nothing to keep.
func (g *Breaker) remembersNothing(now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	maps.DeleteFunc(g.holds, func(_ string, hold *outcome.Outcome) bool { return !now.Before(hold.Until) })
	return !g.closed && g.refusal.cause == nil && len(g.holds) == 0
}

func (g *Breaker) status(url string) status.ServiceStatus {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := status.ServiceStatus{URL: url}
	switch r := g.refusal; {
	case r.cause != nil:
		s.Trouble, s.Detail, s.Since, s.NextTry = g.sentence(r.cause), g.outage(r.cause).detail, &r.since, &r.until
	case g.closed:
		since, until := g.since, g.until
		s.Trouble, s.Detail, s.Since, s.NextTry = g.sentence(g.cause), g.said.detail, &since, &until
	}
	return s
}

// sentence is a host's failure in words for a person, with the remedy. A failure in an earlier
// process left only its outage.
func (g *Breaker) sentence(err *apiclient.Error) string {
	if err == nil {
		return status.Sentence(g.said.cause, status.AnyFolder) + "; spinsync continues by itself"
	}
	told := outcome.Explain(err, g.password)
	switch {
	case outcome.Rejected(err), err.Barred():
		return told.String()
	case err.Throttled():
		return told.Says + "; spinsync continues by itself"
	}
	return told.Says + "; spinsync tries again by itself"
}
