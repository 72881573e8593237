// Package fleet decides which station of a fleet is active, from what its members show of themselves.
// It is pure: all stations that see the same members decide the same.
package fleet

import (
	"cmp"
	"slices"
	"time"
)

// A Member is a station as it stands in the cluster.
type Member struct {
	Station string    `json:"station"`
	Joined  int64     `json:"joined"` // the revision at which it joined
	Since   time.Time `json:"since"`  // the same for people, by its own clock
	Version string    `json:"version"`
	Trees   []Tree    `json:"trees"`
	Trouble string    `json:"trouble,omitempty"` // why it could not publish now; empty while it could
	Cluster string    `json:"cluster,omitempty"` // what it finds wrong with the cluster
	// Resting is how long it rests in all, after it lost the work or could not do it; 0 when it does not.
	Resting time.Duration `json:"resting,omitempty"`
	// GaveUp is the trouble for which it gave the work up, while it rests: a standby asks the service
	// nothing, and does not know whether that is over.
	GaveUp string `json:"gave_up,omitempty"`
}

// A Tree is one of the fleet's trees as a station has it.
type Tree struct {
	Name   string `json:"name"`
	Online bool   `json:"online"`
	// Another: it is not online because another tree is in its place.
	Another bool `json:"another,omitempty"`
	// Differs is the setting that is another one than the fleet's; empty for none.
	Differs string `json:"differs,omitempty"`
}

// Next is the station that begins when none is active; empty for none. Of those that are well it joined first.
// One that rests is not it while another does not, or rests shorter, nor one that can read fewer trees than
// another.
func Next(members []Member) string {
	able := slices.DeleteFunc(slices.Clone(members), func(m Member) bool { return !m.IsWell() })
	if slices.ContainsFunc(able, Member.isAble) {
		able = slices.DeleteFunc(able, func(m Member) bool { return !m.isAble() })
	}
	if len(able) == 0 {
		return ""
	}
	return slices.MinFunc(able, func(a, b Member) int {
		return cmp.Or(cmp.Compare(b.online(), a.online()), cmp.Compare(a.Resting, b.Resting),
			cmp.Compare(a.Joined, b.Joined), cmp.Compare(a.Station, b.Station))
	}).Station
}

// GivesUp reports whether the active station is to leave the work to another: it cannot do it and another one
// can for some trees, or another one can for more trees, or for as many while this one is to rest.
func GivesUp(me Member, members []Member) bool {
	least := me.online() + 1
	switch {
	case !me.IsWell():
		least = 1
	case !me.isAble():
		least = max(me.online(), 1)
	}
	return slices.ContainsFunc(members, func(m Member) bool {
		return m.Station != me.Station && m.isAble() && m.online() >= least
	})
}

func (m Member) isAble() bool { return m.IsWell() && m.Resting == 0 }

// IsWell reports whether a station could publish what its drives have.
func (m Member) IsWell() bool {
	return m.Trouble == "" && !slices.ContainsFunc(m.Trees, func(t Tree) bool { return t.Differs != "" })
}

// online is how many trees a station can read.
func (m Member) online() (n int) {
	for _, t := range m.Trees {
		if t.Online {
			n++
		}
	}
	return n
}

const (
	leastRest    = 5 * time.Second // where no other station can begin
	shortestRest = time.Minute
	longestRest  = 30 * time.Minute
)

// A Rest is how long a station leaves the work to any other that is well, after it lost it or could not do it.
type Rest struct {
	until  time.Time
	length time.Duration
}

// After is the rest that follows on an epoch that began and ended at these times. A station that keeps
// losing the work rests longer each time.
func (r Rest) After(began, ended time.Time) Rest {
	length := min(max(shortestRest, 2*r.length), longestRest)
	if ended.Sub(began) > longestRest {
		length = shortestRest
	}
	return Rest{ended.Add(length), length}
}

// Length is how long the rest is in all; 0 once it is over.
func (r Rest) Length(now time.Time) time.Duration {
	if now.Before(r.until) {
		return r.length
	}
	return 0
}

// MayBegin reports whether a station may begin again where no other one can.
func (r Rest) MayBegin(now time.Time) bool { return !now.Before(r.until.Add(leastRest - r.length)) }
