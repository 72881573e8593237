package schedule

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"spinsync/daemon/config"
	"spinsync/syncstate"
)

// A link carries so much per connection, and so much at all.
type link struct{ each, all, noise float64 }

func (l link) rate(n int, random *rand.Rand) float64 {
	return min(l.all, float64(n)*l.each) * (1 + l.noise*(2*random.Float64()-1))
}

// TestTunerFillsLink: whatever limits a link, the number of uploads that is found carries most of
// what it can, for a step that brings little is not taken.
func TestTunerFillsLink(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		random := rand.New(rand.NewPCG(seed, 0))
		l := link{each: rapid.Float64Range(0.01, 10).Draw(t, "each"), all: 1, noise: 0.08}
		tuner := newTuner()
		for range 20 {
			tuner.measured(l.rate(tuner.now, random))
		}
		l.noise = 0
		most := l.rate(slotsAtMost, random)
		if got := l.rate(tuner.now, random); got < 0.7*most {
			t.Errorf("with %d uploads the link carries %.2f of the %.2f it can", tuner.now, got, most)
		}
	})
}

// TestTunerStaysOnFullLink: a line that is full is not crowded with more connections for long.
func TestTunerStaysOnFullLink(t *testing.T) {
	tuner := newTuner()
	crowded := 0
	for range 100 {
		tuner.measured(1)
		if tuner.now > slotsAtFirst {
			crowded++
		}
	}
	if crowded > 15 {
		t.Errorf("%d of 100 measurements were made with more than %d uploads", crowded, slotsAtFirst)
	}
}

// TestTunerTriesAgainWhenRateSinks: a lossy line seems full at first.
func TestTunerTriesAgainWhenRateSinks(t *testing.T) {
	tuner := newTuner()
	for range 6 {
		tuner.measured(12)
	}
	for range 14 {
		tuner.measured(float64(tuner.now) * 0.25)
	}
	if tuner.now != slotsAtMost {
		t.Errorf("%d uploads are in flight on a line that turned out lossy", tuner.now)
	}
}

// TestTunerNoticesASmallLoss: the number that seemed enough at first carries four fifths of the
// line.
func TestTunerNoticesASmallLoss(t *testing.T) {
	tuner := newTuner()
	for range 6 {
		tuner.measured(1)
	}
	if tuner.now != slotsAtFirst {
		t.Fatalf("%d uploads are in flight on a line that looks full with %d", tuner.now, slotsAtFirst)
	}
	for range 10 {
		tuner.measured(min(1, float64(tuner.now)/20))
	}
	if tuner.now <= slotsAtFirst {
		t.Errorf("%d uploads are left on a line that needs 20", tuner.now)
	}
}

// TestTunerFollowsHost: a host that throttles is left alone, and what it can take is found again.
func TestTunerFollowsHost(t *testing.T) {
	tuner := newTuner()
	for range 10 {
		tuner.shrink()
	}
	if tuner.now != slotsAtLeast {
		t.Fatalf("after refusals there are still %d uploads", tuner.now)
	}
	for range 200 {
		tuner.measured(float64(tuner.now))
	}
	if tuner.now != slotsAtMost {
		t.Errorf("a link that could carry all was left at %d uploads", tuner.now)
	}
}

// TestTunerTakesTheMeanOfTwo: after one measurement that new connections spoil, the mean of two
// counts, and a number that is tried is tried that long as well.
func TestTunerTakesTheMeanOfTwo(t *testing.T) {
	tuner := newTuner()
	for i, step := range []struct {
		rate float64
		want int
	}{
		{99, 16}, {1, 16}, {3, 32}, // the rate is 2; now the double has to carry 2.5
		{0, 32}, {1, 32}, {3.9, 16}, // it does not, and the next is tried after a while
		{0, 16}, {2, 16}, {1.6, 16}, {2, 16}, {1.5, 32},
	} {
		if tuner.measured(step.rate); tuner.now != step.want {
			t.Fatalf("after %d measurements %d uploads are in flight, want %d", i+1, tuner.now, step.want)
		}
	}
}

