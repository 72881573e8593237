package daemontest

import (
	"io"
	"maps"
	"net/http"
	"slices"

	"spinsync/apiclient/sandbox"
)

// Calls counts the requests of each operation and spoils those a test names.
type Calls struct {
	spoil func(*sandbox.Call) sandbox.Fault
	ops   []string
	turn  chan struct{} // no mutex: who waits for it keeps no bubble from moving on
}

func (c *Calls) intercept(call *sandbox.Call) sandbox.Fault {
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	c.ops = append(c.ops, call.Op)
	if c.spoil == nil {
		return sandbox.Fault{}
	}
	return c.spoil(call)
}

// around counts the requests of the strict service. Of a fault it knows the other answer alone.
func (c *Calls) around(op string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fault := c.intercept(&sandbox.Call{Op: op, Request: r})
		if fault.Status == 0 {
			next.ServeHTTP(w, r)
			return
		}
		maps.Copy(w.Header(), fault.Header)
		w.WriteHeader(fault.Status)
		_, _ = io.WriteString(w, fault.Body)
	})
}

// Spoil spoils calls from now on, one at a time. Nil spoils none.
func (c *Calls) Spoil(spoil func(*sandbox.Call) sandbox.Fault) {
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	c.spoil = spoil
}

// Since returns the operations called since the last time, sorted, without the polls, whose number
// is the service's: the status requests after a finish request.
func (c *Calls) Since() []string {
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	finished := false
	ops := slices.DeleteFunc(c.ops, func(op string) bool {
		finished = finished || op == sandbox.FinishUpload
		return finished && op == sandbox.ReadStatus
	})
	slices.Sort(ops)
	c.ops = nil
	return ops
}

// Once spoils the first call of an operation.
func Once(op string, fault sandbox.Fault) func(*sandbox.Call) sandbox.Fault {
	done := false
	return func(c *sandbox.Call) sandbox.Fault {
		if done || c.Op != op {
			return sandbox.Fault{}
		}
		done = true
		return fault
	}
}

// Always spoils each call of an operation.
func Always(op string, fault sandbox.Fault) func(*sandbox.Call) sandbox.Fault {
	return func(c *sandbox.Call) sandbox.Fault {
		if c.Op != op {
			return sandbox.Fault{}
		}
		return fault
	}
}
