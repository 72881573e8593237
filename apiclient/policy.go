package apiclient

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"strings"
	"time"
)

// PolicyHint is what an upload policy seems to demand. The interface calls the policy opaque, so
// nothing may depend on it: it helps not to start what would be refused.
type PolicyHint struct {
	Expires          time.Time // by the upload host's clock; zero when the policy names none
	MinSize, MaxSize int64     // bytes a file may have; without a limit MaxSize is math.MaxInt64
	AccessKeyField   string    // the form field for the access key, if a condition names it
	VendorField      string    // that field by the vendor, if a condition names another one
}

// Hint decodes the policy as the base64 JSON that forms of this kind usually carry. It reports
// false when it is not.
func (c Credentials) Hint() (PolicyHint, bool) {
	data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(unwrap.Replace(c.Policy), "="))
	if err != nil {
		return PolicyHint{}, false
	}
	var policy struct {
		Expiration Timestamp
		Conditions []json.RawMessage
	}
	if json.Unmarshal(data, &policy) != nil {
		return PolicyHint{}, false
	}
	hint := PolicyHint{Expires: policy.Expiration.Time, MaxSize: math.MaxInt64}
	for _, condition := range policy.Conditions {
		hint.apply(condition)
	}
	return hint, true
}

// unwrap takes the line breaks out of base64 and maps its URL alphabet to the standard one.
var unwrap = strings.NewReplacer("\n", "", "\r", "", "-", "+", "_", "/")

// apply reads one condition: {"key": "…"}, ["eq", "$key", "…"], ["starts-with", "$key", "…"] or
// ["content-length-range", min, max]. It ignores others.
func (h *PolicyHint) apply(condition []byte) {
	var exact map[string]any
	if json.Unmarshal(condition, &exact) == nil {
		for name := range exact {
			h.field(name)
		}
		return
	}
	var list []json.RawMessage
	var operator, name string
	if json.Unmarshal(condition, &list) != nil || len(list) != 3 || json.Unmarshal(list[0], &operator) != nil {
		return
	}
	switch strings.ToLower(operator) {
	case "content-length-range":
		h.setRange(list[1], list[2])
	case "starts-with", "eq":
		if json.Unmarshal(list[1], &name) == nil && strings.HasPrefix(name, "$") {
			h.field(name[1:])
		}
	}
}

func (h *PolicyHint) setRange(low, high []byte) {
	var least, most whole
	if json.Unmarshal(low, &least) == nil && json.Unmarshal(high, &most) == nil && least <= most {
		h.MinSize, h.MaxSize = int64(least), int64(most)
	}
}

// field takes in that a condition is about a field of the form.
func (h *PolicyHint) field(name string) {
	lower := strings.ToLower(name)
	if strings.HasSuffix(lower, "accesskeyid") || strings.HasSuffix(lower, "accessid") {
		h.AccessKeyField = name
	}
	for _, v := range storeVendors() {
		if v.own != "" && strings.HasPrefix(lower, v.own) {
			h.VendorField = v.field
		}
	}
}
