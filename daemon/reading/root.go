package reading

import (
	"strings"
	"sync/atomic"

	"spinsync/daemon/plan"
	"spinsync/daemon/products"
	"spinsync/watcher/volume"
)

// A Root is one watched tree with its rules.
type Root struct {
	Path     string
	Poll     bool   // it is read without events
	Name     string // of the tree in a fleet, whose other stations watch it too; empty at a computer alone
	Rules    plan.Rules
	Digest   string
	Ignores  func(folder string) bool   // the configuration leaves this product folder alone
	Products *products.File             // nil for none
	Volume   volume.Identity            // as recorded
	Mounts   map[string]volume.Identity // below it, as recorded
	Aside    []string                   // folders that wait for their drive, as recorded

	Known atomic.Bool // as recorded
	Added bool        // it came while the state file was in use, as recorded
	Met   bool        // the state file has heard of the root

	Readers chan struct{} // one for each frame that is read
}

// SettingsOf is the recorded form of the rules and the row by which a folder at rest was judged.
func (r *Root) SettingsOf(row products.Row) string { return r.Digest + row.Digest }

// MayRest reports whether a folder that came to rest was judged by the rules of the root. Its row
// plays no part: judgeAgain compares the rows once the products file was read.
func (r *Root) MayRest(settings string) bool {
	return settings == r.Digest || r.Products != nil && strings.HasPrefix(settings, r.Digest+"+")
}
