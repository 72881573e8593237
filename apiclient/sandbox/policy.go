package sandbox

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// policy is what a form may be used for: a document of the kind that S3 stores know.
type policy struct {
	Expiration time.Time   `json:"expiration"`
	Conditions []condition `json:"conditions"`
}

// condition names a rule, a field of the form, and what the field must be.
type condition [3]any

const (
	sizeRange      = "content-length-range"
	accessKeyField = "StorageAccessKeyId"
)

// newPolicy returns the encoded policy for files below path on a host.
func newPolicy(host, path string, expiration time.Time, maxFile int64) string {
	data, err := json.Marshal(policy{expiration.UTC().Truncate(time.Millisecond), []condition{
		{"eq", "$bucket", host},
		{"starts-with", "$key", path + "/"},
		{"eq", "$acl", acl},
		{sizeRange, 1, maxFile},
		{"starts-with", "$Content-Type", ""},
		{"starts-with", "$" + accessKeyField, ""},
	}})
	if err != nil {
		panic(err) // text and numbers can always be written
	}
	return base64.StdEncoding.EncodeToString(data)
}

// sign is the signature of an encoded policy.
func (a account) sign(policy string) string {
	mac := hmac.New(sha256.New, a.Secret)
	mac.Write([]byte(policy))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// authorise returns the policy of a form that was signed here.
func (a account) authorise(f postForm) (*policy, error) {
	switch {
	case f.accessKeyID != a.AccessKeyID:
		return nil, denied("InvalidAccessKeyId", "the access key id does not exist")
	case !hmac.Equal([]byte(f.signature), []byte(a.sign(f.policy))):
		return nil, denied("SignatureDoesNotMatch",
			"the signature was not made of this policy with the secret of the access key")
	}
	return parsePolicy(f.policy)
}

// parsePolicy reads what newPolicy wrote.
func parsePolicy(encoded string) (*policy, error) {
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, err
	}
	p := &policy{}
	return p, json.Unmarshal(data, p)
}

// check holds a form that came to a host against the conditions.
func (p *policy) check(f postForm, host string) error {
	values := map[string]string{
		"$bucket": host, "$key": f.key, "$acl": f.acl, "$Content-Type": f.mediaType, "$" + accessKeyField: f.accessKeyID,
	}
	for _, c := range p.Conditions {
		name, _ := c[1].(string)
		wanted, _ := c[2].(string)
		value := values[name]
		if c[0] == "eq" && value != wanted || c[0] == "starts-with" && !strings.HasPrefix(value, wanted) {
			return denied("AccessDenied", fmt.Sprintf("Invalid according to Policy: Policy Condition failed: %q", c))
		}
	}
	return nil
}

func (p *policy) checkAge(now time.Time) error {
	if now.Before(p.Expiration) {
		return nil
	}
	return denied("AccessDenied", "Invalid according to Policy: Policy expired.")
}
