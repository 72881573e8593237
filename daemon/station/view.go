package station

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"spinsync/daemon/fleet"
	"spinsync/syncstate/cluster"
)

const (
	memberKeys   = "members/"
	settingsKeys = "settings/"
	seenKeys     = "seen/"
)

// seen is a station that took part at a time, by its own clock. It stays when the station has gone.
type seen struct {
	Schema int       `json:"schema"`
	At     time.Time `json:"at"`
}

// A view is what a station knows of the others. Only the goroutine that decides uses it.
type view struct {
	at       int64 // the revision up to which it is whole; 0 before the first list
	active   string
	members  map[string]fleet.Member
	changed  map[string]int64             // revision of each key of a member or of settings
	settings map[string]map[string]string // of the trees
}

// entries are those of the cluster at a revision: all of them, or those that it changed.
type entries struct {
	revision int64
	all      bool
	list     []cluster.Entry
}

func (v *view) take(now entries) {
	switch {
	case now.all:
		*v = view{members: map[string]fleet.Member{}, changed: map[string]int64{}, settings: map[string]map[string]string{}}
	case now.revision <= v.at:
		return // the list had it
	}
	v.at = now.revision
	for _, e := range now.list {
		v.entry(e)
	}
}

func (v *view) entry(e cluster.Entry) {
	if e.Key == cluster.ActiveKey {
		v.active = cluster.ActiveIn(e)
	}
	if name, is := strings.CutPrefix(e.Key, memberKeys); is {
		delete(v.members, name)
		v.changed[e.Key] = e.Changed
		if m, ok := decoded[fleet.Member](e); ok {
			v.members[name] = m
		}
	}
	if tree, is := strings.CutPrefix(e.Key, settingsKeys); is {
		v.changed[e.Key] = e.Changed
		v.settings[tree], _ = decoded[map[string]string](e)
	}
}

// decoded is the value of an entry. What cannot be read counts as not there.
func decoded[T any](e cluster.Entry) (v T, ok bool) {
	ok = e.Value != nil && json.Unmarshal(e.Value, &v) == nil
	return v, ok
}

// list are the members, by the time for which they stand.
func (v *view) list() []fleet.Member {
	return slices.SortedFunc(maps.Values(v.members), func(a, b fleet.Member) int {
		return cmp.Or(cmp.Compare(a.Joined, b.Joined), cmp.Compare(a.Station, b.Station))
	})
}

// differs is a setting of a tree that is another one than the fleet's; empty for none.
func (v *view) differs(tree string, own map[string]string) string {
	theirs, known := v.settings[tree]
	if !known || theirs == nil {
		return ""
	}
	for _, key := range slices.Sorted(maps.Keys(own)) {
		if theirs[key] != own[key] {
			return key
		}
	}
	return ""
}

// encoded is a value as the cluster has it.
func encoded(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // texts only
	}
	return data
}
