package plan

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"
	"time"
)

// TestEveryActionHasItsRow: an action that is added gets traits, and none is left over.
func TestEveryActionHasItsRow(t *testing.T) {
	declared := actionsInSource(t)
	for a := range declared {
		if _, ok := Actions[a]; !ok {
			t.Errorf("%q has no traits", a)
		}
	}
	for a := range Actions {
		if !declared[a] {
			t.Errorf("%q is no action", a)
		}
	}
}

// actionsInSource are the constants of type action.
func actionsInSource(t *testing.T) map[Action]bool {
	file, err := parser.ParseFile(token.NewFileSet(), "actions.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	declared := map[Action]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, is := n.(*ast.ValueSpec)
		if !is || len(spec.Values) != 1 {
			return true
		}
		if kind, is := spec.Type.(*ast.Ident); is && kind.Name == "Action" {
			text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			declared[Action(text)] = true
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
	for a, is := range Actions {
		if is.asks != nil && is.Passes != ServiceBreaker && is.Passes != StatusBreaker {
			t.Errorf("%q asks for the status past the breaker", a)
		}
	}
}

// TestWhenAWaitIsDue: a wait ends with what it waits for, or earlier for its frames.
func TestWhenAWaitIsDue(t *testing.T) {
	sooner, later := time.Unix(1, 0), time.Unix(2, 0)
	for _, test := range []struct {
		step Step
		want time.Time
	}{
		{Step{Action: Wait, Until: sooner}, sooner},
		{Step{Action: Wait, Until: sooner, framesAt: later}, sooner},
		{Step{Action: Wait, Until: later, framesAt: sooner}, sooner},
		{Step{Action: Wait, framesAt: later}, later},
		{Step{Action: Idle, Until: sooner, framesAt: later}, later},
		{Step{Action: Idle, Until: sooner}, time.Time{}},
	} {
		if got := test.step.Due(); !got.Equal(test.want) {
			t.Errorf("%+v is due at %s", test.step, got)
		}
	}
}
