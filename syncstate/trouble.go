package syncstate

import (
	"fmt"
	"time"
)

// Tries count failed attempts, or those without an end so far, and hold the time of the next.
type Tries struct {
	N    int       `json:"n,omitempty"`
	Next time.Time `json:"next,omitzero"`
}

// Again counts one more try. The policy gives the pause after so many tries, and whether there is
// another one; Again reports that.
func (t *Tries) Again(now time.Time, policy func(n int) (pause time.Duration, patient bool)) (patient bool) {
	t.N++
	pause, patient := policy(t.N)
	t.Next = now.Add(pause)
	return patient
}

// Wait reports whether the next try is still to come. A time farther away than the longest pause is
// over: it was recorded by a clock that was ahead.
func (t Tries) Wait(now time.Time, longest time.Duration) bool {
	left := t.Next.Sub(now)
	return left > 0 && left <= longest
}

// A TroubleKind is how a trouble goes on.
type TroubleKind string

const (
	Retried TroubleKind = "retried" // the next try comes by itself
	// RetriedAndShown is the same, but a person is called, and another content ends it too.
	RetriedAndShown TroubleKind = "retried and shown"
	NeedsPerson     TroubleKind = "needs person" // it ends by a person, or by another content
)

// Trouble is a failure that keeps a folder from its publication.
type Trouble struct {
	Kind  TroubleKind `json:"kind"`
	Cause *Cause      `json:"cause"`
	// Detail is the failed request: method, path, status and the host's message; empty for none.
	Detail string    `json:"detail,omitempty"`
	At     time.Time `json:"at,omitzero"` // when it was recorded
	Tries  Tries     `json:"tries"`       // Next is zero for NeedsPerson
	// Refusals counts the tries that met with an obstacle which does not pass by itself.
	Refusals int `json:"refusals,omitempty"`
	// Content identifies the folder's files, its rules and its row in the products file at the
	// time: another one is a reason to try again.
	Content string `json:"content,omitempty"`
}

// check refuses a trouble that nothing would end.
func (t *Trouble) check() error {
	if t == nil || t.Kind == Retried || t.Kind == RetriedAndShown || t.Kind == NeedsPerson {
		return nil
	}
	return fmt.Errorf("a trouble is of the unknown kind %q", t.Kind)
}
