package manifest

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSort(t *testing.T) {
	start := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
	tests := []struct {
		name   string
		order  Order
		frames []Frame
		want   []string
	}{
		{"bytes of the names", Name, named("10.jpg", "2.jpg", "1.jpg"), []string{"1.jpg", "10.jpg", "2.jpg"}},
		{"the zero value is name", "", named("b.jpg", "a.jpg"), []string{"a.jpg", "b.jpg"}},
		{"names compare in NFC", Name, named("é1.jpg", "e\u03010.jpg"), []string{"e\u03010.jpg", "é1.jpg"}},
		{"numbers by value", Natural, named("10.jpg", "2.jpg", "1.jpg"), []string{"1.jpg", "2.jpg", "10.jpg"}},
		{"rows before columns", Natural, named("r2c1.jpg", "r1c10.jpg", "r1c9.jpg"), []string{"r1c9.jpg", "r1c10.jpg", "r2c1.jpg"}},
		{"numbers before letters", Natural, named("a.jpg", "1.jpg"), []string{"1.jpg", "a.jpg"}},
		{"numbers beyond 64 bits", Natural, named("18446744073709551616", "1", "18446744073709551615"),
			[]string{"1", "18446744073709551615", "18446744073709551616"}},
		{"leading zeros", Natural, named("01a", "1A", "1"), []string{"1", "01a", "1A"}},
		{"equal numbers by name", Natural, named("1.jpg", "01.jpg"), []string{"01.jpg", "1.jpg"}},
		{"letter case does not count", Natural, named("B2.jpg", "a10.jpg", "A9.JPG", "É1.jpg", "é2.jpg"),
			[]string{"A9.JPG", "a10.jpg", "B2.jpg", "É1.jpg", "é2.jpg"}},
		{"fractions of a second", Captured, []Frame{
			{"a.jpg", start.Add(2 * time.Millisecond)}, {"b.jpg", start.Add(time.Millisecond)}, {"c.jpg", start}},
			[]string{"c.jpg", "b.jpg", "a.jpg"}},
		{"one instant in two time zones", Captured, []Frame{
			{"f10.jpg", start.In(time.FixedZone("", 3600))}, {"f9.jpg", start}, {"f11.jpg", start.Add(-time.Hour)}},
			[]string{"f11.jpg", "f9.jpg", "f10.jpg"}},
	}
	for _, tt := range tests {
		if err := tt.order.Sort(tt.frames); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if diff := cmp.Diff(tt.want, namesOf(tt.frames)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestExplain: the order is shown where the names alone leave it open.
func TestExplain(t *testing.T) {
	unpadded := strings.Fields("2.jpg 1.jpg 3.jpg 9.jpg 10.jpg")
	for _, test := range []struct {
		order Order
		names []string
		want  string
	}{
		{Natural, unpadded, `order = "natural": "1.jpg", "2.jpg", "3.jpg" … "10.jpg"; by name "10.jpg" would be number 2`},
		{Name, unpadded, `order = "name": "1.jpg", "10.jpg", "2.jpg" … "9.jpg"; with order = "natural" "2.jpg" would be number 2`},
		{Captured, []string{"2.jpg", "10.jpg", "1.jpg"}, `order = "captured": "2.jpg", "10.jpg", "1.jpg"`},
		{Captured, []string{"4.jpg", "2.jpg", "10.jpg", "1.jpg"}, `order = "captured": "4.jpg", "2.jpg", "10.jpg", "1.jpg"`},
		{Natural, []string{"a.jpg", "B.jpg"}, `order = "natural": "a.jpg", "B.jpg"; by name "B.jpg" would be number 1`},
		{Natural, []string{"01.jpg", "02.jpg", "10.jpg"}, ""},
		{Captured, []string{"b.jpg", "a.jpg"}, ""},
		{Natural, nil, ""},
	} {
		if got := test.order.Explain(test.names); got != test.want {
			t.Errorf("%q by %s: got %s, want %s", test.names, test.order, got, test.want)
		}
	}
}

func TestCapturedNamesFramesWithoutTime(t *testing.T) {
	frames := append(named("c.jpg", "a.jpg"), Frame{"b.jpg", time.Unix(1, 0)})
	err := Captured.Sort(frames)
	var untimed *UntimedError
	if !errors.As(err, &untimed) {
		t.Fatalf("got %v, want an *UntimedError", err)
	}
	if diff := cmp.Diff([]string{"a.jpg", "c.jpg"}, untimed.Names); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"c.jpg", "a.jpg", "b.jpg"}, namesOf(frames)); diff != "" {
		t.Errorf("the frames were moved:\n%s", diff)
	}
	want := `"a.jpg" and 1 more have no capture time; order the folder by "name" or "natural"`
	if err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
	want = `"b.jpg" has no capture time; order the folder by "name" or "natural"`
	if err := Captured.Sort([]Frame{{"a.jpg", time.Unix(1, 0)}, {Name: "b.jpg"}}); err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
}

// A video, or a single photo, has no order that needs a capture time.
func TestOneFrameNeedsNoCaptureTime(t *testing.T) {
	if err := Captured.Sort(named("turn.mp4")); err != nil {
		t.Error(err)
	}
}

func TestParseOrder(t *testing.T) {
	for _, want := range []Order{Name, Natural, Captured} {
		if got, err := ParseOrder(string(want)); got != want || err != nil {
			t.Errorf("%s: got %q, %v", want, got, err)
		}
	}
	for _, s := range []string{"", "Name", "exif"} {
		if _, err := ParseOrder(s); err == nil || !strings.Contains(err.Error(), `"captured"`) {
			t.Errorf("%q: the error %v does not name the choices", s, err)
		}
	}
}

// Whatever order a listing comes in, the turn is the same.
func TestSortIsTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		order := rapid.SampledFrom([]Order{Name, Natural, Captured}).Draw(t, "order")
		frames := rapid.SliceOfNDistinct(drawFrame, 2, 12, func(f Frame) string { return f.Name }).Draw(t, "frames")
		other := rapid.Permutation(frames).Draw(t, "other")
		if err := errors.Join(order.Sort(frames), order.Sort(other)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(frames, other); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Numbers padded to one width sort naturally by their bytes.
func TestNaturalAgreesWithPadding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.StringMatching(`[1-9][0-9]{0,24}`)
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		pad := func(s string) string { return strings.Repeat("0", 25-len(s)) + s }
		want := strings.Compare(pad(a), pad(b))
		if got := natural("f"+a+".jpg", "f"+b+".jpg"); got != want {
			t.Fatalf("%s against %s: got %d, want %d", a, b, got, want)
		}
	})
}

