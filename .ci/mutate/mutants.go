package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"math"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A mutant is one small change of one file.
type mutant struct {
	suite    suite
	place    float64 // in the order of trials
	file     string  // below the module
	line     int
	function string
	change   string // what is changed, in words
	from, to int    // the bytes that the text replaces
	text     string
}

// applied is the file's text with the change.
func (m mutant) applied(text []byte) []byte {
	return slices.Concat(text[:m.from], []byte(m.text), text[m.to:])
}

// key names a mutant wherever its line has moved to.
func (m mutant) key() string { return m.file + " " + m.function + ": " + m.change }

// mutantsOf lists the mutants of all files that this system compiles, in the order of their trials.
// The first few come from all packages: one with four times the mutants of another has twice its
// share.
func mutantsOf(module string, suites []suite, random *rand.Rand) (all []mutant, err error) {
	for _, s := range suites {
		of, err := s.mutants(module)
		if err != nil {
			return nil, err
		}
		random.Shuffle(len(of), func(i, k int) { of[i], of[k] = of[k], of[i] })
		for i := range of {
			of[i].place = (float64(i) + random.Float64()) / math.Sqrt(float64(len(of)))
		}
		all = append(all, of...)
	}
	slices.SortFunc(all, func(a, b mutant) int { return cmp.Compare(a.place, b.place) })
	return all, nil
}

func (s suite) mutants(module string) (all []mutant, err error) {
	pkg, err := build.ImportDir(filepath.Join(module, filepath.FromSlash(s.dir)), 0)
	if err != nil {
		return nil, err
	}
	for _, name := range pkg.GoFiles {
		text, err := os.ReadFile(filepath.Join(pkg.Dir, name))
		if err != nil {
			return nil, err
		}
		m := &mutator{suite: s, file: path.Join(s.dir, name), text: string(text)}
		if err := m.mutate(); err != nil {
			return nil, err
		}
		all = append(all, m.found...)
	}
	return all, nil
}

// A mutator collects the mutants of a file. Some of them do not compile.
type mutator struct {
	suite      suite
	file, text string
	set        *token.FileSet
	function   string
	negated    map[ast.Expr]bool // conditions that are negated as a whole
	found      []mutant
}

func (m *mutator) mutate() error {
	m.set, m.negated = token.NewFileSet(), map[ast.Expr]bool{}
	parsed, err := parser.ParseFile(m.set, m.file, m.text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, d := range parsed.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			m.function = functionName(d)
			m.leaveAtOnce(d)
			ast.Inspect(d, m.visit)
		case *ast.GenDecl:
			m.constants(d)
		}
	}
	return nil
}

func functionName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	receiver := d.Recv.List[0].Type
	if star, ok := receiver.(*ast.StarExpr); ok {
		receiver = star.X
	}
	return fmt.Sprintf("%s.%s", receiver, d.Name.Name)
}

func (m *mutator) offset(p token.Pos) int { return m.set.Position(p).Offset }

func (m *mutator) source(n ast.Node) string { return m.text[m.offset(n.Pos()):m.offset(n.End())] }

// replace adds the mutant that has other text between two places.
func (m *mutator) replace(from, to token.Pos, text, change string) {
	m.found = append(m.found, mutant{
		suite: m.suite, file: m.file, line: m.set.Position(from).Line, function: m.function,
		change: strings.Join(strings.Fields(change), " "),
		from:   m.offset(from), to: m.offset(to), text: text,
	})
}

// instead adds the mutant with another expression.
func (m *mutator) instead(n ast.Node, text string) {
	m.replace(n.Pos(), n.End(), text, m.source(n)+" becomes "+text)
}

func (m *mutator) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		m.condition(n.Cond)
	case *ast.SwitchStmt:
		if n.Tag == nil {
			m.cases(n.Body)
		}
	case *ast.BlockStmt:
		m.statements(n.List)
	case *ast.CaseClause:
		m.statements(n.Body)
	case *ast.CommClause:
		m.statements(n.Body)
	case *ast.BinaryExpr:
		m.binary(n)
	case *ast.CompositeLit:
		m.fields(n)
	}
	return true
}

// condition negates a condition, and takes it for never true.
func (m *mutator) condition(c ast.Expr) {
	m.negated[c] = true
	m.instead(c, "!("+m.source(c)+")")
	m.instead(c, "false && ("+m.source(c)+")")
}

