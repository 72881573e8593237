// Package outcome is how a step ends that does not succeed, and why, in plain words. Call Explain for
// the words of an error, and Is or Needs to ask what follows from it.
//
// Every error of a step is one of three: an Outcome, which the daemon itself decided on; an
// *apiclient.Error, the failure of a request; or the failure of a file. Explain puts the last two
// into words, and NoAccess finds the command that grants a missing right.
package outcome

import (
	"fmt"
	"runtime/debug"
	"time"

	"spinsync/daemon/status"
)

// A Kind is what follows from an outcome.
type Kind int

const (
	Changed         Kind = iota // the folder changed since the step was planned, and is planned again
	Waits                       // the protocol asks for a wait, which is no failure
	NeedsPerson                 // only a person can end it; with a time it is retried nevertheless
	HostWaits                   // the request was not sent: its host or operation is blocked
	HostNeedsPerson             // likewise, and a person must act
	Panicked                    // the work on the folder panicked
)

// An Outcome is the end of a step that did not succeed. It is an error, so that it passes through
// functions that know nothing of it.
type Outcome struct {
	Kind   Kind
	Until  time.Time     // when the step is tried again; zero for not before something changes
	Cause  *status.Cause // nil for Changed and Panicked
	Detail string        // of the failed request behind it; empty for none
	Err    error         // that failure, or the panic; nil for none
	Stack  []byte        // of a panic
}

// ErrChanged means that the folder has changed since the step was planned.
var ErrChanged = &Outcome{Kind: Changed}

// Later is a wait for a cause. The failure is the one that it follows; nil for none.
func Later(until time.Time, cause *status.Cause, failure error) *Outcome {
	return &Outcome{Kind: Waits, Until: until, Cause: cause, Err: failure}
}

// Person is an outcome that needs a person.
func Person(cause *status.Cause) *Outcome { return &Outcome{Kind: NeedsPerson, Cause: cause} }

// PersonUntil needs a person, but is retried at a time.
func PersonUntil(until time.Time, cause *status.Cause) *Outcome {
	return &Outcome{Kind: NeedsPerson, Until: until, Cause: cause}
}

// Because is Person for a cause without arguments.
func Because(kind status.Kind) *Outcome { return Person(&status.Cause{Kind: kind}) }

// WithDetail adds the technical detail of the failed request behind the outcome.
func (o *Outcome) WithDetail(detail string) *Outcome {
	o.Detail = detail
	return o
}

// Error implements error.
func (o *Outcome) Error() string {
	switch o.Kind {
	case Changed:
		return "the folder changed in the meantime"
	case Panicked:
		return "internal error: " + o.Err.Error()
	}
	return status.Sentence(o.Cause, status.AnyFolder)
}

// Unwrap is the failure behind the outcome.
func (o *Outcome) Unwrap() error { return o.Err }

// Of is the first outcome in an error; nil for none.
func Of(err error) *Outcome { return find(err, func(*Outcome) bool { return true }) }

// Blocked is the outcome in the error of a request that was not sent; nil for another error.
func Blocked(err error) *Outcome {
	return find(err, func(o *Outcome) bool { return o.Kind == HostWaits || o.Kind == HostNeedsPerson })
}

// Is reports whether an error holds an outcome of this kind.
func Is(err error, kind Kind) bool {
	return find(err, func(o *Outcome) bool { return o.Kind == kind }) != nil
}

// find walks through an error, and through all errors that are joined in it.
func find(err error, match func(*Outcome) bool) *Outcome {
	if o, is := err.(*Outcome); is && match(o) {
		return o
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		return find(e.Unwrap(), match)
	case interface{ Unwrap() []error }:
		for _, joined := range e.Unwrap() {
			if o := find(joined, match); o != nil {
				return o
			}
		}
	}
	return nil
}

// Needs reports whether an error needs a person for a cause of this kind.
func Needs(err error, cause status.Kind) bool {
	return find(err, func(o *Outcome) bool { return o.Kind == NeedsPerson && o.Cause.Is(cause) }) != nil
}

// Guard returns a panic of do as an outcome. Every goroutine that works on a folder does its work
// under it.
func Guard(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &Outcome{Kind: Panicked, Err: fmt.Errorf("%v", p), Stack: debug.Stack()}
		}
	}()
	return do()
}
