package main

import (
	"go/format"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const source = `package p

type point struct{ x, y int }

func (p *point) move(a, b int) bool {
	if a < 2 && p.ready() {
		p.x, p.y = a, b
		p.done()
	}
	switch {
	case a == b:
		p.x++
	}
	return p.x != p.y
}

func at(x int) *point { return &point{x: x} }

func (p *point) close() error {
	if err := p.flush(); err != nil {
		return fmt.Errorf("close: %w", err)
	}
	panic(p.x - 1)
}

func (p *point) String() string {
	if p.x > 0 {
		return "right"
	}
	return "left"
}
`

// The names of mutants are those by which unchanged.txt knows them.
func TestMutantsOfAFile(t *testing.T) {
	m := &mutator{file: "p/p.go", text: source}
	if err := m.mutate(); err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, m := range m.found {
		found = append(found, strings.TrimPrefix(m.key(), "p/p.go "))
	}
	want := []string{
		"point.move: return true at once",
		"point.move: return false at once",
		"point.move: a < 2 && p.ready() is negated",
		"point.move: a < 2 && p.ready() is never true",
		"point.move: a < 2 && p.ready() becomes a < 2 || p.ready()",
		"point.move: a < 2 && p.ready() becomes a < 2",
		"point.move: a < 2 && p.ready() becomes p.ready()",
		"point.move: a < 2 becomes a <= 2",
		"point.move: a < 2 becomes a < 3",
		"point.move: drop p.x, p.y = a, b",
		"point.move: drop p.x = a",
		"point.move: drop p.y = b",
		"point.move: drop p.done()",
		"point.move: a == b is negated",
		"point.move: a == b is never true",
		"point.move: drop p.x++",
		"point.move: p.x != p.y becomes p.x == p.y",
		"at: return nil at once",
		"at: drop field x: x",
		"point.close: return nil at once",
		"point.close: err != nil is negated",
		"point.close: p.x - 1 becomes p.x + 1",
		"point.close: p.x - 1 becomes p.x - 2",
	}
	slices.Sort(found)
	slices.Sort(want)
	if !slices.Equal(found, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(found, "\n"), strings.Join(want, "\n"))
	}
}

// Every mutant is Go, and changes something.
func TestMutantsAreGo(t *testing.T) {
	m := &mutator{file: "p/p.go", text: source}
	if err := m.mutate(); err != nil {
		t.Fatal(err)
	}
	for _, m := range m.found {
		text := changed(source, []mutant{m}).text
		if _, err := format.Source([]byte(text)); err != nil || text == source {
			t.Errorf("%s: %v\n%s", m.key(), err, text)
		}
	}
}

// A small package has no chance against a large one, unless the mutants are spread.
func TestMutantsAreSpread(t *testing.T) {
	module := t.TempDir()
	write(t, module, "small/small.go", "package small\n\nfunc one(a, b int) bool { return a < b }\n")
	write(t, module, "large/large.go", "package large\n\n"+strings.Repeat("func _(a, b int) bool { return a < b }\n", 30))
	for seed := range uint64(20) {
		all, err := mutantsOf(module, []suite{{dir: "small"}, {dir: "large"}}, rand.New(rand.NewPCG(seed, 0)))
		if err != nil {
			t.Fatal(err)
		}
		if i := slices.IndexFunc(all, func(m mutant) bool { return m.suite.dir == "small" }); i > 10 {
			t.Errorf("seed %d: the mutant of the small package is the %dth", seed, i+1)
		}
	}
}

func TestMutantsOfSomePackages(t *testing.T) {
	of := func(dirs ...string) (all []mutant) {
		for _, dir := range dirs {
			all = append(all, mutant{suite: suite{dir: dir}})
		}
		return all
	}
	for count, want := range map[int]int{0: 6, 1: 3, 2: 5, 9: 6} {
		if got := ofPackages(of("a", "b", "a", "c", "b", "a"), count); len(got) != want {
			t.Errorf("%d of %d packages", len(got), count)
		}
	}
}

