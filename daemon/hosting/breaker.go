package hosting

import (
	"cmp"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
)

// Breakers are the circuit breakers for all requests of the client: one for the service, whose host
// is "", and one for each upload host.
type Breakers struct {
	pause          func(attempt int) time.Duration
	log            *slog.Logger
	passwordRemedy string // what to do when the service rejects it

	mu     sync.Mutex
	byHost map[string]*Breaker // of hosts that are in use or in trouble
}

// NewBreakers makes breakers that know no host. The pause grows with the attempts; the remedy is what
// to do when the service rejects the password.
func NewBreakers(pause func(attempt int) time.Duration, log *slog.Logger, passwordRemedy string) *Breakers {
	return &Breakers{
		pause: pause, log: log,
		passwordRemedy: cmp.Or(passwordRemedy, "correct them in sync.toml"),
		byHost:         map[string]*Breaker{},
	}
}

// take goes on with the waits of other breakers, whose requests have all ended. A refused password is
// tried at once: the user or where the password comes from may be another.
func (b *Breakers) take(before *Breakers) {
	for _, host := range before.hosts() {
		was, is := before.Of(host), b.Of(host)
		was.mu.Lock()
		is.knowledge = was.knowledge
		was.mu.Unlock()
		is.probing, is.holds = false, maps.Clone(is.holds)
		is.refusal.trying, is.refusal.until = false, time.Time{}
	}
}

// takeRests goes on with the rests that hosts asked for. What else they answered is of another time.
func (b *Breakers) takeRests(before *Breakers) {
	b.take(before)
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	maps.DeleteFunc(b.byHost, func(_ string, of *Breaker) bool {
		of.keepRest(now)
		return of.remembersNothing(now)
	})
}

func (b *Breakers) Of(host string) *Breaker {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.byHost[host] == nil {
		b.byHost[host] = &Breaker{pause: b.pause, log: b.log, passwordRemedy: b.passwordRemedy, host: nameOfHost(host)}
	}
	return b.byHost[host]
}

// nameOfHost names a host in the log.
func nameOfHost(host string) string {
	if host == "" {
		return "the service"
	}
	return "upload host " + host
}

// Enter implements apiclient.Breaker.
func (b *Breakers) Enter(host, op string) error {
	if blocked := b.Of(host).enter(time.Now(), op); blocked != nil {
		return blocked
	}
	return nil
}

// Leave implements apiclient.Breaker.
func (b *Breakers) Leave(host, op string, err error) {
	now := time.Now()
	left := b.Of(host)
	left.leave(now, op, err)
	b.mu.Lock()
	defer b.mu.Unlock()
	if left.remembersNothing(now) { // there may be a host for each product
		delete(b.byHost, host)
	}
}

// Retry lets the next request through at once, because a person asks for it or gave another
// password.
func (b *Breakers) Retry() {
	for _, host := range b.hosts() {
		b.Of(host).retry()
	}
}

// Reach lets the next request through at once, because the machine woke up or its network changed.
// A rejected password stays blocked, because neither makes it right.
func (b *Breakers) Reach() {
	for _, host := range b.hosts() {
		b.Of(host).reach()
	}
}

// hosts are the hosts that have a breaker, the service first. It drops breakers that no request has
// tried for long, such as that of an upload host that no form names now.
func (b *Breakers) hosts() []string {
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	maps.DeleteFunc(b.byHost, func(_ string, of *Breaker) bool { return of.abandoned(now) })
	return slices.Sorted(maps.Keys(b.byHost))
}

// Status is the trouble with the service, or else with an upload host.
func (b *Breakers) Status(url string) status.ServiceStatus {
	for _, host := range b.hosts() {
		if s := b.Of(host).status(url); s.Trouble != "" {
			return s
		}
	}
	return status.ServiceStatus{URL: url}
}

// Blames is the wait that follows a failure which is the trouble of a host, and not of the folder
// that met with it; nil for another failure.
func (b *Breakers) Blames(now time.Time, err error) *outcome.Outcome {
	var remote *apiclient.Error
	if !errors.As(err, &remote) || !lasts(remote) && !outcome.Rejected(remote) {
		return nil
	}
	if blocked := b.Of(remote.UploadHost).Blocked(now, ""); blocked != nil {
		return blocked
	}
	return b.Of(remote.UploadHost).outage(remote).blocks(now.Add(time.Second), false)
}

// Asked is until when the host of a failed request asked to be left alone with Retry-After, by all
// requests or by those of the same operation. It is the zero time for a host that did not ask.
func (b *Breakers) Asked(err *apiclient.Error) time.Time {
	b.mu.Lock()
	host := b.byHost[err.UploadHost]
	b.mu.Unlock()
	if host == nil {
		return time.Time{}
	}
	return host.askedFor(withoutFile(err).Op)
}

