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
	// Resting is how long it rests in all, after it gave the work up or lost it; 0 when it does not.
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

// Next is the station that is to be active when none is; empty for none. It is well, and has joined first.
// One that rests is not it while another does not, or rests shorter, nor one without all trees while another
// has all.
func Next(members []Member) string {
	able := slices.DeleteFunc(slices.Clone(members), func(m Member) bool { return !m.isWell() })
	for _, is := range []func(Member) bool{Member.isAble, func(m Member) bool { return m.hasAll(members) }} {
		if better := slices.DeleteFunc(slices.Clone(able), func(m Member) bool { return !is(m) }); len(better) > 0 {
			able = better
		}
	}
	if len(able) == 0 {
		return ""
	}
	return slices.MinFunc(able, func(a, b Member) int {
		return cmp.Or(cmp.Compare(a.Resting, b.Resting), cmp.Compare(a.Joined, b.Joined), cmp.Compare(a.Station, b.Station))
	}).Station
}

// GivesUp reports whether the active station is to leave the work to another: it cannot do it and another one
// can for some trees, or it has not all trees and another one that can has them.
func GivesUp(me Member, members []Member) bool {
	return slices.ContainsFunc(members, func(m Member) bool {
		better := !me.isAble() && slices.ContainsFunc(m.Trees, isOnline) || !me.hasAll(members) && m.hasAll(members)
		return m.Station != me.Station && m.isAble() && better
	})
}

func (m Member) isAble() bool { return m.isWell() && m.Resting == 0 }

func (m Member) isWell() bool {
	return m.Trouble == "" && !slices.ContainsFunc(m.Trees, func(t Tree) bool { return t.Differs != "" })
}

func isOnline(t Tree) bool { return t.Online }

// hasAll reports whether a station can read each tree that any has.
func (m Member) hasAll(members []Member) bool {
	for _, other := range members {
		for _, tree := range other.Trees {
			has := func(t Tree) bool { return t.Name == tree.Name && t.Online }
			if !slices.ContainsFunc(m.Trees, has) {
				return false
			}
		}
	}
	return true
}

const (
	leastRest    = 5 * time.Second // where no other station can begin
	shortestRest = time.Minute
	longestRest  = 30 * time.Minute
)

// A Rest is how long a station leaves the work to any other that is well after it gave it up or lost it.
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
