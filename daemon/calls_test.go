package daemon_test

import (
	"slices"

	"spinsync/apiclient/sandbox"
)

// calls counts the requests of each operation and spoils those a test names.
type calls struct {
	spoil func(*sandbox.Call) sandbox.Fault
	ops   []string
	turn  chan struct{}
}

func (c *calls) intercept(call *sandbox.Call) sandbox.Fault {
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	c.ops = append(c.ops, call.Op)
	if c.spoil == nil {
		return sandbox.Fault{}
	}
	return c.spoil(call)
}

// setSpoil spoils other calls from now on, while a daemon runs.
func (c *calls) setSpoil(spoil func(*sandbox.Call) sandbox.Fault) {
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	c.spoil = spoil
}

// since returns the operations called since the last time, sorted, without the polls, whose number
// is the service's: the status requests after a finish request.
func (c *calls) since() []string {
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

// always spoils each call of an operation.
func always(op string, fault sandbox.Fault) func(*sandbox.Call) sandbox.Fault {
	return func(c *sandbox.Call) sandbox.Fault {
		if c.Op != op {
			return sandbox.Fault{}
		}
		return fault
	}
}
