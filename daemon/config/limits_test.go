package config

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseRate(t *testing.T) {
	good := map[string]Rate{
		"": 0, "20MB/s": 20_000_000, "20 MB/s": 20_000_000, "1.5GB/s": 1_500_000_000, "500kB/s": 500_000, "500KB/s": 500_000, "7B/s": 7,
		"1KiB/s": 1 << 10, "2MiB/s": 2 << 20, "1GiB/s": 1 << 30, "8kbit/s": 1000, "100Mbit/s": 12_500_000, "1Gbit/s": 125_000_000, "1MB/s ": 1_000_000,
	}
	for s, want := range good {
		if got, err := parseRate(s); got != want || err != nil {
			t.Errorf("%q: got %d, %v, want %d", s, got, err, want)
		}
	}
	for _, s := range []string{"20", "20MB", "20mb/s", "MB/s", "0MB/s", "-1MB/s", "1.2.3MB/s", "1e3MB/s", "99999999999GB/s"} {
		if got, err := parseRate(s); err == nil {
			t.Errorf("%q: got %d, want an error", s, got)
		}
	}
}

func TestParseDays(t *testing.T) {
	tests := map[string][]time.Weekday{
		"mon": {1}, "monday": {1}, "Saturday": {6}, "monday-tue": {1, 2}, "mon-fri": {1, 2, 3, 4, 5}, "fri-mon": {5, 6, 0, 1}, "sun-sun": {0},
		"": nil, "mo": nil, "mon-": nil, "mon-fri-sun": nil, "7": nil,
	}
	for s, want := range tests {
		got, err := parseDays(s)
		if diff := cmp.Diff(want, got); diff != "" || (err == nil) != (want != nil) {
			t.Errorf("%q: %v\n%s", s, err, diff)
		}
	}
}

