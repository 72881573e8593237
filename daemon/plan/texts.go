package plan

import (
	"fmt"
	"maps"

	"spinsync/daemon/alttext"
	"spinsync/syncstate"
)

// Texts are the alt texts that the folder's sidecars give, by file and locale.
type Texts struct {
	Said   alttext.Texts // nil when they were not read yet
	Partly bool          // a sidecar was not read: a missing text is not withdrawn
}

// An AltChange is an image whose alt texts Want replaces.
type AltChange struct {
	Frame  int // index into the published frames
	Want   map[string]string
	Set    map[string]string // the frame's AltSet with that
	Stored map[string]string // what the service made of it; nil before its answer
}

// Changes lists the published images whose texts differ from the wanted ones, and those whose texts
// the folder withdrew after others had removed or replaced them: nothing is sent for these.
func (t Texts) Changes(published *syncstate.Published) []AltChange {
	var changes []AltChange
	for i, f := range published.Frames {
		said, service := t.of(f), WithCarried(f.AltCarry, f.Alt)
		set, offered := maps.Clone(said), maps.Clone(said)
		maps.DeleteFunc(offered, func(locale, text string) bool { return f.AltSet[locale] == text && service[locale] == "" })
		want, _ := alttext.Merge(f.AltSet, offered, service)
		maps.DeleteFunc(set, func(locale, text string) bool {
			return f.AltSet[locale] != text && (want[locale] != text || service[locale] == text)
		})
		if !maps.Equal(want, f.Alt) || !maps.Equal(set, f.AltSet) {
			changes = append(changes, AltChange{Frame: i, Want: want, Set: set})
		}
	}
	return changes
}

// of are the folder's texts of a frame. Those that were not read count as they were last set.
func (t Texts) of(f syncstate.Frame) map[string]string {
	said := t.Of(f.Name)
	if t.Partly {
		said = WithCarried(said, f.AltSet)
	}
	return said
}

// Of are the texts of a file by locale.
func (t Texts) Of(name string) map[string]string {
	said := map[string]string{}
	for locale, text := range t.Said[name] {
		said[locale] = text.Value
	}
	return said
}

// WithCarried lays the texts of a frame's previous image below those of its new one.
func WithCarried(service, carried map[string]string) map[string]string {
	all := maps.Clone(carried)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, service)
	return all
}

// ProblemsInShort is the first problem, and how many more there are.
func ProblemsInShort(problems []alttext.Problem) string {
	switch n := len(problems); n {
	case 0:
		return ""
	case 1:
		return problems[0].String()
	default:
		return fmt.Sprintf("%s (and %d more)", problems[0], n-1)
	}
}
