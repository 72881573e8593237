package schedule

import (
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/daemon/config"
)

// TestLowLimitIsNoSilence: with any number of uploads under a low limit, each moves so often that
// nobody takes the wait for the limit for a host that does not answer.
func TestLowLimitIsNoSilence(t *testing.T) {
	for _, limit := range []config.Rate{100, 1_000, 17_000, 1_000_000} {
		synctest.Test(t, func(t *testing.T) {
			throttle := NewThrottle(config.Upload{Limit: limit})
			var uploads sync.WaitGroup
			for range slotsAtMost {
				uploads.Go(func() {
					r := throttle.Reader(t.Context(), strings.NewReader(strings.Repeat("x", 1<<20)))
					buffer := make([]byte, 64<<10)
					for began := time.Now(); time.Since(began) < 10*time.Minute; {
						asked := time.Now()
						if _, err := r.Read(buffer); err != nil {
							return
						}
						if took := time.Since(asked); took > 30*time.Second {
							t.Errorf("at %d bytes/s nothing moved for %s", limit, took)
							return
						}
					}
				})
			}
			uploads.Wait()
		})
	}
}

// TestLimitIsChanged: another limit holds for uploads that are under way, within a few seconds.
func TestLimitIsChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		throttle := NewThrottle(config.Upload{Limit: 1_000})
		began := time.Now()
		var uploads sync.WaitGroup
		for range 8 {
			uploads.Go(func() {
				_, err := io.Copy(io.Discard, throttle.Reader(t.Context(), strings.NewReader(strings.Repeat("x", 1<<20))))
				if took := time.Since(began); err != nil || took > time.Minute+2*time.Second {
					t.Errorf("an upload ended after %v, the limit was lifted after a minute; %v", took, err)
				}
			})
		}
		time.Sleep(time.Minute)
		throttle.Configure(config.Upload{})
		uploads.Wait()
	})
}

// TestTimetableDuringAnUpload: an entry that ends lets an upload that is under way go on.
func TestTimetableDuringAnUpload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hour, minute, _ := time.Now().Clock()
		now := time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute
		throttle := NewThrottle(config.Upload{Limits: []config.Limit{{From: now, To: now + 10*time.Minute, Rate: 1_000}}})
		began := time.Now()
		_, err := io.Copy(io.Discard, throttle.Reader(t.Context(), strings.NewReader(strings.Repeat("x", 10<<20))))
		if took := time.Since(began); err != nil || took < 9*time.Minute || took > 10*time.Minute+2*time.Second {
			t.Errorf("an upload took %v beside an entry of 10 minutes; %v", took, err)
		}
	})
}

// TestTimetableBeginsDuringAnUpload: an entry that begins holds for an upload that is under way.
func TestTimetableBeginsDuringAnUpload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hour, minute, _ := time.Now().Clock()
		begins := time.Duration(hour)*time.Hour + time.Duration(minute+5)*time.Minute
		throttle := NewThrottle(config.Upload{Limits: []config.Limit{{From: begins, To: begins + 10*time.Minute, Rate: 1_000}}})
		r := throttle.Reader(t.Context(), strings.NewReader(strings.Repeat("x", 100<<20)))
		buffer := make([]byte, throttleBurst)
		before, after := 0, 0
		for began := time.Now(); time.Since(began) < 10*time.Minute; time.Sleep(time.Second) { // the line takes one piece a second
			beforehand := time.Since(began) < 5*time.Minute
			n, err := r.Read(buffer)
			if err != nil {
				t.Fatal(err)
			}
			if beforehand {
				before += n
			} else {
				after += n
			}
		}
		if before != 300*throttleBurst || after > throttleBurst+300*1_000 {
			t.Errorf("%d bytes passed before the entry began, and %d in its first 5 minutes", before, after)
		}
	})
}