func TestParseClock(t *testing.T) {
	for s, want := range map[string]time.Duration{"00:00": 0, "08:30": 8*time.Hour + 30*time.Minute, "24:00": 24 * time.Hour} {
		if got, err := parseClock(s); got != want || err != nil {
			t.Errorf("%q: got %v, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "8", "24:01", "08:60", "08:00:00"} {
		if got, err := parseClock(s); err == nil {
			t.Errorf("%q: got %v, want an error", s, got)
		}
	}
}

func TestTimetable(t *testing.T) {
	c, err := Parse([]byte(minimal+`[upload]
limit = "9MB/s"
[[upload.limits]]
days = ["fri"]
from = "22:00"
to = "06:00"
rate = ""
[[upload.limits]]
days = ["mon-fri"]
from = "08:00"
to = "18:00"
rate = "1MB/s"
[[upload.limits]]
days = ["sun"]
rate = "2MB/s"
`), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]Rate{
		"Fri 07:59:59": 9e6, "Fri 08:00:00": 1e6, "Fri 17:59:59": 1e6, "Fri 18:00:00": 9e6,
		"Fri 22:00:00": 0, "Sat 05:59:59": 0, "Sat 06:00:00": 9e6, "Sat 22:00:00": 9e6, "Fri 05:00:00": 9e6,
		"Sun 00:00:00": 2e6, "Sun 23:59:59": 2e6, "Mon 00:00:00": 9e6,
	}
	for s, want := range tests {
		if got := c.Upload.LimitAt(inWeek(t, s)); got != want {
			t.Errorf("%s: got %d, want %d", s, got, want)
		}
	}
}

// TestHeldLimit: people see which limit holds, and where it is written.
func TestHeldLimit(t *testing.T) {
	hour := func(n int) time.Duration { return time.Duration(n) * time.Hour }
	week := []time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday}
	timetable := Upload{Limit: 9e6, Limits: []Limit{
		{Days: []time.Weekday{time.Friday}, From: hour(22), To: hour(6)},
		{Days: week, From: hour(8), To: hour(18), Rate: 12.5e6},
		{Days: week, From: 0, To: hour(24), Rate: 1_234_567},
	}}
	for _, test := range []struct {
		upload Upload
		at     string
		want   string
	}{
		{Upload{Limit: 500}, "Fri 07:00:00", "uploads are limited to 500 B/s ([upload] limit in sync.toml)"},
		{Upload{Limits: []Limit{{To: hour(24), Rate: 999_600}}}, "Fri 07:00:00", "uploads are limited to 1 MB/s ([[upload.limits]] 1 in sync.toml)"},
		{timetable, "Fri 07:59:59", "uploads are limited to 1.23 MB/s ([[upload.limits]] 3 in sync.toml)"},
		{timetable, "Fri 08:00:00", "uploads are limited to 12.5 MB/s ([[upload.limits]] 2 in sync.toml)"},
		{Upload{Limit: 500, Limits: []Limit{{From: hour(9), To: hour(10)}}}, "Fri 10:02:00", "uploads are limited to 500 B/s ([upload] limit in sync.toml)"},
		{timetable, "Sun 00:00:00", "uploads are limited to 9 MB/s ([upload] limit in sync.toml)"},
	} {
		if got := test.upload.HeldAt(inWeek(t, test.at)).String(); got != test.want {
			t.Errorf("%s: %s, want %s", test.at, got, test.want)
		}
	}
	if held := timetable.HeldAt(inWeek(t, "Fri 22:00:00")); held.Rate != 0 {
		t.Errorf("Friday night: %+v", held)
	}
}

func TestTimetableMistakes(t *testing.T) {
	_, err := Parse([]byte(minimal+`[[upload.limits]]
from = "08:00"
to = "08:00"
rate = "1MB/s"
[[upload.limits]]
days = ["weekend"]
from = "24:00"
`), t.TempDir())
	want := Mistakes{
		{8, "upload.limits.to", "no time lies between from and to; leave both out for the whole day"},
		{10, "upload.limits.rate", `it is missing; write for instance rate = "5MB/s"`},
		{10, "upload.limits.to", "no time lies between from and to; leave both out for the whole day"},
		{11, "upload.limits.days", `"weekend" is no day; write "mon", "tue", "wed", "thu", "fri", "sat", "sun", or a range such as "mon-fri"`},
	}
	if diff := cmp.Diff(want, mistakesIn(t, err)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// inWeek returns a moment of the week that begins on Sunday, 3 January 2027.
func inWeek(t *testing.T, s string) time.Time {
	t.Helper()
	clock, err := time.ParseInLocation("15:04:05", s[4:], time.Local)
	if err != nil {
		t.Fatal(err)
	}
	day, ok := parseDay(s[:3])
	if !ok {
		t.Fatal(s)
	}
	return clock.AddDate(2027, 0, 2+int(day))
}

// FuzzLimits reads a timetable that anybody may have written: what is accepted can be obeyed at any
// time.
func FuzzLimits(f *testing.F) {
	f.Add("mon-fri", "08:00", "18:30", "1.5MB/s")
	f.Add("sun", "22:00", "06:00", "100Mbit/s")
	f.Add("Saturday-mon", "24:00", "00:00", "1e300GB/s")
	f.Fuzz(func(t *testing.T, days, from, to, rate string) {
		on, errDays := parseDays(days)
		start, errFrom := parseClock(from)
		end, errTo := parseClock(to)
		limit, errRate := parseRate(rate)
		if errDays != nil || errFrom != nil || errTo != nil || errRate != nil || rate == "" {
			return
		}
		day := 24 * time.Hour
		if len(on) == 0 || len(on) > 7 || start < 0 || start > day || end < 0 || end > day || limit <= 0 {
			t.Fatalf("%q from %q to %q at %q became %v %v %v %v", days, from, to, rate, on, start, end, limit)
		}
		u := Upload{Limits: []Limit{{Days: on, From: start, To: end, Rate: limit}}}
		monday := time.Date(2027, 1, 4, 0, 0, 0, 0, time.UTC)
		for hour := range 7 * 24 {
			if at := u.LimitAt(monday.Add(time.Duration(hour) * time.Hour)); at != 0 && at != limit {
				t.Fatalf("the limit is %d", at)
			}
		}
	})
}
