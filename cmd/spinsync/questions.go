package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"spinsync/apiclient"
	"spinsync/daemon/config"
)

// questions asks a person, or reads the answers that a script has piped in.
type questions struct {
	in     *bufio.Reader
	out    io.Writer
	person bool // who may answer again
}

func newQuestions(a *app) *questions {
	_, person := terminal(a.stdin)
	return &questions{in: bufio.NewReader(a.stdin), out: a.stdout, person: person}
}

// until asks until accept is content. suggested is what an empty answer means; it may be empty,
// which is no answer then.
func (q *questions) until(question, suggested string, accept func(string) error) error {
	for {
		answer, err := q.line(question, suggested)
		if err != nil {
			return err
		}
		if err := accept(answer); err == nil {
			return nil
		} else if err := q.wrong(err); err != nil {
			return err
		}
	}
}

func (q *questions) line(question, suggested string) (string, error) {
	for {
		fmt.Fprint(q.out, printable(question))
		if suggested != "" {
			fmt.Fprintf(q.out, " [%s]", printable(suggested))
		}
		fmt.Fprint(q.out, ": ")
		answer, err := q.read()
		switch {
		case answer != "":
			return answer, nil
		case suggested != "" && (err == nil || !q.person):
			return suggested, nil
		case err != nil:
			return "", usageErrorf("the answers end before the %s", question)
		case !q.person:
			return "", usageErrorf("no %s was given", question)
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

// wrong tells a person why an answer was refused. For a script it is the end.
func (q *questions) wrong(err error) error {
	if !q.person {
		return err
	}
	_, err = fmt.Fprintf(q.out, "  %s\n", printableLines(err.Error()))
	return err
}

// secret asks for a password, of which nothing is shown.
func (q *questions) secret(a *app, s config.Service) (apiclient.Secret, error) {
	if q.person {
		return a.askPassword(s)
	}
	fmt.Fprint(q.out, "password: ")
	line, _ := q.in.ReadString('\n')
	fmt.Fprintln(q.out)
	if line = strings.TrimRight(line, "\r\n"); line == "" {
		return "", usageErrorf("no password was given")
	}
	return apiclient.Secret(line), nil
}
