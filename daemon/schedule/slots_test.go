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

// TestTunerTriesAgainWhenRateSinks: a lossy line looks full at first.
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

// TestTunerNoticesASmallLoss: the number that looked enough at first carries four fifths of the
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

// TestSlotsAreShared: a folder whose files hang leaves slots to another that comes later.
func TestSlotsAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewSlots(config.Upload{}, new(Priorities))
		ctx, cancel := context.WithCancel(t.Context())
		var ended sync.WaitGroup
		defer ended.Wait()
		defer cancel()
		ended.Go(func() {
			for l.Enter(ctx, syncstate.Folder{Path: "hangs"}) == nil {
			}
		})
		synctest.Wait()
		quick := syncstate.Folder{Path: "quick"}
		for range 10 {
			waits, stop := context.WithTimeout(ctx, time.Second)
			if err := l.Enter(waits, quick); err != nil {
				t.Error("a folder without any slot waits for one that hangs")
			}
			stop()
			l.Leave(quick, false)
		}
	})
}

// TestSlotsGoToTheFirst: of many folders with much to send the one that came first has three
// quarters of the slots, whoever comes later shares the rest evenly, and when the first is done the
// second is ahead.
func TestSlotsGoToTheFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewSlots(config.Upload{Parallel: 8}, new(Priorities))
		folders := []syncstate.Folder{{Path: "a"}, {Path: "the 2nd"}, {Path: "3rd"}}
		slotsOf, stop := sendSideBySide(t, l, folders...)
		held := func() [3]int {
			time.Sleep(10 * time.Second)
			return [3]int(slotsOf())
		}
		if got := held(); got != [3]int{6, 1, 1} {
			t.Errorf("of 8 slots the folders have %v", got)
		}
		stop[0]()
		if got := held(); got != [3]int{0, 6, 2} {
			t.Errorf("when the first is done the folders have %v", got)
		}
	})
}

// TestSlotsGoToAPriority: a folder that goes first has all slots but one while it has something to
// send, of several the one that came first, and what it leaves goes on as before.
func TestSlotsGoToAPriority(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewSlots(config.Upload{Parallel: 8}, new(Priorities))
		folders := []syncstate.Folder{{Path: "a"}, {Path: "the 2nd"}, {Path: "3rd"}}
		slotsOf, stop := sendSideBySide(t, l, folders...)
		held := func() [3]int {
			time.Sleep(10 * time.Second)
			return [3]int(slotsOf())
		}
		l.priorities.Set(folders[2], true)
		if got := held(); got != [3]int{1, 0, 7} && got != [3]int{0, 1, 7} {
			t.Errorf("beside one that goes first the folders have %v of 8 slots", got)
		}
		l.priorities.Set(folders[1], true)
		if got := held(); got[1] != 7 {
			t.Errorf("of two that go first the folders have %v", got)
		}
		stop[1]()
		l.priorities.Set(folders[2], false)
		if got := held(); got != [3]int{6, 0, 2} {
			t.Errorf("when nothing goes first any more the folders have %v", got)
		}
	})
}

// TestPriorityYieldsToACamera: a folder that goes first gets the one slot that is left beside a
// camera, and no other.
func TestPriorityYieldsToACamera(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewSlots(config.Upload{Parallel: 8}, new(Priorities))
		before, hurried, shot := syncstate.Folder{Path: "before"}, syncstate.Folder{Path: "rush"}, syncstate.Folder{Path: "on the table"}
		l.priorities.Set(hurried, true)
		l.SetConditions(nil, map[string][]string{"": {shot.Path}})
		ctx, cancel := context.WithCancel(t.Context())
		var ended sync.WaitGroup
		defer ended.Wait()
		defer cancel()
		for _, f := range []syncstate.Folder{before, hurried, shot} {
			ended.Go(func() { sendForever(ctx, l, f) })
			synctest.Wait()
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.takenBy[before] != 0 || l.takenBy[hurried] != 1 || l.takenBy[shot] == 0 {
			t.Errorf("beside a camera the folders have %v", l.takenBy)
		}
	})
}