// TestSlotsFindNumber uploads over a modelled line: with loss each connection carries little, and
// many are found; a full line stays at the first number.
func TestSlotsFindNumber(t *testing.T) {
	for _, line := range []struct {
		name string
		link link
		want int
	}{
		{"lossy", link{each: 300e3, all: 12.5e6}, slotsAtMost},
		{"clean", link{each: 2e6, all: 12.5e6}, slotsAtFirst},
	} {
		t.Run(line.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := NewSlots(config.Upload{}, new(Priorities))
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
				defer cancel()
				var ended sync.WaitGroup
				for i := range 4 {
					ended.Go(func() { uploadForever(ctx, l, line.link, syncstate.Folder{Path: fmt.Sprint(i)}) })
				}
				time.Sleep(10 * time.Second)
				l.mu.Lock()
				got := l.tuner.now
				l.mu.Unlock()
				if got != line.want {
					t.Errorf("%d uploads in flight, want %d", got, line.want)
				}
				cancel()
				ended.Wait()
			})
		})
	}
}

// uploadForever sends files of 2 MB, as many at a time as there are slots.
func uploadForever(ctx context.Context, l *Slots, way link, folder syncstate.Folder) {
	var ended sync.WaitGroup
	defer ended.Wait()
	for l.Enter(ctx, folder) == nil {
		ended.Go(func() {
			defer l.Leave(folder, false)
			for range 16 {
				l.mu.Lock()
				share := min(way.each, way.all/float64(l.taken))
				l.mu.Unlock()
				time.Sleep(time.Duration(128e3 / share * 1e9))
				l.Sent(128e3)
			}
		})
	}
}

// TestWhoGetsASlot: three of four free slots go to the folder in front, which is one that a person
// wants first, then one that a camera writes, then the one that came first. The fourth goes to whoever
// has waited longest.
func TestWhoGetsASlot(t *testing.T) {
	first, second, third := syncstate.Folder{Path: "a"}, syncstate.Folder{Path: "the 2nd"}, syncstate.Folder{Path: "3rd"}
	front := func(prepare func(l *Slots)) (share [3]float64) {
		synctest.Test(t, func(t *testing.T) {
			l := NewSlots(config.Upload{Parallel: 8}, new(Priorities))
			prepare(l)
			held := sendSideBySide(t, l, first, second, third)
			time.Sleep(time.Minute)
			const looks = 1000
			for range looks {
				time.Sleep(100 * time.Millisecond)
				for i, n := range held() {
					share[i] += float64(n) / 8 / looks
				}
			}
		})
		return share
	}
	for name, test := range map[string]struct {
		prepare func(l *Slots)
		front   int
	}{
		"the first": {func(*Slots) {}, 0},
		"a camera":  {func(l *Slots) { l.SetConditions(nil, map[string][]string{"": {second.Path}}) }, 1},
		"a person":  {func(l *Slots) { l.priorities.Set(third, true) }, 2},
		"a person over a camera": {func(l *Slots) {
			l.priorities.Set(third, true)
			l.SetConditions(nil, map[string][]string{"": {second.Path}})
		}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			for i, share := range front(test.prepare) {
				if least := map[bool]float64{true: 0.6, false: 0.05}[i == test.front]; share < least {
					t.Errorf("folder %d has %.2f of the slots, want at least %.2f", i+1, share, least)
				}
			}
		})
	}
}

// sendSideBySide has folders send until the test ends, each coming after the one before it, and
// returns a function that counts their slots.
func sendSideBySide(t *testing.T, l *Slots, folders ...syncstate.Folder) (held func() []int) {
	ctx, cancel := context.WithCancel(t.Context())
	var ended sync.WaitGroup
	t.Cleanup(func() { cancel(); ended.Wait() })
	for _, f := range folders {
		ended.Go(func() { sendForever(ctx, l, f) })
		synctest.Wait()
	}
	return func() []int {
		synctest.Wait()
		l.mu.Lock()
		defer l.mu.Unlock()
		var n []int
		for _, f := range folders {
			n = append(n, l.takenBy[f])
		}
		return n
	}
}

// sendForever sends files that take a second each, no two to the same instant, as many at a time as
// there are slots.
func sendForever(ctx context.Context, l *Slots, folder syncstate.Folder) {
	var ended sync.WaitGroup
	defer ended.Wait()
	for n := time.Duration(len(folder.Path)); l.Enter(ctx, folder) == nil; n += 10 {
		ended.Go(func() {
			time.Sleep(time.Second + n*time.Millisecond)
			l.Leave(folder, false)
		})
	}
}

