package sandbox

import (
	"encoding/base64"
	"testing"
	"time"
)

func FuzzPolicy(f *testing.F) {
	f.Add(newPolicy("u/rotation/0/1", time.Unix(2e9, 0), 1<<20), "u/rotation/0/1/a.jpg")
	for _, document := range []string{
		`{"expiration":"2027-01-01T00:00:00Z","conditions":[{"key":"a"}]}`,
		`{"expiration":"2027-01-01T00:00:00Z","conditions":[["eq","$key","a"],["content-length-range",1,2]]}`,
		`{"expiration":"2027-01-01T00:00:00Z","conditions":[["starts-with","$key"]]}`,
		`{"expiration":"2027-01-01T00:00:00Z","conditions":[["in","$key","a"],[1,2,3],{},{"a":1},null]}`,
		`{"conditions":null}`,
	} {
		f.Add(base64.StdEncoding.EncodeToString([]byte(document)), "a")
	}
	f.Fuzz(func(t *testing.T, encoded, key string) {
		p, err := parsePolicy(encoded)
		if err != nil {
			return
		}
		fields := map[string]string{"key": key, "acl": acl}
		if p.check(fields, "id") != nil {
			return
		}
		if len(p.Conditions) < 2 {
			t.Errorf("%d conditions cover two fields", len(p.Conditions))
		}
		if smallest, largest := p.sizes(100); smallest < 0 || largest > 100 {
			t.Errorf("sizes %d to %d", smallest, largest)
		}
		fields["other"] = "x"
		for _, c := range p.Conditions {
			if c.field == "other" {
				return
			}
		}
		if p.check(fields, "id") == nil {
			t.Error("a field that no condition covers is allowed")
		}
	})
}
