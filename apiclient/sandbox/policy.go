package sandbox

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// policy is what a form may be used for: a document of the kind that S3 stores know.
type policy struct {
	Expiration time.Time   `json:"expiration"`
	Conditions []condition `json:"conditions"`
}

// condition restricts one field of a form, or the size of its file.
type condition struct {
	kind     string // "eq", "starts-with" or "content-length-range"
	field    string // lower case, without "$"
	value    string
	min, max int64
}

const sizeRange = "content-length-range"

// newPolicy returns the encoded policy for files below path, with more conditions.
func newPolicy(path string, expiration time.Time, maxFile int64, more ...any) string {
	data, err := json.Marshal(map[string]any{
		"expiration": expiration.UTC().Format("2006-01-02T15:04:05.000Z"),
		"conditions": append([]any{
			map[string]string{"bucket": bucket},
			[]string{"starts-with", "$key", path + "/"},
			map[string]string{"acl": acl},
			[]any{sizeRange, 1, maxFile},
			[]string{"starts-with", "$Content-Type", ""},
		}, more...),
	})
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
func (a account) authorise(fields map[string]string, accessKeyField string) (*policy, error) {
	encoded, signature := fields["policy"], fields["signature"]
	keyID, given := fields[strings.ToLower(accessKeyField)]
	switch {
	case encoded == "":
		return nil, denied("the form has no field Policy")
	case !given:
		return nil, badForm("the form has no field " + accessKeyField)
	case keyID != a.AccessKeyID:
		return nil, &storeError{http.StatusForbidden, "InvalidAccessKeyId", "the access key id does not exist"}
	case !hmac.Equal([]byte(signature), []byte(a.sign(encoded))):
		return nil, &storeError{http.StatusForbidden, "SignatureDoesNotMatch",
			"the signature was not made of this policy with the secret of the access key"}
	}
	p, err := parsePolicy(encoded)
	if err != nil {
		return nil, &storeError{http.StatusBadRequest, "InvalidPolicyDocument", err.Error()}
	}
	return p, nil
}

func parsePolicy(encoded string) (*policy, error) {
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, fmt.Errorf("the policy is not base64: %w", err)
	}
	p := &policy{}
	if err := json.Unmarshal(data, p); err != nil {
		return nil, fmt.Errorf("the policy is not valid: %w", err)
	}
	if p.Expiration.IsZero() {
		return nil, errors.New("the policy has no expiration")
	}
	return p, nil
}

// UnmarshalJSON reads {"field": "value"}, ["eq", "$field", "value"], ["starts-with", "$field",
// "value"] and ["content-length-range", min, max].
func (c *condition) UnmarshalJSON(data []byte) error {
	var exact map[string]string
	if json.Unmarshal(data, &exact) == nil && len(exact) == 1 {
		for field, value := range exact {
			*c = condition{kind: "eq", field: strings.ToLower(field), value: value}
		}
		return nil
	}
	var parts []json.RawMessage
	var err error
	if json.Unmarshal(data, &parts) != nil || len(parts) != 3 || json.Unmarshal(parts[0], &c.kind) != nil {
		return fmt.Errorf("condition %s is neither an object of one field nor a list of three", data)
	}
	switch c.kind {
	case sizeRange:
		err = errors.Join(json.Unmarshal(parts[1], &c.min), json.Unmarshal(parts[2], &c.max))
	case "eq", "starts-with":
		err = errors.Join(json.Unmarshal(parts[1], &c.field), json.Unmarshal(parts[2], &c.value))
		c.field = strings.ToLower(strings.TrimPrefix(c.field, "$"))
	default:
		err = fmt.Errorf("condition %q is not known", c.kind)
	}
	return err
}

// String is the condition as the upload host names it in errors.
func (c condition) String() string { return fmt.Sprintf("[%q, %q, %q]", c.kind, "$"+c.field, c.value) }

func (c condition) holds(fields map[string]string) bool {
	value, given := fields[c.field]
	switch {
	case c.kind == sizeRange:
		return true
	case c.field == "bucket":
		return c.value == bucket
	case c.kind == "starts-with":
		return given && strings.HasPrefix(value, c.value)
	}
	return given && value == c.value
}

// check holds the fields of a form, named in lower case, against the policy: every condition must
// hold, and a condition must cover every field but those that prove the policy.
func (p *policy) check(fields map[string]string, accessKeyField string) error {
	covered := map[string]bool{"policy": true, "signature": true, strings.ToLower(accessKeyField): true}
	for _, c := range p.Conditions {
		if !c.holds(fields) {
			return denied("Invalid according to Policy: Policy Condition failed: " + c.String())
		}
		covered[c.field] = true
	}
	for field := range fields {
		if !covered[field] && !strings.HasPrefix(field, "x-ignore-") {
			return denied("Invalid according to Policy: Extra input fields: " + field)
		}
	}
	return nil
}

func (p *policy) checkAge(now time.Time) error {
	if now.Before(p.Expiration) {
		return nil
	}
	return denied("Invalid according to Policy: Policy expired.")
}

// sizes returns the smallest and the largest file allowed.
func (p *policy) sizes(limit int64) (smallest, largest int64) {
	largest = limit
	for _, c := range p.Conditions {
		if c.kind == sizeRange {
			smallest, largest = max(smallest, c.min), min(largest, c.max)
		}
	}
	return smallest, largest
}