// TestHungRootKeepsNoSlots: the folders of a drive that does not answer hold every slot, and
// another root goes on.
func TestHungRootKeepsNoSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewSlots(config.Upload{Parallel: 4}, new(Priorities))
		ctx, cancel := context.WithCancel(t.Context())
		var ended sync.WaitGroup
		defer ended.Wait()
		defer cancel()
		for i := range 2 {
			ended.Go(func() {
				for l.Enter(ctx, syncstate.Folder{Root: "hangs", Path: fmt.Sprint(i)}) == nil {
				}
			})
		}
		synctest.Wait()
		well := make(chan error, 4)
		for range cap(well) {
			ended.Go(func() { well <- l.Enter(ctx, syncstate.Folder{Root: "well", Path: "a"}) })
		}
		synctest.Wait()
		if len(well) > 0 {
			t.Fatal("slots were left before anybody knew")
		}
		l.SetConditions(map[string]bool{"hangs": true}, nil)
		synctest.Wait()
		if len(well) != cap(well) || l.taken != 8 {
			t.Errorf("%d uploads of the other root go on, %d slots are taken", len(well), l.taken)
		}
	})
}

// TestSlotsShrink: an overloaded host gets half, once per interval, and any other failure changes
// nothing.
func TestSlotsShrink(t *testing.T) {
	s := NewSlots(config.Upload{}, new(Priorities))
	upload := func(overloaded bool) {
		folder := syncstate.Folder{Path: "a"}
		if err := s.Enter(t.Context(), folder); err != nil {
			t.Fatal(err)
		}
		s.Leave(folder, overloaded)
	}
	upload(false)
	if got := s.Width(); got != slotsAtFirst {
		t.Errorf("a bad file left %d slots", got)
	}
	for range 3 {
		upload(true)
	}
	if got := s.Width(); got != slotsAtFirst/2 {
		t.Errorf("three refusals at once left %d slots, want %d", got, slotsAtFirst/2)
	}
}

// TestOnlyAFullIntervalIsMeasured: the rate of an interval teaches something when uploads waited
// for most of it, and when bytes left all the time.
func TestOnlyAFullIntervalIsMeasured(t *testing.T) {
	type phase struct {
		lasts time.Duration
		waits bool // an upload for a slot
		sends bool // bytes at its end
	}
	const most, rest = measureEvery * 9 / 10, measureEvery / 10
	for name, test := range map[string]struct {
		phases []phase
		want   int
	}{
		"uploads waited":              {[]phase{{measureEvery, true, true}}, 1},
		"for most of the time":        {[]phase{{rest, false, false}, {most, true, true}}, 1},
		"not for most of the time":    {[]phase{{most, false, false}, {rest, true, true}}, 0},
		"none did":                    {[]phase{{measureEvery, false, true}, {measureEvery, false, true}}, 0},
		"none did until it began":     {[]phase{{measureEvery, false, true}, {measureEvery, true, true}}, 1},
		"none did in the middle":      {[]phase{{rest, true, false}, {most, false, true}, {measureEvery, true, true}}, 1},
		"nothing was sent for long":   {[]phase{{4 * measureEvery, true, true}}, 0},
		"nothing was sent for a bit":  {[]phase{{3 * measureEvery, true, true}}, 1},
		"the interval is not over":    {[]phase{{most, true, true}}, 0},
		"the first counts once alone": {[]phase{{measureEvery, true, true}, {rest, true, true}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := NewSlots(config.Upload{Parallel: 1}, new(Priorities))
				s.tuner.skip = 10
				folder := syncstate.Folder{Path: "a"}
				var uploads sync.WaitGroup
				enter := func() { _ = s.Enter(t.Context(), folder) }
				enter()
				for i, p := range test.phases {
					switch waits := len(s.waiting) > 0; {
					case p.waits && !waits:
						uploads.Go(enter)
					case !p.waits && waits:
						s.Leave(folder, false)
					}
					synctest.Wait()
					if i == 0 {
						s.Sent(1)
					}
					time.Sleep(p.lasts)
					if p.sends {
						s.Sent(1)
					}
				}
				if got := 10 - s.tuner.skip; got != test.want {
					t.Errorf("%d intervals were measured, want %d", got, test.want)
				}
				for range s.taken + len(s.waiting) {
					s.Leave(folder, false)
				}
				uploads.Wait()
			})
		})
	}
}