func (m *mutator) cases(body *ast.BlockStmt) {
	for _, clause := range body.List {
		for _, c := range clause.(*ast.CaseClause).List {
			m.condition(c)
		}
	}
}

// swapped are the operators that take each other's place.
var swapped = map[token.Token]string{
	token.LAND: "||", token.LOR: "&&", token.EQL: "!=", token.NEQ: "==",
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.ADD: "-", token.SUB: "+",
}

func (m *mutator) binary(n *ast.BinaryExpr) {
	operator, left, right := swapped[n.Op], m.source(n.X), m.source(n.Y)
	if operator == "" || m.negated[n] && (n.Op == token.EQL || n.Op == token.NEQ) {
		return
	}
	m.instead(n, left+" "+operator+" "+right)
	if n.Op == token.LAND || n.Op == token.LOR {
		m.instead(n, left)
		m.instead(n, right)
		return
	}
	m.offByOne(n.X)
	m.offByOne(n.Y)
}

func (m *mutator) offByOne(n ast.Expr) {
	if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.INT {
		if number, err := strconv.Atoi(literal.Value); err == nil {
			m.instead(n, strconv.Itoa(number+1))
		}
	}
}

// constants makes constant counts larger by one. How long something waits is tuned, not decided.
func (m *mutator) constants(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		if values, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.CONST {
			m.function = values.Names[0].Name
			for _, v := range values.Values {
				m.offByOne(v)
			}
		}
	}
}

// statements drops calls and assignments.
func (m *mutator) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if !strings.Contains(m.source(s.X), "Log.") {
				m.drop(s, "")
			}
		case *ast.IncDecStmt, *ast.DeferStmt, *ast.GoStmt:
			m.drop(s, "")
		case *ast.AssignStmt:
			m.assignment(s)
		}
	}
}

func (m *mutator) drop(n ast.Node, text string) {
	m.replace(n.Pos(), n.End(), text, "drop "+m.source(n))
}

// assignment drops an assignment, or each part of one to several.
func (m *mutator) assignment(s *ast.AssignStmt) {
	if s.Tok == token.DEFINE {
		return
	}
	m.drop(s, "")
	if len(s.Lhs) == 1 || len(s.Lhs) != len(s.Rhs) {
		return
	}
	for i := range s.Lhs {
		var left, right []string
		for k := range s.Lhs {
			if k != i {
				left, right = append(left, m.source(s.Lhs[k])), append(right, m.source(s.Rhs[k]))
			}
		}
		part := m.source(s.Lhs[i]) + " = " + m.source(s.Rhs[i])
		m.replace(s.Pos(), s.End(), strings.Join(left, ", ")+" = "+strings.Join(right, ", "), "drop "+part)
	}
}

// words are the fields that hold no decision, only what people read.
var words = []string{"Cause", "Detail", "Said", "Remedy"}

// fields drops the fields of a struct.
func (m *mutator) fields(n *ast.CompositeLit) {
	for _, e := range n.Elts {
		field, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		if name, ok := field.Key.(*ast.Ident); !ok || slices.Contains(words, name.Name) {
			continue
		}
		rest := m.text[m.offset(field.End()):]
		end := field.End()
		if trimmed := strings.TrimLeft(rest, " \t\n"); strings.HasPrefix(trimmed, ",") {
			end += token.Pos(len(rest) - len(trimmed) + 1)
		}
		m.replace(field.Pos(), end, "", "drop field "+m.source(field))
	}
}

// leaveAtOnce returns from a function before it does anything.
func (m *mutator) leaveAtOnce(d *ast.FuncDecl) {
	for _, result := range nothing(d.Type.Results) {
		leave := strings.TrimSpace("return " + result)
		m.replace(d.Body.Lbrace+1, d.Body.Lbrace+1, " if true { "+leave+" };", leave+" at once")
	}
}

// nothing are the ways to leave a function with nothing done, if it is known how.
func nothing(results *ast.FieldList) []string {
	switch {
	case results == nil, len(results.List[0].Names) > 0:
		return []string{""}
	case len(results.List) > 1:
		return nil
	}
	switch t := results.List[0].Type.(type) {
	case *ast.StarExpr, *ast.MapType, *ast.ArrayType:
		return []string{"nil"}
	case *ast.Ident:
		return map[string][]string{"error": {"nil"}, "bool": {"true", "false"}}[t.Name]
	}
	return nil
}