// TestWhatIsShotGoesFirst: the folder that a camera writes has the slots of the folder that came
// first, and that of another root gets them back when the camera rests.
func TestWhatIsShotGoesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewSlots(config.Upload{Parallel: 8}, new(Priorities))
		before, shot := syncstate.Folder{Root: "elsewhere", Path: "before"}, syncstate.Folder{Root: "studio", Path: "on the table"}
		held, _ := sendSideBySide(t, l, before, shot)
		l.SetConditions(nil, map[string][]string{shot.Root: {shot.Path}})
		time.Sleep(10 * time.Second)
		if got := held(); got[0] != 2 || got[1] != 6 {
			t.Errorf("beside the camera the folders have %v of 8 slots", got)
		}
		l.SetConditions(nil, nil)
		time.Sleep(10 * time.Second)
		if got := held(); got[0] != 6 || got[1] != 2 {
			t.Errorf("when it rests they have %v", got)
		}
	})
}

// TestSingleSlotIsShared: where a limit leaves one slot, the folder that came first has it three
// times out of four, and all others share the rest.
func TestSingleSlotIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewSlots(config.Upload{Limit: slotRate}, new(Priorities))
		held, _ := sendSideBySide(t, l, syncstate.Folder{Path: "a"}, syncstate.Folder{Path: "the 2nd"}, syncstate.Folder{Path: "3rd"})
		var had [3]float64
		const looks = 1000
		for range looks {
			time.Sleep(100 * time.Millisecond)
			for i, n := range held() {
				had[i] += float64(n) / looks
			}
		}
		if had[0] < 0.6 || had[0] > 0.9 || had[1] < 0.05 || had[2] < 0.05 {
			t.Errorf("the folders had the slot for these parts of the time: %.2f", had)
		}
	})
}

// sendSideBySide has folders send until they are stopped or the test ends, each coming after the
// one before it, and returns how to look at their slots.
func sendSideBySide(t *testing.T, l *Slots, folders ...syncstate.Folder) (held func() []int, stop []context.CancelFunc) {
	ctx, cancel := context.WithCancel(t.Context())
	var ended sync.WaitGroup
	t.Cleanup(func() { cancel(); ended.Wait() })
	for _, f := range folders {
		sending, stopSending := context.WithCancel(ctx)
		stop = append(stop, stopSending)
		ended.Go(func() { sendForever(sending, l, f) })
		synctest.Wait()
	}
	held = func() []int {
		synctest.Wait()
		l.mu.Lock()
		defer l.mu.Unlock()
		var n []int
		for _, f := range folders {
			n = append(n, l.takenBy[f])
		}
		return n
	}
	return held, stop
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

// TestSlotsYieldToACamera: while a folder is shot, the others of its root have one slot together,
// those of other roots as many as ever, and all go on when the camera rests.
func TestSlotsYieldToACamera(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewSlots(config.Upload{Parallel: 8}, new(Priorities))
		l.SetConditions(nil, map[string][]string{"studio": {"on the table"}})
		granted := map[string]int{}
		var mu sync.Mutex
		var ended sync.WaitGroup
		for _, f := range []syncstate.Folder{{Root: "studio", Path: "before"}, {Root: "studio", Path: "long ago"},
			{Root: "studio", Path: "on the table"}, {Root: "elsewhere", Path: "other"}} {
			for range 2 {
				ended.Go(func() {
					if l.Enter(t.Context(), f) == nil {
						mu.Lock()
						defer mu.Unlock()
						granted[f.Path]++
					}
				})
			}
		}
		synctest.Wait()
		if waiting := granted["before"] + granted["long ago"]; waiting != 1 || granted["on the table"] != 2 || granted["other"] != 2 {
			t.Errorf("while the camera writes the slots are %v", granted)
		}
		l.SetConditions(nil, nil)
		ended.Wait()
		if l.taken != 8 {
			t.Errorf("the camera rests, and %d of 8 go on", l.taken)
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

// TestPlaceOutlivesAForm: a folder whose form expired while it waited sends nothing for as long as
// it asks for another one. It keeps its place meanwhile, until its worker puts it down.
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
