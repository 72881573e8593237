package apiclient

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// A storeVendor is a kind of upload host, by the name of its form field for the access key and by
// its marks.
type storeVendor struct {
	field   string
	domains []string // of its upload hosts
	keys    string   // what its access key ids begin with; empty when they have no common beginning
	own     string   // what its own fields of a form begin with; empty when it has none
}

// storeVendors are the upload hosts whose forms are signed as those of 4.3. The interface's own name
// comes first, then the commonest vendor's, which most other stores take.
func storeVendors() []storeVendor {
	return []storeVendor{
		{"StorageAccessKeyId", nil, "", ""},
		{"AWSAccessKeyId", []string{"amazonaws.com", "amazonaws.com.cn"}, "AKIA", "x-amz-"},
		{"GoogleAccessId", []string{"googleapis.com"}, "GOOG", "x-goog-"},
		{"OSSAccessKeyId", []string{"aliyuncs.com"}, "LTAI", "x-oss-"},
		{"AccessKeyId", []string{"myhuaweicloud.com", "myhuaweicloud.eu"}, "", "x-obs-"},
		{"KSSAccessKeyId", []string{"ksyuncs.com", "ksyun.com"}, "", "x-kss-"},
	}
}

// AccessKeyFields are the names that the form field for the access key (4.3) may have, the
// likeliest first. A name in the policy's conditions is the only one. Else the vendor's comes
// first, if other conditions, the host or the access key id identify it. Then come those that the
// caller thinks likely, then the interface's own, then all other vendors'.
func (c Credentials) AccessKeyFields(likely ...string) []string {
	hint, _ := c.Hint()
	if hint.AccessKeyField != "" {
		return []string{hint.AccessKeyField}
	}
	var names []string
	add := func(name string) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	add(hint.VendorField)
	for _, v := range storeVendors() {
		if v.keys != "" && strings.HasPrefix(c.AccessKeyID, v.keys) || v.owns(c.Hostname) {
			add(v.field)
		}
	}
	for _, name := range likely {
		add(name)
	}
	for _, v := range storeVendors() {
		add(v.field)
	}
	return names
}

// owns reports whether an upload host, as the service wrote it, lies in a domain of the vendor.
func (v storeVendor) owns(hostname string) bool {
	if !strings.Contains(hostname, "//") {
		hostname = "//" + hostname
	}
	u, err := url.Parse(hostname)
	return err == nil && slices.ContainsFunc(v.domains, func(domain string) bool {
		return strings.HasSuffix("."+strings.ToLower(u.Hostname()), "."+domain)
	})
}

// TryAccessKeyFields uploads under one name of the field after the other until the host takes the
// form. It returns the name that worked. An error that cannot come from the name ends it.
func TryAccessKeyFields(names []string, upload func(field string) error) (worked string, err error) {
	var refused error
	for _, name := range names {
		err := upload(name)
		var refusal *Error
		switch {
		case err == nil:
			return name, nil
		case !errors.As(err, &refusal) || !refusal.FormRejected():
			return "", err
		case SignatureWrong(err):
			refused = err // this name is right
		case refused == nil && len(names) > 1:
			refused = fmt.Errorf("%w (%w)", err, accessKeyFieldError{names})
		case refused == nil:
			refused = err
		}
	}
	return "", refused
}

const signatureWrong = "SignatureDoesNotMatch"

// SignatureWrong reports whether an upload host found the access key of a form, but not its
// signature right.
func SignatureWrong(err error) bool {
	var refusal *Error
	return errors.As(err, &refusal) && refusal.Code == signatureWrong
}

// accessKeyFieldError is the error of an upload host that takes the access key under none of the
// names.
type accessKeyFieldError struct{ names []string }

func (e accessKeyFieldError) Error() string {
	return "the same with every known name of the access key's field: " + strings.Join(e.names, ", ")
}

// NoAccessKeyField reports whether an upload failed under every name that was tried, so that the
// right one may be another.
func NoAccessKeyField(err error) bool { return errors.As(err, new(accessKeyFieldError)) }
