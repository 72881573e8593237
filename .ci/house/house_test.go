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
		"a/a.go": {Data: []byte("package a\n\n// " + wide + "\ntype T[K any] struct {\n\tA, B int\n\tT2\n}\n\n" +
			"func (t *T[K]) M() {\n}\n\nfunc (t T[K]) N() {}\n\nfunc init() {}\n\nconst s = \"" + wide + "\"\n\ntype T2 struct{}\n")},
		"a/b.go":            {Data: []byte("package a\n")},
		"a/a_test.go":       {Data: []byte("package a\n\nfunc init() {}\n")},
		"a/testdata/x.go":   {Data: []byte("no Go\n")},
		"apart/go.mod":      {},
		"apart/apart.go":    {Data: []byte("package apart\n\nfunc init() {}\n")},
		".hidden/hidden.go": {Data: []byte("package hidden\n\nfunc init() {}\n")},
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
	} {
		if judge(t.Output(), c) {
			t.Errorf("%s: not refused", name)
		}
	}
}
