package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Rate is a number of bytes per second; 0 means no limit.
type Rate int64

// parseRate reads "20MB/s", and "" as no limit.
func parseRate(s string) (Rate, error) {
	if s == "" {
		return 0, nil
	}
	number := s[:len(s)-len(strings.TrimLeft(s, "0123456789."))]
	n, err := strconv.ParseFloat(number, 64)
	rate := math.Round(n * bytesPerSecond(strings.TrimSpace(s[len(number):])))
	switch {
	case err != nil || rate < 0:
		return 0, fmt.Errorf(`%q is no rate; write for instance "20MB/s" or "100Mbit/s", or "" for no limit`, s)
	case rate < 1:
		return 0, fmt.Errorf(`%q would stop every upload; write "" for no limit, or use "spinsync pause"`, s)
	case rate > math.MaxInt64/2:
		return 0, fmt.Errorf(`%q is out of range; write "" for no limit`, s)
	}
	return Rate(rate), nil
}

// bytesPerSecond returns the size of a unit, -1 for none that is known. Lines
// are sold in bits; programs that copy count in bytes.
func bytesPerSecond(unit string) float64 {
	switch unit {
	case "B/s":
		return 1
	case "kB/s", "KB/s":
		return 1e3
	case "MB/s":
		return 1e6
	case "GB/s":
		return 1e9
	case "KiB/s":
		return 1 << 10
	case "MiB/s":
		return 1 << 20
	case "GiB/s":
		return 1 << 30
	case "kbit/s":
		return 1e3 / 8
	case "Mbit/s":
		return 1e6 / 8
	case "Gbit/s":
		return 1e9 / 8
	}
	return -1
}

// Limit is one entry of the timetable of rates, in local time.
type Limit struct {
	Days     []time.Weekday // empty means every day
	From, To time.Duration  // since midnight by the clock on the wall; From after To means until To on the next day
	Rate     Rate
}

// LimitAt returns the rate that holds at t: that of the first entry of the
// timetable that covers t, else Limit.
func (u Upload) LimitAt(t time.Time) Rate {
	for _, l := range u.Limits {
		if l.covers(t) {
			return l.Rate
		}
	}
	return u.Limit
}

func (l Limit) covers(t time.Time) bool {
	hour, minute, second := t.Clock()
	clock := time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute + time.Duration(second)*time.Second
	if l.From < l.To {
		return l.on(t.Weekday()) && l.From <= clock && clock < l.To
	}
	yesterday := (t.Weekday() + 6) % 7
	return l.on(t.Weekday()) && l.From <= clock || l.on(yesterday) && clock < l.To
}

func (l Limit) on(day time.Weekday) bool { return len(l.Days) == 0 || slices.Contains(l.Days, day) }

func readLimit(t *table) Limit {
	l := Limit{
		Days: slices.Concat(read(t, "days", nil, list(parseDays))...),
		From: read(t, "from", 0, text(parseClock)),
		To:   read(t, "to", 24*time.Hour, text(parseClock)),
		Rate: require(t, "rate", `"5MB/s"`, text(parseRate)),
	}
	if l.From == l.To || l.From == 24*time.Hour {
		t.mistake("to", "no time lies between from and to; leave both out for the whole day")
	}
	return l
}

// parseDays reads "mon", or "mon-fri" as the days from the one to the other.
func parseDays(s string) ([]time.Weekday, error) {
	first, last, isRange := strings.Cut(s, "-")
	from, ok := parseDay(first)
	to := from
	if ok && isRange {
		to, ok = parseDay(last)
	}
	if !ok {
		return nil, fmt.Errorf(`%q is no day; write "mon", "tue", "wed", "thu", "fri", "sat", "sun", or a range such as "mon-fri"`, s)
	}
	days := []time.Weekday{from}
	for day := from; day != to; {
		day = (day + 1) % 7
		days = append(days, day)
	}
	return days, nil
}

func parseDay(s string) (time.Weekday, bool) {
	for day := time.Sunday; day <= time.Saturday; day++ {
		if name := day.String(); strings.EqualFold(s, name) || strings.EqualFold(s, name[:3]) {
			return day, true
		}
	}
	return 0, false
}

// parseClock reads "00:00" to "24:00".
func parseClock(s string) (time.Duration, error) {
	if s == "24:00" {
		return 24 * time.Hour, nil
	}
	t, err := time.Parse("15:04", s)
	if err != nil {
		return 0, fmt.Errorf(`%q is no time of day; write for instance "08:00", up to "24:00"`, s)
	}
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute, nil
}
