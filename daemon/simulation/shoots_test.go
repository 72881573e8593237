package simulation

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/syncstate"
)

// TestPhotosOfTwoShoots: where some photos took the place of others, a set is of two shoots until the rest
// did, too. Nothing tells a photo that was worked on from one that was shot anew.
func TestPhotosOfTwoShoots(t *testing.T) {
	for states, want := range map[string]bool{ // a letter is a shoot, a small one is worked on
		"AAA":                  true,
		"AAA BAA BBA BBB":      true,
		"AAA BAA BBA":          false,
		"AAA BAA BBA BBB CBB":  false,
		"AAA BAA BBA CBA CBB":  false, // the first one began a shoot again
		"AAA ABA BBA ~CBA CBB": true,  // too soon for that
		"AAA AAa":              true,
		"AAA AAa BAa":          false,
		"AAA AAa BAa Baa":      true,
		"AAA Aaa aaa Baa":      false,
		"AAA _AA BAA":          true, // into an empty place
		"AAA BAA - BAA":        false,
	} {
		f := historyOf(states)
		last := f.history[len(f.history)-1]
		revision := sandbox.Entry{Time: last.since.Add(f.root.settle)}
		for _, s := range last.frames {
			revision.Files = append(revision.Files, sandbox.File{SHA256: s.sum})
		}
		if got := new(world).isOneShoot(moment{f, last}, revision); got != want {
			t.Errorf("%s is of one shoot: %t", states, got)
		}
	}
}

// historyOf makes a folder that had each set of photos for as long as it takes to settle, those before a ~
// for less. An underscore is an empty place, and in the state - the folder is away.
func historyOf(states string) *folder {
	f := &folder{root: &root{rootPlan: rootPlan{settle: 5 * time.Second}, leastQuiet: time.Hour}}
	now, known := time.Now(), map[int]shot{}
	for _, photos := range strings.Fields(states) {
		if strings.HasPrefix(photos, "~") {
			now = now.Add(time.Second)
		} else {
			now = now.Add(f.root.settle)
		}
		st := state{since: now, present: photos != "-"}
		for i, sum := range strings.Split(strings.Trim(photos, "~-"), "") {
			if known[i].sum != sum {
				shoot := int(strings.ToUpper(sum)[0])
				known[i] = shot{name: fmt.Sprint(i), sum: sum, whole: true, shoot: shoot, came: now}
			}
			st.frames = append(st.frames, known[i])
		}
		st.frames = slices.DeleteFunc(st.frames, func(s shot) bool { return s.sum == "_" })
		f.history = append(f.history, st)
	}
	return f
}

// TestPhotosThatAreFound: the times of photos that a process finds speak for them, unless an earlier one knew
// the folder, and had not published it.
func TestPhotosThatAreFound(t *testing.T) {
	for _, test := range []struct {
		states string
		known  []bool // to each process
		want   bool
	}{
		{"AAA AAB", nil, false}, {"AAA AAB", []bool{false}, true}, {"AAA AAB", []bool{true}, false},
		{"AAA AAB", []bool{false, true}, true}, {"AAA BAA", []bool{false}, false},
	} {
		f := historyOf(test.states)
		last := f.history[len(f.history)-1]
		for i := range last.frames {
			last.frames[i].modified = last.frames[i].came
		}
		w, at := new(world), last.since
		for _, known := range test.known {
			at = at.Add(time.Second)
			w.starts = append(w.starts, start{at, map[syncstate.Folder]bool{{Root: f.root.path, Path: f.name}: known}})
		}
		if got := w.isFoundInOrder(f, last.frames, at.Add(time.Second)); got != test.want {
			t.Errorf("%s, known %t: %t", test.states, test.known, got)
		}
	}
}
