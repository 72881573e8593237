package simulation

import (
	"regexp"
	"slices"
	"strings"
)

// A swarm is the set of fault kinds that a seed has, by name. Each seed has others, so that a fault
// which ends things early does not hide in all of them what another one does.
type swarm []string

const (
	killing       = "the program is killed"
	failingCommit = "commits fail"
	awayRoots     = "roots go away"
	lateLists     = "lists are late with what is new"
	staleLists    = "lists keep what is gone"
	shortForms    = "upload forms expire soon"
	refusedPhoto  = "one photo is refused"
	refusedFinish = "the finish of some products is refused"

	ignoredCase    = "drives ignore letter case"
	ignoredForm    = "drives ignore the form of letters"
	oldCache       = "network drives tell what was"
	unknownProduct = "the status does not know a product for a moment"

	accountChanges = "another account is used for a while"
)

// faultKinds are all that a seed chooses from, but for the habits of the strict service, which are
// no fault. The lists of the sandbox are never late.
func faultKinds() []string {
	kinds := []string{killing, failingCommit, awayRoots, lateLists, staleLists, shortForms, refusedPhoto}
	for _, m := range mishaps {
		kinds = append(kinds, m.name)
	}
	for _, m := range misfortunes {
		kinds = append(kinds, m.name)
	}
	return append(kinds, refusedFinish)
}

// newSwarm switches each kind on or off.
func newSwarm(seed uint64) swarm {
	r := random(seed, "swarm")
	often := pick(r, 0.1, 0.3, 0.6)
	isOff := func(kind string, drawn bool) bool {
		return !drawn && (*sure == "" || !regexp.MustCompile(*sure).MatchString(kind))
	}
	on := slices.DeleteFunc(faultKinds(), func(kind string) bool { return isOff(kind, chance(r, often)) })
	later := slices.Clone(laterKinds)
	for _, m := range laterMisfortunes {
		later = append(later, m.name)
	}
	on = append(on, slices.DeleteFunc(later, func(kind string) bool {
		return isOff(kind, chance(random(seed, kind), 0.1))
	})...)
	return append(on, slices.DeleteFunc(slices.Clone(askedKinds), func(kind string) bool { return isOff(kind, false) })...)
}

// laterKinds are drawn each by itself, so that another one leaves the days as they were. So are
// laterMisfortunes.
var laterKinds = []string{oldCache, unknownProduct}

// askedKinds are lived only where -sure names them: the judge does not know yet all that follows when
// folders are renamed otherwise, too.
var askedKinds = []string{ignoredCase, ignoredForm}

func (s swarm) has(kind string) bool { return slices.Contains(s, kind) }

func (s swarm) String() string {
	if len(s) == 0 {
		return "nothing goes wrong"
	}
	return strings.Join(s, ", ")
}

// when is one of several where a fault is switched on, and the zero value where it is off.
func when[T any](on bool, one T) (off T) {
	if on {
		return one
	}
	return off
}
