package main

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestCount(t *testing.T) {
	wide := strings.Repeat("x", 130)
	c, err := count(fstest.MapFS{
		"go.mod": {},
		"a/a.go": {Data: []byte("package a\n\n// " + wide + " whoever it is\ntype T[K any] struct {\n\tA, B int\n\tT2\n}\n\n" +
			"func (t *T[K]) M() {\n}\n\nfunc (t T[K]) N() {}\n\nfunc init() {}\n\nconst s = \"" + wide + "\"\n\ntype T2 struct{}\n")},
		"a/b.go":            {Data: []byte("package a\n")},
		"a/a_test.go":       {Data: []byte("package a\n\nfunc init() {}\n")},
		"a/testdata/x.go":   {Data: []byte("no Go\n")},
		"apart/go.mod":      {},
		"apart/apart.go":    {Data: []byte("package apart\n\nfunc init() {}\n")},
		".hidden/hidden.go": {Data: []byte("package hidden\n\nfunc init() {}\n")},
		"README.md":         {Data: []byte("# Not this one\n\nThree words here. Two more\n\n- and an item\n\n```sh\nnot this\n```\n| nor | this |\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ got, want figure }{
		"lines of a package": {largest(c.lines), figure{19, "a"}},
		"lines of a file":    {largest(c.fileLines), figure{18, "a/a.go"}},
		"longest function":   {largest(c.functions), figure{2, "a.T.M"}},
		"methods":            {largest(c.methods), figure{2, "a.T"}},
		"fields":             {largest(c.fields), figure{3, "a.T"}},
		"wide lines":         {figure{n: c.wide}, figure{n: 1}},
		"wide comments":      {figure{n: c.wideComments}, figure{n: 1}},
		"init functions":     {figure{n: c.inits}, figure{n: 1}},
		"all lines":          {sum(c.lines), figure{n: 19}},
		"words of comments":  {figure{n: c.words}, figure{n: 4}},
		"hard words":         {figure{n: c.accents}, figure{n: 1}},
		"lines of README":    {figure{n: c.readme.lines}, figure{n: 10}},
		"words of README":    {figure{n: c.readme.words}, figure{n: 8}},
		"sentences":          {figure{n: c.readme.sentences}, figure{n: 3}},
		"rounded up":         {per(7, 1, 3), figure{n: 3}},
	} {
		if test.got != test.want {
			t.Errorf("%s: %v, want %v", name, test.got, test.want)
		}
	}
}

// TestEachRuleFails: a program that is over the limit of one rule, and of no other, is refused.
func TestEachRuleFails(t *testing.T) {
	if !judge(t.Output(), census{}) {
		t.Error("nothing at all is too much")
	}
	for name, c := range map[string]census{
		"lines of one package": {lines: map[string]int{"a": 10000, "b": 1}},
		"methods on one type":  {methods: map[string]int{"a.T": 10000}},
		"init":                 {inits: 1},
		"hard words":           {words: 10000, accents: 6},
		"the README":           {readme: page{lines: 121}},
		"its sentences":        {readme: page{words: 33, sentences: 2}},
	} {
		if judge(t.Output(), c) {
			t.Errorf("%s: not refused", name)
		}
	}
}
