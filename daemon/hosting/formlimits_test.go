package hosting

import (
	"encoding/base64"
	"testing"
	"time"

	"spinsync/apiclient"
)

// A recorded form keeps the limits of its policy, and comes back as it was given.
func TestFormKeepsItsLimits(t *testing.T) {
	policy := base64.StdEncoding.EncodeToString([]byte(
		`{"expiration": "2027-05-01T12:00:00Z", "conditions": [["content-length-range", 1, 5000]]}`))
	given := apiclient.Credentials{
		Path: "p", Policy: policy, Signature: "s", Hostname: "h", AccessKeyID: "a", ACL: "private",
	}
	form := FormOf(given)
	expires := time.Date(2027, 5, 1, 12, 0, 0, 0, time.UTC)
	if !form.Expires.Equal(expires) || form.MinSize != 1 || form.MaxSize != 5000 {
		t.Errorf("until %s, from %d to %d bytes", form.Expires, form.MinSize, form.MaxSize)
	}
	if back := Credentials(form); back != given {
		t.Errorf("came back as %+v", back)
	}
	given.Policy = base64.StdEncoding.EncodeToString([]byte(`{"expiration": "2027-05-01T12:00:00Z"}`))
	if form := FormOf(given); form.MaxSize != 0 {
		t.Errorf("without a limit, and at most %d bytes", form.MaxSize)
	}
}