// A Breaker is the circuit breaker of a host that cannot or will not answer. After its pause one
// request goes ahead, and only its success lets the others follow. A rejected password does not
// block requests that need none.
type Breaker struct {
	pause func(attempt int) time.Duration
	log   *slog.Logger
	host  string // in the log

	passwordRemedy string // what to do when the service rejects it

	mu sync.Mutex
	knowledge
}

// knowledge is what the host's answers have led to.
type knowledge struct {
	tripped bool
	probing bool
	until   time.Time
	asked   time.Time // end of the pause that the host itself asked for
	since   time.Time
	fails   int
	trouble outage
	cause   *apiclient.Error            // of the newest failure
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

// concerns reports whether an operation surely needs the password that is refused.
func (r refusal) concerns(op string) bool {
	return r.cause != nil && op != apiclient.OpStatus && op != apiclient.OpEmbed
}

// enter is the wait for which a request must not be sent; nil when it may go.
func (b *Breaker) enter(now time.Time, op string) *outcome.Outcome {
	b.mu.Lock()
	defer b.mu.Unlock()
	if blocked := b.blockedLocked(now, op); blocked != nil {
		return blocked
	}
	if hold := b.holds[op]; hold != nil && now.Before(hold.Until) {
		return hold
	}
	b.probing, b.refusal.trying = b.tripped, b.refusal.trying || b.refusal.concerns(op)
	return nil
}

// Blocked is the wait for a host that is blocked at present, at least for this operation; else nil.
func (b *Breaker) Blocked(now time.Time, op string) *outcome.Outcome {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.blockedLocked(now, op)
}

func (b *Breaker) blockedLocked(now time.Time, op string) *outcome.Outcome {
	soon := now.Add(time.Second)
	switch r := b.refusal; {
	case b.tripped && now.Before(b.until):
		return b.trouble.blocks(b.until, b.person)
	case b.tripped && b.probing:
		return b.trouble.blocks(soon, b.person)
	case r.concerns(op) && now.Before(r.until):
		return b.outage(r.cause).blocks(r.until, true)
	case r.concerns(op) && r.trying:
		return b.outage(r.cause).blocks(soon, true)
	}
	return nil
}

// An outage is a host's failure as all folders see it, without the file that was being uploaded.
type outage struct {
	cause  *status.Cause
	detail string
}

// outage has a remedy only where a person must act.
func (b *Breaker) outage(err *apiclient.Error) outage {
	err = withoutFile(err)
	why := outcome.Explain(err, b.passwordRemedy)
	if !outcome.Rejected(err) && !lasts(err) {
		why.Remedy = ""
	}
	return outage{outcome.WithPause(why.Cause(), err), err.Detail()}
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
func (b *Breaker) leave(now time.Time, op string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var remote *apiclient.Error
	switch {
	case errors.As(err, &remote):
		b.fail(now, op, remote)
	case err == nil:
		b.reset(now)
		b.accepted(now, op)
	}
	b.probing = false
	if b.refusal.concerns(op) {
		b.refusal.trying = false
	}
}

// fail applies a failure to the whole host, or to the operation alone.
func (b *Breaker) fail(now time.Time, op string, err *apiclient.Error) {
	asked, trouble := outcome.AskedPause(err), b.outage(err)
	switch {
	case op == apiclient.OpEmbed && outcome.Rejected(err): // links may want another password, or none
		b.reset(now)
	case outcome.Rejected(err):
		b.reset(now)
		b.refuse(now, err)
	case err.Throttled(), unreachable(err), lasts(err):
		b.cause = err
		b.block(now, asked, trouble)
		b.person = lasts(err) && now.Sub(b.since) >= BarredPatience
	default:
		if asked > 0 {
			b.hold(op, trouble.blocks(now.Add(asked), false))
		}
		if err.Status != 0 {
			b.reset(now)
			b.accepted(now, op)
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

// block stops requests to the host for as long as it asked, and longer from failure to failure. A
// request that fails while the host is blocked was under way, and is the same failure.
func (b *Breaker) block(now time.Time, asked time.Duration, trouble outage) {
	pause := asked
	if !now.Before(b.until) {
		b.fails++
		pause = max(asked, b.pause(b.fails))
	}
	if until := now.Add(asked); until.After(b.asked) {
		b.asked = until
	}
	b.trip(now, pause, trouble)
}

func (b *Breaker) askedFor(op string) time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	if hold := b.holds[op]; hold != nil && hold.Until.After(b.asked) {
		return hold.Until
	}
	return b.asked
}

// hold blocks an operation for as long as the host asked. Of two requests under way, the one that was
// asked for the longer rest counts.
func (b *Breaker) hold(op string, wait *outcome.Outcome) {
	if b.holds == nil {
		b.holds = map[string]*outcome.Outcome{}
	}
	if before := b.holds[op]; before == nil || wait.Until.After(before.Until) {
		b.holds[op] = wait
	}
}

// reset notes that the host answers. An answer before the end of the pause was under way when the
// host asked for it, and does not end it.
func (b *Breaker) reset(now time.Time) {
	if now.Before(b.until) {
		return
	}
	if b.tripped {
		b.log.Info(b.host + " answers again")
	}
	b.tripped, b.fails, b.trouble = false, 0, outage{}
}

func (b *Breaker) refuse(now time.Time, err *apiclient.Error) {
	if b.refusal.cause == nil {
		b.refusal.since = now
		b.logRest(b.outage(err))
	}
	b.refusal.cause, b.refusal.until = err, now.Add(rejectedPause)
}

// accepted notes that a request was not refused. A request without the password, or from before the
// refusal, proves nothing about the password.
func (b *Breaker) accepted(now time.Time, op string) {
	if b.refusal.concerns(op) && !now.Before(b.refusal.until) {
		b.log.Info(b.host + " accepts the password again")
		b.refusal = refusal{}
	}
}

func (b *Breaker) trip(now time.Time, pause time.Duration, trouble outage) {
	if !b.tripped {
		b.since = now
		b.logRest(trouble)
	}
	b.tripped, b.person, b.trouble = true, false, trouble
	if until := now.Add(pause); until.After(b.until) {
		b.until = until
	}
}

func (b *Breaker) logRest(trouble outage) {
	b.log.Warn("pausing requests to "+b.host,
		"reason", status.Sentence(trouble.cause, status.AnyFolder), "detail", trouble.detail)
}

// lasts reports whether a failure of the host meets every request, until a person or the network ends
// it: the way to it is barred, or its disk is full.
func lasts(err *apiclient.Error) bool { return err.Barred() || err.Full() }

// unreachable reports whether nothing came back from the host. A failure of the local file proves
// nothing about it.
func unreachable(err *apiclient.Error) bool {
	return err.Status == 0 && err.Temporary() && !err.Local() && outcome.Blocked(err) == nil
}

// Overloaded reports whether an upload failed because the host or the line has too much to do.
func Overloaded(err error) bool {
	var remote *apiclient.Error
	return errors.As(err, &remote) && (remote.Throttled() || unreachable(remote))
}

// retry lets the next request through at once, unless the host itself asked for more time.
func (b *Breaker) retry() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.until, b.refusal.until = b.asked, time.Time{}
}

// reach lets the next request through, as retry does, but keeps a rejected password blocked.
func (b *Breaker) reach() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.until = b.asked
}

// keepRest forgets all but the rest that the host asked for.
func (b *Breaker) keepRest(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refusal, b.until = refusal{}, b.asked
	if !now.Before(b.asked) {
		b.tripped, b.fails, b.trouble = false, 0, outage{}
	}
}

// abandoned reports whether the pause has been over for so long that nothing waits for the host.
func (b *Breaker) abandoned(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tripped && b.refusal.cause == nil && !b.probing && now.Sub(b.until) >= abandonedAfter
}

// remembersNothing reports whether the breaker has nothing to keep.
func (b *Breaker) remembersNothing(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	maps.DeleteFunc(b.holds, func(_ string, hold *outcome.Outcome) bool { return !now.Before(hold.Until) })
	return !b.tripped && b.refusal.cause == nil && len(b.holds) == 0
}

func (b *Breaker) status(url string) status.ServiceStatus {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := status.ServiceStatus{URL: url}
	switch r := b.refusal; {
	case r.cause != nil:
		trouble := b.outage(r.cause)
		s.State = status.Attention
		s.Trouble, s.Cause, s.Detail, s.Since, s.NextTry = b.sentence(r.cause), trouble.cause, trouble.detail, &r.since, &r.until
	case b.tripped:
		since, until := b.since, b.until
		s.State = status.Retrying
		if b.person {
			s.State = status.Attention
		}
		s.Trouble, s.Cause, s.Detail, s.Since, s.NextTry = b.sentence(b.cause), b.trouble.cause, b.trouble.detail, &since, &until
	}
	return s
}

// sentence is a host's failure in words for a person, with the remedy.
func (b *Breaker) sentence(err *apiclient.Error) string {
	why := outcome.Explain(err, b.passwordRemedy)
	switch {
	case outcome.Rejected(err), lasts(err):
		return why.String()
	case err.Throttled():
		return why.Says + "; spinsync continues by itself"
	}
	return why.Says + "; spinsync tries again by itself"
}