func TestUnchangedNeedsAReason(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "unchanged.txt")
	write(t, dir, "unchanged.txt", "p/p.go f: drop x\n\tone\n\ttwo\n\np/p.go f: drop y\n\tthree\n")
	list, err := readUnchanged(file)
	if err != nil || len(list) != 2 || list["p/p.go f: drop y"] != "three" {
		t.Errorf("read %q, %v", list, err)
	}
	write(t, dir, "unchanged.txt", "p/p.go f: drop x\n")
	if _, err := readUnchanged(file); err == nil {
		t.Error("a mutant without a reason was taken")
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// The tests of a module with one safeguard decide on its mutants.
func TestVerdicts(t *testing.T) {
	module := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module m\n\ngo 1.26\n",
		"p/p.go": "package p\n\nfunc Small(n int) bool {\n\tif n < 0 {\n\t\treturn false\n\t}\n\treturn n <= 9\n}\n" +
			"func Both(a, b string) string { return a + b }\n\nfunc Unused() { Both(\"\", \"\") }\n",
		"p/p_test.go": "package p\n\nimport \"testing\"\n\nfunc TestBoth(t *testing.T) { Both(\"\", \"\") }\n\n" +
			"func TestSmall(t *testing.T) {\n\tif !Small(5) || Small(10) {\n\t\tt.Fatal()\n\t}\n}\n",
		"q/q_test.go": "package q\n\nimport (\n\t\"testing\"\n\n\t\"m/p\"\n)\n\n" +
			"func TestFails(t *testing.T) {\n\tt.Fatal(p.Small(-1))\n}\n",
		"r/r.go": "package r\n\nfunc Odd(n int) bool { return n != 2 }\n",
		"r/r_test.go": "package r\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestOdd(t *testing.T) {\n\tOdd(1)\n" +
			"\tif os.Getenv(\"MUTANTS_REACHED\") == \"\" {\n\t\tgo panic(\"bad luck\")\n\t\tselect {}\n\t}\n}\n",
		"s/s.go": "package s\n\nfunc Even(n int) bool { return n > 1 }\n",
		"s/s_test.go": "package s\n\nimport \"testing\"\n\nfunc TestEven(t *testing.T) {\n\tif !Even(2) {\n" +
			"\t\tgo panic(\"odd\")\n\t\tselect {}\n\t}\n}\n",
	} {
		write(t, module, name, text)
	}
	suites := []suite{{"p", []string{"p", "q"}}, {"r", []string{"r"}}, {"s", []string{"s"}}}
	all, err := mutantsOf(module, suites, rand.New(rand.NewPCG(1, 0)))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]verdict{}
	for len(all) > 0 { // those that overlap come one after the other
		some := chosen(all, len(all))
		all = slices.DeleteFunc(all, func(m mutant) bool {
			return slices.ContainsFunc(some, func(o mutant) bool { return m.key() == o.key() })
		})
		l := &laboratory{module: module, dir: t.TempDir(), most: len(some)}
		if some, err = l.compiled(t.Context(), some); err != nil {
			t.Fatal(err)
		}
		if err := l.build(t.Context(), 2, some); err != nil {
			t.Fatal(err)
		}
		for _, m := range some {
			got[m.function+": "+m.change] = l.try(t.Context(), m)
		}
	}
	for change, want := range map[string]verdict{
		"Small: n <= 9 becomes n < 9": {end: survived},
		"Small: n < 0 is never true":  {end: survived},
		"Small: return false at once": {killed, "p TestSmall"},
		"Unused: return at once":      {end: survived},
		"Both: a + b becomes a - b":   {}, // does not compile
		"Odd: n != 2 becomes n == 2":  {unsure, "panic: bad luck" + unclear},
		"Even: return false at once":  {killed, "s panic: odd"},
	} {
		if got[change] != want {
			t.Errorf("%s: %+v, want %+v", change, got[change], want)
		}
	}
}

// One survivor in fifty, rounded up, may lack a reason.
func TestJudgement(t *testing.T) {
	for _, trial := range []struct {
		killed, survived, explained int
		fails                       bool
	}{
		{0, 0, 0, false}, {9, 1, 0, false}, {8, 2, 0, true}, {97, 2, 1, false}, {97, 3, 0, true}, {1, 1, 8, false},
	} {
		r := &report{explained: map[string]string{"f g: known": "it is so"}, out: io.Discard}
		add := func(times int, change, end string) {
			for range times {
				r.add(mutant{file: "f", function: "g", change: change}, verdict{end: end})
			}
		}
		add(trial.killed, "a", killed)
		add(trial.survived, "b || c", survived)
		add(trial.explained, "known", survived)
		add(5, "d", unsure)
		if err := r.judge(); (err != nil) != trial.fails || err != nil && exitCode(err) != 3 {
			t.Errorf("%+v: %v", trial, err)
		}
	}
	if code := exitCode(io.EOF); code != 1 {
		t.Errorf("a run that could not be made exits with %d", code)
	}
}

// The packages that guard the daemon, show it and report on it are tried too.
func TestSuites(t *testing.T) {
	suites, err := suitesOf(t.Context(), filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{daemon, "daemon/control", "cmd/spinsync/rootlock", dashboard, "daemon/notify"} {
		if !slices.ContainsFunc(suites, func(s suite) bool { return s.dir == dir }) {
			t.Errorf("%s is not tried", dir)
		}
	}
}
