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
	unit, known := bytesPerSecond[strings.TrimSpace(s[len(number):])]
	rate := math.Round(n * unit)
	switch {
	case err != nil || !known:
		return 0, fmt.Errorf(`%q is no rate; write for instance "20MB/s" or "100Mbit/s", or "" for no limit`, s)
	case rate < 1:
		return 0, fmt.Errorf(`%q would stop every upload; write "" for no limit, or use "spinsync pause"`, s)
	case rate > math.MaxInt64/2:
		return 0, fmt.Errorf(`%q is out of range; write "" for no limit`, s)
	}
	return Rate(rate), nil
}

// bytesPerSecond has the size of each unit. Lines are sold in bits; programs that copy count in
// bytes.
var bytesPerSecond = map[string]float64{
	"B/s": 1, "kB/s": 1e3, "KB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9,
	"KiB/s": 1 << 10, "MiB/s": 1 << 20, "GiB/s": 1 << 30,
	"kbit/s": 1e3 / 8, "Mbit/s": 1e6 / 8, "Gbit/s": 1e9 / 8,
}

// Limit is one entry of the timetable of rates, in local time.
type Limit struct {
	Days     []time.Weekday // empty means every day
	From, To time.Duration  // since midnight, local time; From after To means until the next day
	Rate     Rate
}

// String is the rate in powers of 1000, such as "12.5 MB/s".
func (r Rate) String() string {
	value, unit := float64(r), "B/s"
	for _, larger := range []string{"kB/s", "MB/s", "GB/s"} {
		if value < 999.5 {
			break
		}
		value, unit = value/1000, larger
	}
	return strconv.FormatFloat(value, 'g', 3, 64) + " " + unit
}

// LimitAt returns the rate that holds at t: that of the first entry of the
// timetable that covers t, else Limit.
func (u Upload) LimitAt(t time.Time) Rate { return u.HeldAt(t).Rate }

// A HeldLimit is the limit that holds at a time.
type HeldLimit struct {
	Rate  Rate `json:"bytes_per_second"`
	Entry int  `json:"entry,omitempty"` // of [[upload.limits]], from 1; 0 is upload.limit
}

// HeldAt returns the limit that holds at t. Where none does its Rate is 0.
func (u Upload) HeldAt(t time.Time) HeldLimit {
	if i := slices.IndexFunc(u.Limits, func(l Limit) bool { return l.covers(t) }); i >= 0 {
		return HeldLimit{u.Limits[i].Rate, i + 1}
	}
	return HeldLimit{Rate: u.Limit}
}

// String is the limit for people, with its place in sync.toml.
func (h HeldLimit) String() string {
	place := "[upload] limit"
	if h.Entry > 0 {
		place = fmt.Sprintf("[[upload.limits]] %d", h.Entry)
	}
	return fmt.Sprintf("uploads are limited to %s (%s in sync.toml)", h.Rate, place)
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

// parseDays reads "mon" or "monday", or "mon-fri" as the days from the one to the other.
func parseDays(s string) ([]time.Weekday, error) {
	first, last, isRange := strings.Cut(s, "-")
	from, ok := parseDay(first)
	to := from
	if ok && isRange {
		to, ok = parseDay(last)
	}
	if !ok {
		return nil, fmt.Errorf(
			`%q is no day; write "mon", "tue", "wed", "thu", "fri", "sat", "sun", or a range such as "mon-fri"`,
			s,
		)
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
