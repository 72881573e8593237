package cli

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"spinsync/cmd/spinsync/terminal"
)

// Confirm asks a person. Reading from a terminal cannot be interrupted, so an unanswered question
// is left behind when the context ends.
func (call *Call) Confirm(ctx context.Context, question string) bool {
	fmt.Fprint(call.Stderr, terminal.Printable(question), " [yes/no] ")
	answer := make(chan string, 1)
	go func() {
		line, err := bufio.NewReader(call.Stdin).ReadString('\n')
		if _, person := terminal.IsTerminal(call.Stdin); err != nil || !person {
			fmt.Fprintln(call.Stderr) // no typed line break ended the question
		}
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case said := <-answer:
		return said == "yes" || said == "y"
	case <-ctx.Done():
		return false
	}
}