// TestSlotsFollowTheConfiguration: a number in the configuration counts. Else a limit leaves as
// many slots as it feeds, and never more than the tuner found.
func TestSlotsFollowTheConfiguration(t *testing.T) {
	s := NewSlots(config.Upload{}, new(Priorities))
	for _, test := range []struct {
		upload config.Upload
		want   int
	}{
		{config.Upload{Parallel: 3}, 3},
		{config.Upload{Parallel: 3, Limit: slotRate}, 3},
		{config.Upload{Limit: slotRate / 2}, 1},
		{config.Upload{Limit: 5 * slotRate}, 5},
		{config.Upload{Limit: 1000 * slotRate}, slotsAtFirst},
		{config.Upload{}, slotsAtFirst},
	} {
		if s.Configure(test.upload); s.Width() != test.want {
			t.Errorf("%+v leaves %d slots, want %d", test.upload, s.Width(), test.want)
		}
	}
}

// TestSlotsWithdraw: whoever gives up waiting leaves no slot behind.
func TestSlotsWithdraw(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewSlots(config.Upload{Parallel: 1}, new(Priorities))
		folder := syncstate.Folder{Path: "a"}
		if err := l.Enter(t.Context(), folder); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := l.Enter(ctx, folder); err == nil {
			t.Fatal("a slot was given twice")
		}
		l.Leave(folder, false)
		l.PutDown(folder)
		if l.taken != 0 || len(l.waiting) != 0 || len(l.takenBy) != 0 || len(l.arrived) != 0 {
			t.Errorf("%d slots are taken, %d wait", l.taken, len(l.waiting))
		}
	})
}

// TestSlotOfOneThatGaveUp: a slot that comes at the moment at which its applicant gives up is given
// back.
func TestSlotOfOneThatGaveUp(t *testing.T) {
	l := NewSlots(config.Upload{Parallel: 1}, new(Priorities))
	folder := syncstate.Folder{Path: "a"}
	ctx, giveUp := context.WithCancel(t.Context())
	giveUp()
	for range 100 { // by chance the applicant sees the slot or its end first
		if l.Enter(ctx, folder) == nil {
			l.Leave(folder, false)
		}
	}
	if l.taken != 0 || len(l.takenBy) != 0 {
		t.Errorf("%d slots are taken, of %v", l.taken, l.takenBy)
	}
}

// TestPlaceOutlivesAForm: a folder whose form expired while it waited sends nothing for as long as
// it asks for another one. It keeps its place until its worker puts it down.
func TestPlaceOutlivesAForm(t *testing.T) {
	for _, putDown := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			l := NewSlots(config.Upload{Parallel: 4}, new(Priorities))
			first, second := syncstate.Folder{Path: "a"}, syncstate.Folder{Path: "b"}
			for _, f := range []syncstate.Folder{first, second, second, second} {
				if err := l.Enter(t.Context(), f); err != nil {
					t.Fatal(err)
				}
			}
			l.Leave(first, false)
			if putDown {
				l.PutDown(first)
			}
			if err := l.Enter(t.Context(), first); err != nil {
				t.Fatal(err)
			}
			if ahead := l.precedes(first, second); ahead == putDown {
				t.Errorf("put down %v, it goes first %v", putDown, ahead)
			}
		})
	}
}

// The time in which a folder has a slot counts once, however many it has, and from its form on.
func TestHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		key := syncstate.Folder{Path: "Summer/SKU-1"}
		s := NewSlots(config.Upload{Parallel: 2}, nil)
		expect := func(want time.Duration) {
			t.Helper()
			if got := s.Held(key); got != want {
				t.Errorf("held for %s, want %s", got, want)
			}
		}
		for range 2 {
			if err := s.Enter(t.Context(), key); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Minute)
		s.ForgetHeld(key)
		time.Sleep(time.Minute)
		expect(time.Minute)
		s.Leave(key, false)
		time.Sleep(time.Minute)
		s.Leave(key, false)
		time.Sleep(time.Minute)
		expect(2 * time.Minute)
		if err := s.Enter(t.Context(), key); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		expect(3 * time.Minute)
		s.PutDown(key) // a failed upload ends the turn, and not the form
		s.Leave(key, false)
		expect(3 * time.Minute)
		s.ForgetHeld(key)
		expect(0)
	})
}
