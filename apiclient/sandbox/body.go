package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxBody bounds the JSON of a request, in bytes.
const maxBody = 256 << 10

// body is the JSON object of a request. Its methods read fields and gather their mistakes.
type body struct {
	fields   map[string]json.RawMessage
	problems problems
}

// err refuses a body with mistakes.
func (b *body) err() error { return b.problems.err() }

// readBody reads a body whose fields have these names alone.
func readBody(w http.ResponseWriter, r *http.Request, names ...string) (*body, error) {
	mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || mediaType != "application/json" {
		return nil, refuse(http.StatusUnsupportedMediaType, "the body must be sent as Content-Type: application/json")
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		return nil, refuse(http.StatusRequestEntityTooLarge, "the body is too large")
	case err != nil:
		return nil, refuse(http.StatusBadRequest, "the body could not be read")
	}
	b := &body{}
	if b.fields = readObject(data); b.fields == nil {
		return nil, refuse(http.StatusBadRequest, "the body must be a JSON object of different fields, in UTF-8")
	}
	for _, name := range slices.Sorted(maps.Keys(b.fields)) {
		if !slices.Contains(names, name) {
			b.problems.add("%s is no field of this operation", name)
		}
	}
	return b, nil
}

// readObject reads a JSON object, and returns nil for anything else and where a name is there twice.
func readObject(data []byte) (fields map[string]json.RawMessage) {
	if !utf8.Valid(data) || json.Unmarshal(data, &fields) != nil {
		return nil
	}
	members := json.NewDecoder(bytes.NewReader(data))
	members.Token() // the brace
	for range fields {
		members.Token()
		members.Decode(new(json.RawMessage))
	}
	if members.More() {
		return nil
	}
	return fields
}

func (b *body) has(name string) bool { return b.fields[name] != nil }

// require names the fields that are missing.
func (b *body) require(names ...string) {
	for _, name := range names {
		if !b.has(name) {
			b.problems.add("%s is missing", name)
		}
	}
}

// text reads a field into value, if it is there.
func (b *body) text(name string, value *string) {
	if b.has(name) && !isText(b.fields[name], value) {
		b.problems.add("%s must be a string", name)
	}
}

// title reads the field of that name, which must not be blank.
func (b *body) title(value *string) {
	b.text("title", value)
	if b.has("title") && strings.TrimSpace(*value) == "" && len(b.problems) == 0 {
		b.problems.add("title must not be blank")
	}
}

// count reads a field that is a whole number from 1 on.
func (b *body) count(name string) int {
	var n int
	if b.has(name) && (json.Unmarshal(b.fields[name], &n) != nil || n < 1) {
		b.problems.add("%s must be a whole number from 1 on", name)
	}
	return n
}

// texts reads a map of text to text, and leaves out blank texts (interface 4.13).
func (b *body) texts(name string) map[string]string {
	raw := readObject(b.fields[name])
	if raw == nil {
		b.problems.add("%s must be an object of different keys", name)
	}
	values := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(raw)) {
		var value string
		switch {
		case strings.TrimSpace(key) == "":
			b.problems.add("%s has a blank key", name)
		case !isText(raw[key], &value):
			b.problems.add("%s: %q must be a string", name, key)
		case strings.TrimSpace(value) != "":
			values[key] = value
		}
	}
	return values
}

// isText reads a JSON string. Null is none, although the json package takes it for an empty one.
func isText(data json.RawMessage, value *string) bool {
	return data[0] == '"' && json.Unmarshal(data, value) == nil
}
