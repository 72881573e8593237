package demo

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"spinsync/apiclient/sandbox"
)

// A fault is what --fault says.
type fault struct {
	op    string
	nth   int // the one call of the operation; 0 for all
	every int // of the calls of the operation; 0 for all
	what  sandbox.Fault
}

func (f fault) meets(c *sandbox.Call) bool {
	return f.op == c.Op && (f.nth == 0 || f.nth == c.N) && (f.every == 0 || c.N%f.every == 0)
}

// parseFaults returns what spoils the calls: the first fault that meets a call. Nil spoils nothing.
func parseFaults(args []string) (func(*sandbox.Call) sandbox.Fault, error) {
	var faults []fault
	for _, arg := range args {
		f, err := parseFault(arg)
		if err != nil {
			return nil, fmt.Errorf("--fault %s: %w", arg, err)
		}
		faults = append(faults, f)
	}
	if faults == nil {
		return nil, nil
	}
	return func(c *sandbox.Call) sandbox.Fault {
		for _, f := range faults {
			if f.meets(c) {
				return f.what
			}
		}
		return sandbox.Fault{}
	}, nil
}

func parseFault(arg string) (f fault, err error) {
	calls, what, ok := strings.Cut(arg, ":")
	if !ok {
		return f, fmt.Errorf(`write CALLS:WHAT, for instance "4.3%%10:status=503"`)
	}
	if f.op, f.nth, err = cutNumber(calls, "#"); err == nil && f.nth == 0 {
		f.op, f.every, err = cutNumber(calls, "%")
	}
	switch {
	case err != nil:
		return f, err
	case !slices.Contains(sandbox.Ops(), f.op):
		return f, fmt.Errorf("there are no calls %q; write one of %s", f.op, strings.Join(sandbox.Ops(), ", "))
	}
	flags := faultFlags(&f.what)
	for part := range strings.SplitSeq(what, ",") {
		if err := setNamed(flags, part); err != nil {
			return f, err
		}
	}
	return f, nil
}

func cutNumber(calls, mark string) (op string, n int, err error) {
	op, number, ok := strings.Cut(calls, mark)
	if !ok {
		return op, 0, nil
	}
	n, err = strconv.Atoi(number)
	if err != nil || n < 1 {
		return op, 0, fmt.Errorf("%q is no number of a call", number)
	}
	return op, n, nil
}

// faultFlags are the names of what spoils a call, each as a flag.
func faultFlags(what *sandbox.Fault) *pflag.FlagSet {
	f := pflag.NewFlagSet("fault", pflag.ContinueOnError)
	f.DurationVar(&what.Delay, "delay", 0, "")
	f.DurationVar(&what.Hold, "hold", 0, "")
	f.BoolVar(&what.DropBefore, "drop-before", false, "")
	f.BoolVar(&what.DropAfter, "drop-after", false, "")
	f.IntVar(&what.Status, "status", 0, "")
	f.BoolVar(&what.Process, "process", false, "")
	f.Func("retry-after", "", func(value string) error {
		what.Header = http.Header{"Retry-After": {value}}
		return nil
	})
	f.StringVar(&what.Code, "refuse", "", "")
	f.BoolVar(&what.RotateKey, "rotate-key", false, "")
	f.Int64Var(&what.CutRequest, "cut-request", 0, "")
	f.IntVar(&what.CutBody, "cut-body", 0, "")
	return f
}