func FuzzNatural(f *testing.F) {
	f.Add("1", "1A", "01a")
	f.Add("f18446744073709551615", "f1", "f9300000000000000000")
	f.Add("a\xff1", "a\xff01", "")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		frames := []Frame{{Name: a}, {Name: b}, {Name: c}}
		slices.SortFunc(frames, compareNaturally)
		for i, x := range frames {
			for j, y := range frames {
				if got := compareNaturally(x, y); (x.Name == y.Name) != (got == 0) || got != -compareNaturally(y, x) || i < j && got > 0 {
					t.Errorf("%q against %q: %d, the other way %d", x.Name, y.Name, got, compareNaturally(y, x))
				}
			}
		}
	})
}

var drawFrame = rapid.Custom(func(t *rapid.T) Frame {
	name := rapid.StringMatching(`[aA_]?(0|1|9|10|01)?(é|e\x{301}|\.)?[0-9]{0,20}`).Draw(t, "name")
	return Frame{Name: name, Captured: time.Unix(0, rapid.Int64Range(1, 3).Draw(t, "captured"))}
})

func named(names ...string) []Frame {
	var frames []Frame
	for _, n := range names {
		frames = append(frames, Frame{Name: n})
	}
	return frames
}

func namesOf(frames []Frame) []string {
	var names []string
	for _, f := range frames {
		names = append(names, f.Name)
	}
	return names
}
