package manifest

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

func TestStoredNames(t *testing.T) {
	tests := []struct {
		name        string
		local, want []string
	}{
		{"as they are", []string{"frame_01.jpg", "frame_02.jpg"}, []string{"frame_01.jpg", "frame_02.jpg"}},
		{"every allowed sign", []string{" A.b_c-(0)+1,9=@ß中.jpg"}, []string{" A.b_c-(0)+1,9=@ß中.jpg"}},
		{"NFC", []string{"e\u0301.jpg"}, []string{"é.jpg"}},
		{"NFC makes the order", []string{"e\u0301.jpg", "ê.jpg"}, []string{"é.jpg", "ê.jpg"}},
		{"the order is not that of the bytes", []string{"2.jpg", "10.jpg"}, []string{"001_2.jpg", "002_10.jpg"}},
		{"one name makes all change", []string{"a.jpg", "b#.jpg"}, []string{"001_a.jpg", "002_b_.jpg"}},
		{"separators and controls", []string{"a/b\\c\x00\n.jpg"}, []string{"001_a_b_c__.jpg"}},
		{"what becomes equal stays apart", []string{"a!.jpg", "a#.jpg"}, []string{"001_a_.jpg", "002_a_.jpg"}},
		{"no UTF-8: one for each byte", []string{"a\xff\xc3.jpg"}, []string{"001_a__.jpg"}},
		{"a mark is no letter", []string{"हि.jpg"}, []string{"001_ह_.jpg"}},
		{"other digits are not digits", []string{"٣.jpg"}, []string{"001__.jpg"}},
		{"none", nil, []string{}},
	}
	for _, tt := range tests {
		got, err := StoredNames(tt.local)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestPositionIsAsWideAsTheCount(t *testing.T) {
	for count, want := range map[int]string{1: "001_", 999: "999_", 1000: "1000_", 12345: "12345_"} {
		local := make([]string, count)
		for i := range local {
			local[i] = fmt.Sprintf("%d#.jpg", i)
		}
		got, err := StoredNames(local)
		if err != nil {
			t.Fatal(err)
		}
		if last := got[count-1]; !strings.HasPrefix(last, want) || !slices.IsSorted(got) {
			t.Errorf("%d frames: the last is %q, want %s…", count, last, want)
		}
	}
}

func TestCollisions(t *testing.T) {
	tests := []struct {
		local []string
		want  *CollisionError
	}{
		{[]string{"IMG_1.jpg", "x.jpg", "img_1.JPG"}, &CollisionError{"IMG_1.jpg", "img_1.JPG"}},
		{[]string{"é.jpg", "e\u0301.jpg"}, &CollisionError{"é.jpg", "e\u0301.jpg"}},
		{[]string{"É.jpg", "e\u0301.jpg"}, &CollisionError{"É.jpg", "e\u0301.jpg"}},
		{[]string{"STRASSE.jpg", "straße.jpg"}, &CollisionError{"STRASSE.jpg", "straße.jpg"}},
		{[]string{"a.jpg", "a.jpg"}, &CollisionError{"a.jpg", "a.jpg"}},
		{[]string{"a\xff.jpg", "a\xfe.jpg"}, nil},
		{[]string{"a!.jpg", "a#.jpg"}, nil},
	}
	for _, tt := range tests {
		_, err := StoredNames(tt.local)
		var got *CollisionError
		errors.As(err, &got)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.local, diff)
		}
	}
	want := `"A.jpg" and "a.jpg" differ only in letter case or in how accents are encoded; rename or remove one of them`
	if got := (&CollisionError{"A.jpg", "a.jpg"}).Error(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTotal(t *testing.T) {
	tests := []struct {
		names        []string
		want, beside int
	}{
		{[]string{"shoe_001of036.jpg", "shoe_036of036.jpg"}, 36, 0},
		{[]string{"2OF8.jpg"}, 8, 0},
		{[]string{"1of1.jpg"}, 1, 0},
		{[]string{"shoe-1of24 (edit).tif"}, 24, 0},
		{[]string{"000of036.jpg"}, 36, 0},
		{[]string{"shoe_001of036.jpg", "shoe_002of024.jpg"}, 0, 0},
		{[]string{"shoe_001of036.jpg", "extra.jpg"}, 37, 1},
		{[]string{"row1of3_01of36.jpg"}, 36, 0},
		{[]string{"1of3_01of36.jpg"}, 0, 0},
		{[]string{"37of36.jpg"}, 0, 0},
		{[]string{"0of0.jpg"}, 0, 0},
		{[]string{"of.jpg", "1of.jpg"}, 0, 0},
		{[]string{"1of99999999999999999999.jpg"}, 0, 0},
		{nil, 0, 0},
	}
	for _, tt := range tests {
		if got, beside := Total(tt.names); got != tt.want || beside != tt.beside {
			t.Errorf("%q: got %d and %d, want %d and %d", tt.names, got, beside, tt.want, tt.beside)
		}
	}
}

var allowed = regexp.MustCompile(`^[\p{L}0-9 ._()+,=@-]*$`)

func TestStoredNamesKeepTheirPromise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		local := rapid.SliceOf(drawName).Draw(t, "local")
		checkStoredNames(t, local)
	})
}

