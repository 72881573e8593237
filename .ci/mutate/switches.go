package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// switchFile is added to each package with mutants. The environment turns one mutant on.
const switchFile = `package %s

import (
	mutantos "os"
	mutantstrconv "strconv"
	mutantatomic "sync/atomic"
)

var (
	mutantChosen, _ = mutantstrconv.Atoi(mutantos.Getenv("MUTANT"))
	mutantReached   [%d]mutantatomic.Bool
	mutantNotes     = mutantos.Getenv("MUTANTS_REACHED")
)

func mutantOn(id int) bool {
	if mutantNotes != "" && !mutantReached[id].Swap(true) {
		notes, err := mutantos.OpenFile(mutantNotes, mutantos.O_APPEND|mutantos.O_CREATE|mutantos.O_WRONLY, 0o600)
		if err != nil {
			panic(err)
		}
		_, _ = notes.WriteString(mutantstrconv.Itoa(id) + "\n")
		_ = notes.Close()
	}
	return id == mutantChosen
}

func mutantPick[T any](on bool, mutated, original T) T {
	if on {
		return mutated
	}
	return original
}

func mutantDrop[T any](on bool, value T) (none T) {
	if on {
		return none
	}
	return value
}
`

// chosen takes the first mutants that do not overlap each other, and numbers them.
func chosen(all []mutant, most int) (some []mutant) {
	of := map[string][]mutant{} // by file
	for _, m := range all {
		overlaps := slices.ContainsFunc(of[m.file], func(o mutant) bool { return m.from < o.to && o.from < m.to })
		if !overlaps && len(some) < most {
			m.id = len(some) + 1
			some, of[m.file] = append(some, m), append(of[m.file], m)
		}
	}
	return some
}

// A changed file has the switches of its mutants. The ends are where their texts are in it.
type changedFile struct {
	text string
	at   []struct{ id, from, to int }
}

func changed(text string, mutants []mutant) (c changedFile) {
	slices.SortFunc(mutants, func(a, b mutant) int { return cmp.Compare(a.from, b.from) })
	done := 0
	for _, m := range mutants {
		c.text += text[done:m.from]
		from := len(c.text)
		c.text += strings.ReplaceAll(m.text, on, fmt.Sprintf("mutantOn(%d)", m.id))
		c.at = append(c.at, struct{ id, from, to int }{m.id, from, len(c.text)})
		done = m.to
	}
	c.text += text[done:]
	return c
}

// writeSwitches writes the files with switches, and what makes the compiler take them. The files
// are returned by the names of the copies.
func (l *laboratory) writeSwitches(mutants []mutant) (files map[string]changedFile, err error) {
	of, replace := map[string][]mutant{}, map[string]string{}
	for _, m := range mutants {
		of[m.file] = append(of[m.file], m)
	}
	put := func(file, text string) error {
		copied := l.copyOf(file)
		replace[filepath.Join(l.module, filepath.FromSlash(file))] = copied
		return os.WriteFile(copied, []byte(text), 0o600)
	}
	files = map[string]changedFile{}
	for file, list := range of {
		text, err := os.ReadFile(filepath.Join(l.module, filepath.FromSlash(file)))
		if err != nil {
			return nil, err
		}
		c := changed(string(text), list)
		files[filepath.Base(l.copyOf(file))] = c
		switches := fmt.Sprintf(switchFile, list[0].pkg, l.most+1)
		err = errors.Join(put(file, c.text), put(path.Join(path.Dir(file), "mutant_switch.go"), switches))
		if err != nil {
			return nil, err
		}
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	return files, errors.Join(err, os.WriteFile(l.overlay(), overlay, 0o600))
}

func (l *laboratory) copyOf(file string) string {
	return filepath.Join(l.dir, strings.ReplaceAll(file, "/", "-"))
}

func (l *laboratory) overlay() string { return filepath.Join(l.dir, "overlay.json") }

var complaint = regexp.MustCompile(`(?m)^(\S+\.go):(\d+):(\d+): (.*)`)

// compiled returns the mutants that compile, with the files that hold them written.
func (l *laboratory) compiled(ctx context.Context, mutants []mutant) ([]mutant, error) {
	for {
		files, err := l.writeSwitches(mutants)
		if err != nil {
			return nil, err
		}
		args := []string{"build", "-overlay=" + l.overlay()}
		for _, m := range mutants {
			args = append(args, "./"+m.suite.dir)
		}
		slices.Sort(args[2:])
		out, err := l.command(ctx, "", "go", append(args[:2], slices.Compact(args[2:])...)...).CombinedOutput()
		if err == nil {
			return mutants, nil
		}
		bad := map[int]bool{}
		for _, c := range complaint.FindAllStringSubmatch(string(out), -1) {
			bad[files[filepath.Base(c[1])].mutantAt(c[2], c[3])] = true
		}
		before := len(mutants)
		mutants = slices.DeleteFunc(mutants, func(m mutant) bool { return bad[m.id] })
		if len(mutants) == before {
			return nil, fmt.Errorf("build the mutants: %w\n%s", err, out)
		}
	}
}

// mutantAt is the mutant at a line and column; 0 for none.
func (c changedFile) mutantAt(line, column string) int {
	at, _ := strconv.Atoi(column)
	number, _ := strconv.Atoi(line)
	for i, l := range slices.Collect(strings.Lines(c.text)) {
		if i < number-1 {
			at += len(l)
		}
	}
	for _, m := range c.at {
		if m.from < at && at <= m.to {
			return m.id
		}
	}
	return 0
}
