package main

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

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
	for part := range strings.SplitSeq(what, ",") {
		if err := f.add(part); err != nil {
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

func (f *fault) add(part string) (err error) {
	kind, value, _ := strings.Cut(part, "=")
	switch kind {
	case "delay":
		f.what.Delay, err = time.ParseDuration(value)
	case "hold":
		f.what.Hold, err = time.ParseDuration(value)
	case "rotate-key":
		f.what.RotateKey = true
	case "refuse":
		f.what.Code = value
	case "drop-before":
		f.what.DropBefore = true
	case "drop-after":
		f.what.DropAfter = true
	case "status":
		f.what.Status, err = strconv.Atoi(value)
	case "process":
		f.what.Process = true
	case "retry-after":
		f.what.Header = http.Header{"Retry-After": {value}}
	case "cut-request":
		f.what.CutRequest, err = strconv.ParseInt(value, 10, 64)
	case "cut-body":
		f.what.CutBody, err = strconv.Atoi(value)
	default:
		err = fmt.Errorf("unknown fault %q; see spinsync sandbox --help", kind)
	}
	return err
}

// shapeSetters are the names of --shape.
func shapeSetters() map[string]func(*sandbox.Shapes, string) error {
	return map[string]func(*sandbox.Shapes, string) error{
		"wrap-embed":       text(func(s *sandbox.Shapes) *string { return &s.WrapEmbed }),
		"wrap-credentials": text(func(s *sandbox.Shapes) *string { return &s.WrapCredentials }),
		"access-key-field": text(func(s *sandbox.Shapes) *string { return &s.AccessKeyField }),
		"silent-policy":    on(func(s *sandbox.Shapes) *bool { return &s.SilentPolicy }),
		"pending-word":     text(func(s *sandbox.Shapes) *string { return &s.PendingWord }),
		"processing-words": func(s *sandbox.Shapes, v string) error {
			s.ProcessingWords = strings.Split(v, ",")
			return nil
		},
		"upload-status": number(func(s *sandbox.Shapes) *int { return &s.UploadStatus }),
		"first-revision": func(s *sandbox.Shapes, v string) (err error) {
			s.FirstRevision, err = strconv.ParseUint(v, 10, 63)
			return err
		},
		"finish-lag":      duration(func(s *sandbox.Shapes) *time.Duration { return &s.FinishLag }),
		"wrap-lists":      text(func(s *sandbox.Shapes) *string { return &s.WrapLists }),
		"page-size":       number(func(s *sandbox.Shapes) *int { return &s.PageSize }),
		"storage-version": number(func(s *sandbox.Shapes) *int { return &s.StorageVersion }),
		"groups":          setGroups,
		"list-lag":        duration(func(s *sandbox.Shapes) *time.Duration { return &s.ListLag }),
		"hostname": choice(func(s *sandbox.Shapes) *sandbox.HostnameShape { return &s.Hostname },
			"bare", "url", "slash"),
		"filters": choice(func(s *sandbox.Shapes) *sandbox.FilterShape { return &s.Filters },
			"exact", "substring", "ignored"),
		"sources": choice(func(s *sandbox.Shapes) *sandbox.SourceShape { return &s.Sources },
			"renamed", "kept", "random"),
		"embed-needs-user":   on(func(s *sandbox.Shapes) *bool { return &s.EmbedNeedsUser }),
		"expiry-at-end":      on(func(s *sandbox.Shapes) *bool { return &s.ExpiryAtEnd }),
		"silent-finish":      on(func(s *sandbox.Shapes) *bool { return &s.SilentFinish }),
		"refuse-wrong-count": on(func(s *sandbox.Shapes) *bool { return &s.RefuseWrongCount }),
		"error-objects":      on(func(s *sandbox.Shapes) *bool { return &s.ErrorObjects }),
		"errors-are-ok":      on(func(s *sandbox.Shapes) *bool { return &s.ErrorsAreOK }),
		"year-is-number":     on(func(s *sandbox.Shapes) *bool { return &s.YearIsNumber }),
		"extra-fields":       on(func(s *sandbox.Shapes) *bool { return &s.ExtraFields }),
		"strict-rights":      on(func(s *sandbox.Shapes) *bool { return &s.StrictRights }),
		"raise-early":        on(func(s *sandbox.Shapes) *bool { return &s.RaiseEarly }),
		"keep-ids":           on(func(s *sandbox.Shapes) *bool { return &s.KeepIDs }),
		"keep-alt-texts":     on(func(s *sandbox.Shapes) *bool { return &s.KeepAltTexts }),
		"no-media":           on(func(s *sandbox.Shapes) *bool { return &s.NoMedia }),
	}
}

func on(field func(*sandbox.Shapes) *bool) func(*sandbox.Shapes, string) error {
	return func(s *sandbox.Shapes, _ string) error { *field(s) = true; return nil }
}

func text(field func(*sandbox.Shapes) *string) func(*sandbox.Shapes, string) error {
	return func(s *sandbox.Shapes, value string) error { *field(s) = value; return nil }
}

func number(field func(*sandbox.Shapes) *int) func(*sandbox.Shapes, string) error {
	return func(s *sandbox.Shapes, value string) (err error) { *field(s), err = strconv.Atoi(value); return err }
}

func duration(field func(*sandbox.Shapes) *time.Duration) func(*sandbox.Shapes, string) error {
	return func(s *sandbox.Shapes, value string) (err error) {
		*field(s), err = time.ParseDuration(value)
		return err
	}
}

// setGroups reads PREFIX:GROUP,… into Shapes.Groups.
func setGroups(s *sandbox.Shapes, value string) error {
	s.Groups = map[string]string{}
	for pair := range strings.SplitSeq(value, ",") {
		prefix, group, ok := strings.Cut(pair, ":")
		if !ok || group == "" {
			return fmt.Errorf("write PREFIX:GROUP, for instance detail_:gallery,still_:additional")
		}
		s.Groups[prefix] = group
	}
	return nil
}

func choice[T ~int](field func(*sandbox.Shapes) *T, names ...string) func(*sandbox.Shapes, string) error {
	return func(s *sandbox.Shapes, value string) error {
		i := slices.Index(names, value)
		if i < 0 {
			return fmt.Errorf("write %s", strings.Join(names, " or "))
		}
		*field(s) = T(i)
		return nil
	}
}

func parseShapes(args []string) (shapes sandbox.Shapes, err error) {
	setters := shapeSetters()
	for _, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		set, known := setters[name]
		if !known {
			return shapes, fmt.Errorf("--shape %s: unknown shape; see spinsync sandbox --help", arg)
		}
		if err := set(&shapes, value); err != nil {
			return shapes, fmt.Errorf("--shape %s: %w", arg, err)
		}
	}
	return shapes, nil
}

// shapeNames is the list of names in the help, a few to a line.
func shapeNames() string {
	var b strings.Builder
	for line := range slices.Chunk(slices.Sorted(maps.Keys(shapeSetters())), 6) {
		fmt.Fprintf(&b, "  %s\n", strings.Join(line, ", "))
	}
	return strings.TrimRight(b.String(), "\n")
}
