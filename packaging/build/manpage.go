package main

import (
	"fmt"
	"strings"
	"time"
)

// settingsPage is sync.toml(5) in roff, made from sync.toml.example: a section for each table, its
// comments as text and its keys in bold.
func settingsPage(example string, dated time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH \"SYNC.TOML\" \"5\" \"%s\" \"spinsync\" \"spinsync\"\n", dated.UTC().Format("Jan 2006"))
	b.WriteString(".SH NAME\nsync.toml \\- the settings of spinsync\n.SH DESCRIPTION\n.nf\n")
	key := false // the line before was one
	for line := range strings.Lines(example) {
		line = strings.TrimRight(line, "\r\n")
		comment, isComment := strings.CutPrefix(line, "# ")
		if key && isComment {
			b.WriteString("\n")
		}
		key = false
		switch {
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]"):
			fmt.Fprintf(&b, ".fi\n.SH \"%s\"\n.nf\n", roff(line))
		case isComment || line == "#" || line == "":
			b.WriteString(roff(strings.TrimPrefix(comment, "#")) + "\n")
		default: // a key, also one that is switched off
			key = true
			b.WriteString("\\fB" + roff(strings.TrimPrefix(line, "#")) + "\\fR\n")
		}
	}
	b.WriteString(".fi\n.SH SEE ALSO\n\\fBspinsync(1)\\fR, \\fBspinsync-check(1)\\fR\n")
	return b.String()
}

// roff is a line of text as roff wants it: nothing in it is a request, and its signs stay as they are.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(text)
	if strings.HasPrefix(text, ".") {
		return `\&` + text
	}
	return text
}
