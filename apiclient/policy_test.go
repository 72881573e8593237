package apiclient

import (
	"encoding/base64"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestAReadablePolicyHintsAtWhatItAllows(t *testing.T) {
	encode := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	tests := map[string]struct {
		policy string
		want   PolicyHint
		ok     bool
	}{
		"whole": {encode(`{"expiration":"2027-01-02T03:04:05.000Z","conditions":[{"bucket":"b"},["starts-with","$key","p-1/"],{"acl":"private"},["content-length-range",1,1048576]]}`),
			PolicyHint{time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC), 1, 1 << 20, "", ""}, true},
		"exact key":        {encode(`{"conditions":[{"key":"p-1/a.jpg"}]}`), PolicyHint{MaxSize: math.MaxInt64}, true},
		"eq":               {encode(`{"conditions":[["eq","$key","p-1/a.jpg"]]}`), PolicyHint{MaxSize: math.MaxInt64}, true},
		"access key":       {encode(`{"conditions":[["starts-with","$x-amz-date","2"],["eq","$VendorAccessKeyId","k"]]}`), PolicyHint{MaxSize: math.MaxInt64, AccessKeyField: "VendorAccessKeyId", VendorField: "AWSAccessKeyId"}, true},
		"vendor's own":     {encode(`{"conditions":[{"x-goog-date":"2027"}]}`), PolicyHint{MaxSize: math.MaxInt64, VendorField: "GoogleAccessId"}, true},
		"odd conditions":   {encode(`{"conditions":[null,1,"x",[],[1,2,3],["content-length-range","a",2],["content-length-range",9,2],["starts-with","$acl","p"]]}`), PolicyHint{MaxSize: math.MaxInt64}, true},
		"lines, no pad":    {strings.TrimRight(encode(`{"expiration":"2027-01-02T03:04:05Z"} `), "=") + "\n", PolicyHint{Expires: time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC), MaxSize: math.MaxInt64}, true},
		"odd expiration":   {encode(`{"expiration":"tomorrow"}`), PolicyHint{MaxSize: math.MaxInt64}, true},
		"opaque":           {"opaque!", PolicyHint{}, false},
		"base64 of a word": {encode("word"), PolicyHint{}, false},
		"empty":            {"", PolicyHint{}, false},
	}
	for name, test := range tests {
		got, ok := Credentials{Policy: test.policy}.Hint()
		if ok != test.ok || !cmp.Equal(got, test.want) {
			t.Errorf("%s: got %+v, %v, want %+v, %v", name, got, ok, test.want, test.ok)
		}
	}
}
