package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// A report gathers the verdicts.
type report struct {
	explained map[string]string // why mutants change nothing, by their keys
	out       io.Writer
	until     time.Time

	mu    sync.Mutex
	count map[string]int // by the end of the trial
}

// unnoticed is the share of mutants that may survive without a reason: one in so many.
const unnoticed = 50

var errSurvivors = errors.New("too many mutants survived")

// add prints the verdict on one mutant.
func (r *report) add(m mutant, v verdict) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if v.end == survived && (r.explained[m.key()] != "" || r.explained[m.anywhere()] != "") {
		v.end = explained
	}
	if r.count == nil {
		r.count = map[string]int{}
	}
	r.count[v.end]++
	fmt.Fprintf(r.out, "%s:%d\t%s: %s\t%s %s\n", m.file, m.line, m.function, m.change, v.end, v.by)
}

func (r *report) tried() int { return r.count[killed] + r.count[survived] + r.count[explained] }

// wantsMore reports whether time is left for one more mutant.
func (r *report) wantsMore(ctx context.Context) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return ctx.Err() == nil && time.Now().Before(r.until)
}

// judge fails when too many mutants survived without a reason.
func (r *report) judge() error {
	fmt.Fprintf(r.out, "%d mutants tried: %d killed, %d survived, %d survived and are explained; ",
		r.tried(), r.count[killed], r.count[survived], r.count[explained])
	fmt.Fprintf(r.out, "%d could not be judged\n", r.count[unsure])
	if allowed := (r.tried() + unnoticed - 1) / unnoticed; r.count[survived] > allowed {
		return fmt.Errorf("%w: %d, and at most %d may: write the missing tests, or say in unchanged.txt "+
			"why they change nothing", errSurvivors, r.count[survived], allowed)
	}
	return nil
}

// warnOfOld names the explained mutants that the program has no more.
func (r *report) warnOfOld(all []mutant) {
	there := map[string]bool{}
	for _, m := range all {
		there[m.key()], there[m.anywhere()] = true, true
	}
	for key := range r.explained {
		if !there[key] {
			fmt.Fprintf(r.out, "unchanged.txt explains a mutant that is no more: %s\n", key)
		}
	}
}

// readUnchanged reads paragraphs: the key of a mutant, and below it why it changes nothing. A key
// that ends in an asterisk stands for all mutants of a function.
func readUnchanged(file string) (map[string]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	list := map[string]string{}
	for paragraph := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		key, reason, _ := strings.Cut(paragraph, "\n")
		if reason = strings.TrimSpace(reason); reason == "" {
			return nil, fmt.Errorf("%s: no reason for %s", file, key)
		}
		list[key] = reason
	}
	return list, nil
}
