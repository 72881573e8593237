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

// shapeFlags are the names of --shape, each as a flag that sets its shape.
func shapeFlags(s *sandbox.Shapes) *pflag.FlagSet {
	f := pflag.NewFlagSet("shape", pflag.ContinueOnError)
	f.StringVar(&s.WrapEmbed, "wrap-embed", "", "")
	f.StringVar(&s.WrapCredentials, "wrap-credentials", "", "")
	f.StringVar(&s.WrapLists, "wrap-lists", "", "")
	f.StringVar(&s.AccessKeyField, "access-key-field", "", "")
	f.StringVar(&s.PendingWord, "pending-word", "", "")
	f.StringSliceVar(&s.ProcessingWords, "processing-words", nil, "")
	f.Func("hostname", "", choice(&s.Hostname, "bare", "url", "slash"))
	f.Func("filters", "", choice(&s.Filters, "exact", "substring", "ignored"))
	f.Func("sources", "", choice(&s.Sources, "renamed", "kept", "random"))
	f.Func("groups", "", func(value string) (err error) { s.Groups, err = parseGroups(value); return err })
	f.IntVar(&s.UploadStatus, "upload-status", 0, "")
	f.IntVar(&s.PageSize, "page-size", 0, "")
	f.IntVar(&s.StorageVersion, "storage-version", 0, "")
	f.Uint64Var(&s.FirstRevision, "first-revision", 0, "")
	f.DurationVar(&s.FinishLag, "finish-lag", 0, "")
	f.DurationVar(&s.ListLag, "list-lag", 0, "")
	f.DurationVar(&s.RemovedLag, "removed-lag", 0, "")
	for name, field := range map[string]*bool{
		"embed-needs-user": &s.EmbedNeedsUser, "silent-policy": &s.SilentPolicy, "expiry-at-end": &s.ExpiryAtEnd,
		"silent-finish": &s.SilentFinish, "refuse-wrong-count": &s.RefuseWrongCount, "error-objects": &s.ErrorObjects,
		"errors-are-ok": &s.ErrorsAreOK, "year-is-number": &s.YearIsNumber, "extra-fields": &s.ExtraFields,
		"strict-rights": &s.StrictRights, "raise-early": &s.RaiseEarly, "keep-ids": &s.KeepIDs,
		"keep-alt-texts": &s.KeepAltTexts, "no-media": &s.NoMedia,
	} {
		f.BoolVar(field, name, false, "")
	}
	return f
}

// parseGroups reads PREFIX:GROUP,… for Shapes.Groups.
func parseGroups(value string) (map[string]string, error) {
	groups := map[string]string{}
	for pair := range strings.SplitSeq(value, ",") {
		prefix, group, ok := strings.Cut(pair, ":")
		if !ok || group == "" {
			return nil, fmt.Errorf("write PREFIX:GROUP, for instance detail_:gallery,still_:additional")
		}
		groups[prefix] = group
	}
	return groups, nil
}

// choice sets a number by its name, which is its place among the names.
func choice[T ~int](number *T, names ...string) func(string) error {
	return func(value string) error {
		i := slices.Index(names, value)
		if i < 0 {
			return fmt.Errorf("write %s", strings.Join(names, " or "))
		}
		*number = T(i)
		return nil
	}
}

func parseShapes(args []string) (shapes sandbox.Shapes, err error) {
	flags := shapeFlags(&shapes)
	for _, arg := range args {
		if err := setNamed(flags, arg); err != nil {
			return shapes, fmt.Errorf("--shape %s: %w", arg, err)
		}
	}
	return shapes, nil
}

// setNamed sets what NAME or NAME=VALUE names. A switch takes no value.
func setNamed(flags *pflag.FlagSet, arg string) error {
	name, value, _ := strings.Cut(arg, "=")
	flag := flags.Lookup(name)
	switch {
	case flag == nil:
		return fmt.Errorf("%q is not known; see spinsync sandbox --help", name)
	case flag.Value.Type() == "bool":
		value = "true"
	}
	return flag.Value.Set(value)
}

// shapeNames is the list of names in the help, a few to a line.
func shapeNames() string {
	var names []string
	shapeFlags(&sandbox.Shapes{}).VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	var b strings.Builder
	for line := range slices.Chunk(names, 6) {
		fmt.Fprintf(&b, "  %s\n", strings.Join(line, ", "))
	}
	return strings.TrimRight(b.String(), "\n")
}
