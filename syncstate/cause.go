package syncstate

import (
	"slices"
	"time"
)

// A Kind names a reason. Package daemon/status lists the kinds, and knows the sentence of each.
type Kind string

// A Cause is why a folder is in its state: a kind, and the arguments of its sentence. The sentence
// is made where it is shown. Nothing is decided from the words in Text and Remedy, so that a
// reworded message changes nothing that a record leads to.
type Cause struct {
	Kind   Kind          `json:"kind"`
	Name   string        `json:"name,omitempty"`   // of a file, folder, project or host
	Other  string        `json:"other,omitempty"`  // a second name
	Count  int           `json:"count,omitempty"`  // of files, images, products or bytes
	Of     int           `json:"of,omitempty"`     // the number there should be; 0 = unknown
	For    time.Duration `json:"for,omitempty"`    // how long something takes
	Text   string        `json:"text,omitempty"`   // words of the system, the service or a check
	Remedy string        `json:"remedy,omitempty"` // what helps, in words
	Parts  []Cause       `json:"parts,omitempty"`
}

// Same reports whether two causes are of one kind, with the same arguments. Nil is no cause.
func (c *Cause) Same(d *Cause) bool {
	if c == nil || d == nil {
		return c == d
	}
	return c.Kind == d.Kind && c.Name == d.Name && c.Other == d.Other && c.Count == d.Count &&
		c.Of == d.Of && c.For == d.For && c.Text == d.Text && c.Remedy == d.Remedy &&
		slices.EqualFunc(c.Parts, d.Parts, func(a, b Cause) bool { return a.Same(&b) })
}

// Is reports whether a cause is of this kind.
func (c *Cause) Is(k Kind) bool { return c != nil && c.Kind == k }
