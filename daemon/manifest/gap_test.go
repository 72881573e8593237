package manifest

import "testing"

// TestGap: a number that is missing in a turn is found, and nothing else is taken for one.
func TestGap(t *testing.T) {
	for _, test := range []struct {
		names []string
		want  string
	}{
		{[]string{"f_001.jpg", "f_002.jpg", "f_004.jpg"}, `perhaps a frame is missing: the numbers jump from "f_002.jpg" to "f_004.jpg"`},
		{[]string{"10.jpg", "1.jpg", "2.jpg", "3.jpg", "5.jpg"}, `perhaps a frame is missing: the numbers jump from "3.jpg" to "5.jpg"`},
		{[]string{"a 000.jpg", "a 010.jpg", "a 020.jpg", "a 040.jpg"}, `perhaps a frame is missing: the numbers jump from "a 020.jpg" to "a 040.jpg"`},
		{[]string{"1.jpg", "2.jpg", "3.jpg", "10.jpg", "11.jpg"}, `perhaps a frame is missing: the numbers jump from "3.jpg" to "10.jpg"`},
		{[]string{"f_008.jpg", "f_009.jpg", "f_010.jpg"}, ""},
		{[]string{"000.jpg", "010.jpg", "020.jpg"}, ""},
		{[]string{"1.jpg", "2.jpg"}, ""},
		{[]string{"1.jpg", "4.jpg", "5.jpg", "9.jpg"}, ""},
		{[]string{"1.jpg", "01.jpg", "3.jpg"}, ""},
		{[]string{"a1.jpg", "a2.jpg", "b4.jpg"}, ""},
		{[]string{"front.jpg", "2.jpg", "4.jpg"}, ""},
		{[]string{"1 of 4.jpg", "2 of 4.jpg", "4 of 4.jpg"}, ""},
	} {
		if got := Gap(test.names); got != test.want {
			t.Errorf("%q: %q, want %q", test.names, got, test.want)
		}
	}
}