var drawName = rapid.OneOf(
	rapid.StringMatching(`[a-c]{1,2}[0-9]{1,2}\.jpg`),
	rapid.String(),
	rapid.Map(rapid.SliceOfN(rapid.Byte(), 1, 6), func(b []byte) string { return string(b) }),
)

func FuzzStoredNames(f *testing.F) {
	f.Add("a.jpg\x00b.jpg")
	f.Add("2.jpg\x0010.jpg\x00\xff/\\")
	f.Add("e\u0301\x00É\x00ᾳ\u0345")
	f.Fuzz(func(t *testing.T, joined string) {
		checkStoredNames(t, strings.Split(joined, "\x00"))
	})
}

func checkStoredNames(t interface {
	Helper()
	Fatalf(string, ...any)
}, local []string) {
	t.Helper()
	stored, err := StoredNames(local)
	again, _ := StoredNames(local)
	if !slices.Equal(stored, again) {
		t.Fatalf("%q: first %q, then %q", local, stored, again)
	}
	if err != nil {
		if !slices.ContainsFunc(local, func(s string) bool { return strings.Contains(err.Error(), fmt.Sprintf("%q", s)) }) {
			t.Fatalf("%q: %v names no frame", local, err)
		}
		return
	}
	prefixed := !slices.EqualFunc(local, stored, func(l, s string) bool { return norm.NFC.String(l) == s })
	for i, name := range stored {
		if !allowed.MatchString(name) || !utf8.ValidString(name) {
			t.Fatalf("%q is stored as %q", local[i], name)
		}
		if i > 0 && stored[i-1] >= name {
			t.Fatalf("%q does not rise after %q", name, stored[i-1])
		}
		if prefixed && !strings.HasPrefix(name, fmt.Sprintf("%03d_", i+1)) {
			t.Fatalf("%q has no position %d in front", name, i+1)
		}
		if prefixed && path.Ext(local[i]) == ".jpg" && path.Ext(name) != ".jpg" {
			t.Fatalf("%q lost its extension: %q", local[i], name)
		}
	}
}

func FuzzTotal(f *testing.F) {
	f.Add("shoe_001of036.jpg\x00shoe_002of036.jpg")
	f.Add("1of1")
	f.Add("99999of99999 2OF3")
	f.Fuzz(func(t *testing.T, joined string) {
		names := strings.Split(joined, "\x00")
		images, beside := Total(names)
		if images < 0 || images > 1<<16+len(names) || beside > 0 && beside >= images {
			t.Fatalf("%q: %d, %d", names, images, beside)
		}
	})
}
