package setup

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"spinsync/apiclient"
	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon/config"
)

// questions asks a person, or reads the answers that a script has piped in.
type questions struct {
	in     *bufio.Reader
	out    io.Writer
	person bool // who may answer again
}

func newQuestions(call *cli.Call) *questions {
	_, person := terminal.IsTerminal(call.Stdin)
	return &questions{in: bufio.NewReader(call.Stdin), out: call.Stdout, person: person}
}

// until asks until accept is content. suggested is what an empty answer means; it may be empty,
// which is no answer then. For a script a wrong answer is wrong usage, and a failed call is not.
func (q *questions) until(question, suggested string, accept func(string) error) error {
	for {
		answer, err := q.line(question, suggested)
		if err != nil {
			return err
		}
		switch err = accept(answer); {
		case err == nil:
			return nil
		case !errors.As(err, new(*apiclient.Error)):
			err = cli.Usage(err)
		}
		if err := q.wrong(err); err != nil {
			return err
		}
	}
}

func (q *questions) line(question, suggested string) (string, error) {
	for {
		fmt.Fprint(q.out, terminal.Printable(question))
		if suggested != "" {
			fmt.Fprintf(q.out, " [%s]", terminal.Printable(suggested))
		}
		fmt.Fprint(q.out, ": ")
		answer, err := q.read()
		switch {
		case answer != "":
			return answer, nil
		case suggested != "" && err == nil:
			return suggested, nil
		case err != nil:
			return "", cli.Usagef("the answers end before the %s", question)
		case !q.person:
			return "", cli.Usagef("no %s was given", question)
		}
	}
}

// read returns the next line. Piped input is not echoed, so read ends the line on the screen
// itself.
func (q *questions) read() (string, error) {
	line, err := q.in.ReadString('\n')
	if !q.person {
		fmt.Fprintln(q.out)
	}
	return strings.TrimSpace(line), err
}

// end refuses piped lines after the last answer: nothing would read them. It quotes none, because
// one may be the password.
func (q *questions) end() error {
	for !q.person {
		line, err := q.in.ReadString('\n')
		switch {
		case strings.TrimSpace(line) != "":
			return cli.Usagef("the answers go on after the folder, which is the last one; remove the lines after it")
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
	return nil
}

// wrong shows a person why an answer was refused. For a script it is the end.
func (q *questions) wrong(err error) error {
	if !q.person {
		return err
	}
	_, err = fmt.Fprintf(q.out, "  %s\n", terminal.PrintableLines(err.Error()))
	return err
}

// secret asks for a password, of which nothing is shown.
func (q *questions) secret(call *cli.Call, s config.Service) (apiclient.Secret, error) {
	if q.person {
		return call.AskPassword(s)
	}
	fmt.Fprint(q.out, "password: ")
	line, _ := q.in.ReadString('\n')
	fmt.Fprintln(q.out)
	if line = strings.TrimRight(line, "\r\n"); line == "" {
		return "", cli.Usagef("no password was given")
	}
	return apiclient.Secret(line), nil
}
