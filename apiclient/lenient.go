package apiclient

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"
)

// text reads a string, a number (kept as it is written) or null (empty).
type text string

func (t *text) UnmarshalJSON(data []byte) error {
	switch c := data[0]; {
	case c == '"':
		return json.Unmarshal(data, (*string)(t))
	case c == 'n':
		*t = ""
		return nil
	case c == '-' || '0' <= c && c <= '9':
		*t = text(data)
		return nil
	}
	return fmt.Errorf("%s is neither a string nor a number", kindOf(data))
}

// whole reads a whole number, also from a string.
type whole int64

func (w *whole) UnmarshalJSON(data []byte) error {
	if bytes.Equal(data, []byte("null")) {
		return nil
	}
	digits := strings.TrimSuffix(strings.Trim(string(data), `"`), ".0")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return fmt.Errorf("%s is not a whole number", kindOf(data))
	}
	*w = whole(n)
	return nil
}

// kindOf names what a JSON value is. Its text is no part of an error: it may hold anything.
func kindOf(value []byte) string {
	switch value[0] {
	case '"':
		return "a string"
	case '[':
		return "an array"
	case '{':
		return "an object"
	case 't', 'f':
		return "true or false"
	}
	return "a number"
}

// Texts are alt texts by locale. None is {} on the wire, and [] is read as none, as some languages
// write it.
type Texts map[string]string

// MarshalJSON writes none as {}.
func (t Texts) MarshalJSON() ([]byte, error) {
	if t == nil {
		return []byte("{}"), nil
	}
	return json.Marshal(map[string]string(t))
}

// UnmarshalJSON reads no texts as an empty map. A locale without a text is none.
func (t *Texts) UnmarshalJSON(data []byte) error {
	*t = Texts{}
	if bytes.Equal(data, []byte("[]")) || bytes.Equal(data, []byte("null")) {
		return nil
	}
	err := json.Unmarshal(data, (*map[string]string)(t))
	maps.DeleteFunc(*t, func(_, text string) bool { return strings.TrimSpace(text) == "" })
	return err
}

// orNull is what JSON writes as null for an empty string.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// field is a field of an answer that must not be empty.
type field struct{ name, value string }

func requireFields(object string, fields ...field) error {
	for _, f := range fields {
		if f.value == "" {
			return missingField(object, f.name)
		}
	}
	return nil
}

func missingField(object, name string) error {
	return fmt.Errorf("the %s has no %s", object, name)
}
