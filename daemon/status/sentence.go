package status

import (
	"regexp"
	"strconv"
	"strings"

	"spinsync/syncstate"
)

// Cause and Kind are a reason as it is recorded.
type (
	Cause = syncstate.Cause
	Kind  = syncstate.Kind
)

// A Command writes a command of spinsync for the folder that a sentence is about, between
// backticks.
type Command func(verb string) string

// AnyFolder writes commands where no folder is known, as in the log.
func AnyFolder(verb string) string { return "`spinsync " + verb + "`" }

// Sentence is a cause in words, without a capital and a full stop. It is empty for no cause.
func Sentence(c *Cause, command Command) string {
	if c == nil {
		return ""
	}
	template, known := phrases[c.Kind]
	if !known {
		return string(c.Kind)
	}
	return placeholder.ReplaceAllStringFunc(template, func(p string) string {
		return fill(c, strings.Trim(p, "{}"), command)
	})
}

// HasFrameCount reports whether the sentence of a cause has the number of frames.
func HasFrameCount(c *Cause) bool { return c != nil && strings.Contains(phrases[c.Kind], "{progress}") }

// AsksToDelete reports whether a cause asks a person whether a view may be deleted.
func AsksToDelete(c *Cause) bool { return c != nil && strings.HasPrefix(string(c.Kind), "may delete") }

var placeholder = regexp.MustCompile(`\{[^}]+\}`)

// fill returns the text for a placeholder: an argument of the cause, or a command of spinsync.
func fill(c *Cause, name string, command Command) string {
	switch name {
	case "name":
		return Name(c.Name)
	case "other":
		return Name(c.Other)
	case "count":
		return strconv.Itoa(c.Count)
	case "of":
		return strconv.Itoa(c.Of)
	case "frames":
		return Frames(c.Count)
	case "progress":
		return progress(c.Count, c.Of)
	case "for":
		return Duration(c.For)
	case "text":
		return c.Text
	case "remedy":
		return behind(strings.ReplaceAll(c.Remedy, RetryCommand, command("retry")))
	case "parts":
		return parts(c, command)
	case "also":
		return behind(strings.Join(sentences(c.Parts, command), ", ")) // Count is that of the frames
	}
	return command(name)
}

// RetryCommand is the place in a remedy of the command that tries the folder again.
const RetryCommand = "{retry}"

// behind puts words behind a sentence, if there are any.
func behind(words string) string {
	if words == "" {
		return ""
	}
	return "; " + words
}

func sentences(parts []Cause, command Command) (all []string) {
	for _, p := range parts {
		all = append(all, Sentence(&p, command))
	}
	return all
}

// parts lists the sentences of the first few parts of a cause, and the number of the others.
func parts(c *Cause, command Command) string {
	all := sentences(c.Parts, command)
	if more := c.Count - len(all); len(all) > 0 && more > 0 {
		return strings.Join(all, ", ") + " and " + strconv.Itoa(more) + " more"
	}
	return strings.Join(all, ", ")
}

// mostParts is how many parts of a cause are shown, and recorded.
const mostParts = 3

// List is a cause with the first few of these parts, and the number of all.
func List(kind Kind, all []Cause) *Cause {
	return &Cause{Kind: kind, Count: len(all), Parts: all[:min(len(all), mostParts)]}
}

// Because is a cause without arguments.
func Because(kind Kind) *Cause { return &Cause{Kind: kind} }

// OwnedBy is a cause about a product that another folder has already.
func OwnedBy(folder, sku, title string) *Cause {
	return &Cause{Kind: OthersProduct, Name: folder, Text: "SKU " + Name(sku) + " and title " + Name(title)}
}

// About is a cause about so many frames.
func About(kind Kind, frames int) *Cause {
	return &Cause{Kind: kind, Count: frames}
}
