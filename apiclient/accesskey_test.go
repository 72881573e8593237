package apiclient

import (
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"
)

// TestTheFormShowsTheAccessKeyField: the policy goes before the host and the key id, and those
// before what is likely.
func TestTheFormShowsTheAccessKeyField(t *testing.T) {
	policy := func(conditions string) string {
		return base64.StdEncoding.EncodeToString([]byte(`{"conditions":` + conditions + `}`))
	}
	for want, form := range map[string]Credentials{
		"GoogleAccessId":     {Hostname: "https://Storage.GoogleAPIs.com/"},
		"OSSAccessKeyId":     {Hostname: "shoots.oss-eu-central-1.aliyuncs.com:443"},
		"AccessKeyId":        {Hostname: "//shoots.obs.myhuaweicloud.com"},
		"KSSAccessKeyId":     {Hostname: "up.example.com", Policy: policy(`[["starts-with","$x-kss-meta-a",""]]`)},
		"AWSAccessKeyId":     {Hostname: "up.example.com", AccessKeyID: "AKIA7"},
		"VendorAccessKeyId":  {Hostname: "shoots.s3.amazonaws.com", Policy: policy(`[{"VendorAccessKeyId":"k"}]`)},
		"LikelyAccessKeyId":  {Hostname: "up.example.com"},
		"LikelyAccessKeyId ": {Hostname: "notamazonaws.com", Policy: policy(`[{"x-other":"k"}]`)},
	} {
		got := form.AccessKeyFields("LikelyAccessKeyId")
		if got[0] != strings.TrimSpace(want) {
			t.Errorf("%s: got %v, want %s first", form.Hostname, got, want)
		}
		if strings.HasPrefix(want, "Vendor") {
			continue
		}
		known := []string{"AWSAccessKeyId", "GoogleAccessId", "OSSAccessKeyId", "StorageAccessKeyId"}
		for _, name := range known {
			if !slices.Contains(got, name) {
				t.Errorf("%s: %s is not among %v", form.Hostname, name, got)
			}
		}
	}
}

// TestTheInterfacesOwnNameComesFirst: a form without a vendor's mark gets the interface's own name.
func TestTheInterfacesOwnNameComesFirst(t *testing.T) {
	form := Credentials{Hostname: "up.example.com", AccessKeyID: "K7"}
	if got := form.AccessKeyFields(); got[0] != "StorageAccessKeyId" || len(got) != 6 {
		t.Errorf("got %v", got)
	}
}

// TestNamesAreTriedUntilOneWorks: an error that the name cannot cause ends the trial. The host's
// answer to a name that it knows is the error returned.
func TestNamesAreTriedUntilOneWorks(t *testing.T) {
	refusal := func(code string) error { return &Error{Op: "upload", UploadHost: "up", Status: 403, Code: code} }
	offline := &Error{Op: "upload", UploadHost: "up", Err: errors.New("no route"), temporary: true}
	names := []string{"A", "B", "C"}
	for _, test := range []struct {
		answers      []error
		worked, says string
		nameless     bool
	}{
		{[]error{nil}, "A", "", false},
		{[]error{refusal("AccessDenied"), refusal("InvalidAccessKeyId"), nil}, "C", "", false},
		{[]error{refusal("AccessDenied"), offline}, "", "no route", false},
		{[]error{refusal("X1"), refusal("X2"), refusal("X3")}, "", "X1 (the same with every known name of the access key's field: A, B, C)", true},
		{[]error{refusal("X1"), refusal("SignatureDoesNotMatch"), refusal("X3")}, "", "SignatureDoesNotMatch", false},
	} {
		tried := 0
		worked, err := TryAccessKeyFields(names, func(string) error {
			tried++
			return test.answers[tried-1]
		})
		if worked != test.worked || tried != len(test.answers) || NoAccessKeyField(err) != test.nameless {
			t.Errorf("%v: %q worked after %d, %v", test.answers, worked, tried, err)
		}
		if test.says != "" && !strings.HasSuffix(err.Error(), test.says) {
			t.Errorf("got %v, want %s", err, test.says)
		}
	}
}
