package fleet

import (
	"testing"
	"time"
)

func member(name string, joined int64, change func(*Member)) Member {
	m := Member{Station: name, Joined: joined, Trees: []Tree{{Name: "shoots", Online: true}, {Name: "more", Online: true}}}
	if change != nil {
		change(&m)
	}
	return m
}

func ill(m *Member)     { m.Trouble = "the service refuses the password" }
func resting(m *Member) { m.Resting = time.Minute }
func longer(m *Member)  { m.Resting = 2 * time.Minute }
func differs(m *Member) { m.Trees[0].Differs = "frames" }
func offline(m *Member) { m.Trees[1].Online = false }
func away(m *Member)    { m.Trees = nil }
func lacking(m *Member) { m.Trees = m.Trees[:1] }
func bare(m *Member)    { m.Trees[0].Online, m.Trees[1].Online = false, false }

// TestNext: the station that has joined first and is well takes the work.
func TestNext(t *testing.T) {
	for _, test := range []struct {
		what    string
		members []Member
		want    string
	}{
		{"nobody", nil, ""},
		{"the one that has joined first", []Member{member("anna", 7, nil), member("bert", 3, nil)}, "bert"},
		{"none that is ill", []Member{member("anna", 1, ill), member("bert", 3, nil)}, "bert"},
		{"none that rests", []Member{member("anna", 1, resting), member("bert", 3, nil)}, "bert"},
		{"one that rests where no other is well", []Member{member("anna", 1, ill), member("bert", 3, resting)}, "bert"},
		{"the one that rests shorter where all rest", []Member{member("anna", 1, longer), member("bert", 3, resting)}, "bert"},
		{"none with other settings, also alone", []Member{member("anna", 1, differs)}, ""},
		{"none without its drive while another has all", []Member{member("anna", 1, offline), member("bert", 3, nil)}, "bert"},
		{"none that lacks a tree while another has all", []Member{member("anna", 1, lacking), member("bert", 3, nil)}, "bert"},
		{"one without its drive when none has all", []Member{member("anna", 1, offline), member("bert", 3, lacking)}, "anna"},
		{"none without any drive while another has one, where none has all", []Member{member("anna", 1, bare), member("bert", 3, offline)}, "bert"},
	} {
		if got := Next(test.members); got != test.want {
			t.Errorf("%s: %q, want %q", test.what, got, test.want)
		}
	}
}

// TestGivesUp: who cannot work leaves it to one that can, and else keeps it.
func TestGivesUp(t *testing.T) {
	well, other := member("anna", 1, nil), member("bert", 2, nil)
	for _, test := range []struct {
		what   string
		me     Member
		others []Member
		want   bool
	}{
		{"well", well, []Member{other}, false},
		{"ill, and another is well", member("anna", 1, ill), []Member{other}, true},
		{"ill, as all are", member("anna", 1, ill), []Member{member("bert", 2, ill)}, false},
		{"alone", member("anna", 1, ill), nil, false},
		{"its drive is away", member("anna", 1, offline), []Member{other}, true},
		{"its drive is away, as everywhere", member("anna", 1, offline), []Member{member("bert", 2, offline)}, false},
		{"ill, and another is well and has not its drive", member("anna", 1, ill), []Member{member("bert", 2, offline)}, true},
		{"ill, and another is well, where none has all", member("anna", 1, func(m *Member) { ill(m); offline(m) }), []Member{member("bert", 2, lacking)}, true},
		{"ill, and another is well and has no drive", member("anna", 1, ill), []Member{member("bert", 2, away)}, false},
		{"its drive is away, and another lacks a tree", member("anna", 1, offline), []Member{member("bert", 2, lacking)}, false},
		{"its drives are away, and another has one, where none has all", member("anna", 1, bare), []Member{member("bert", 2, offline)}, true},
		{"resting, and another is well", member("anna", 1, resting), []Member{other}, true},
		{"resting, and another has not its drive", member("anna", 1, resting), []Member{member("bert", 2, offline)}, false},
		{"resting, and nobody has a drive", member("anna", 1, func(m *Member) { resting(m); bare(m) }), []Member{member("bert", 2, bare)}, false},
		{"the other one rests", member("anna", 1, ill), []Member{member("bert", 2, resting)}, false},
	} {
		if got := GivesUp(test.me, append(test.others, test.me)); got != test.want {
			t.Errorf("%s: %t", test.what, got)
		}
	}
}

// TestRest: it doubles up to half an hour, and is a minute again after a long epoch.
func TestRest(t *testing.T) {
	now := time.Unix(1e9, 0)
	var r Rest
	if r.Length(now) != 0 || !r.MayBegin(now) {
		t.Error("a station rests before it ever worked")
	}
	for _, want := range []int{1, 2, 4, 8, 16, 30, 30} {
		r = r.After(now.Add(-time.Minute), now)
		length := time.Duration(want) * time.Minute
		if r.Length(now.Add(length-time.Second)) != length || r.Length(now.Add(length)) != 0 {
			t.Errorf("it is over another time than after %v", length)
		}
	}
	if r = r.After(now.Add(-time.Hour), now); r.Length(now) != time.Minute {
		t.Error("after a long epoch it rests longer than a minute")
	}
	if r.MayBegin(now.Add(4*time.Second)) || !r.MayBegin(now.Add(5*time.Second)) {
		t.Error("it begins another time than after 5 seconds where no other station can")
	}
}
