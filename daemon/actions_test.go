package daemon

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"
)

// TestEveryActionHasItsRow: an action that is added gets traits and a deed, and none is left over.
func TestEveryActionHasItsRow(t *testing.T) {
	declared := actionsInSource(t)
	for a := range declared {
		if _, ok := actions[a]; !ok {
			t.Errorf("%q has no traits", a)
		}
		if waits := a == rest || a == wait; (deeds[a] == nil) != waits {
			t.Errorf("%q waits %t, and has a deed %t", a, waits, deeds[a] != nil)
		}
	}
	for a := range actions {
		if !declared[a] {
			t.Errorf("%q is no action", a)
		}
	}
	if len(deeds) != len(actions)-2 {
		t.Errorf("%d deeds for %d actions, of which two wait", len(deeds), len(actions))
	}
}

// actionsInSource are the constants of type action.
func actionsInSource(t *testing.T) map[action]bool {
	file, err := parser.ParseFile(token.NewFileSet(), "actions.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	declared := map[action]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, is := n.(*ast.ValueSpec)
		if !is || len(spec.Values) != 1 {
			return true
		}
		if kind, is := spec.Type.(*ast.Ident); is && kind.Name == "action" {
			text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			declared[action(text)] = true
		}
		return true
	})
	if len(declared) < 20 {
		t.Fatalf("only %d actions are found", len(declared))
	}
	return declared
}

// TestRequestsPassABreaker: every action that begins with a status request passes the breaker of
// the service.
func TestRequestsPassABreaker(t *testing.T) {
	for a, is := range actions {
		if is.asks != nil && is.passes != service && is.passes != serviceStatus {
			t.Errorf("%q asks for the status past the breaker", a)
		}
	}
}
