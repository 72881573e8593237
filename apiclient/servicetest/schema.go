package servicetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"unicode/utf8"
)

// A schema names the fields of a body, and what each must be.
type schema map[string]kind

// A kind is what the value of a field must be.
type kind struct {
	optional bool
	valid    func(json.RawMessage) bool
}

// The bodies of 4.1, 4.2, 4.9 and 4.13. The interface does not show that a year must be sent.
var (
	newProject = schema{"title": {valid: isName}}
	newProduct = schema{
		"title": {valid: isName}, "sku": {valid: isText}, "manufacturer": {valid: isText},
		"year": {optional: true, valid: isText}, "project": {valid: isUUID}, "images": {valid: isCount},
	}
	changedProduct = schema{
		"title": {true, isName}, "sku": {true, isText}, "manufacturer": {true, isText}, "year": {true, isText},
		"images": {true, isCount},
	}
	altTexts = schema{"alt_texts": {valid: isTexts}}
)

// fields are those of a body.
type fields map[string]json.RawMessage

// text is a field that holds a string, and whether it is there.
func (f fields) text(name string) (text string, given bool) {
	given = f[name] != nil
	_ = json.Unmarshal(f[name], &text)
	return text, given
}

func (f fields) count() (images int, given bool) {
	given = f["images"] != nil
	_ = json.Unmarshal(f["images"], &images)
	return images, given
}

// read takes a body that has all fields which must be there, and none that the interface does not
// name.
func (s schema) read(body []byte) (fields, error) {
	if s == nil {
		return nil, nil
	}
	found, err := readObject(body)
	if err != nil {
		return nil, wrong("its body is no JSON object: %v", err)
	}
	for name, value := range found {
		want, named := s[name]
		if !named || !want.valid(value) {
			return nil, wrong("its body has the field %s: %s", name, value)
		}
	}
	for name, want := range s {
		if !want.optional && found[name] == nil {
			return nil, wrong("its body has no field %s", name)
		}
	}
	return found, nil
}

// readObject reads exactly one object, whose names are all different.
func readObject(data []byte) (fields, error) {
	if !utf8.Valid(data) {
		return nil, fmt.Errorf("it is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil, fmt.Errorf("it begins with %v", start)
	}
	found := fields{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		if found[name.(string)] != nil {
			return nil, fmt.Errorf("it has %s twice", name)
		}
		found[name.(string)] = value
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("something follows it")
	}
	return found, nil
}

func isText(value json.RawMessage) bool {
	var text string
	return value[0] == '"' && json.Unmarshal(value, &text) == nil
}

// isName is for what cannot be empty.
func isName(value json.RawMessage) bool { return isText(value) && string(value) != `""` }

var (
	uuidText  = regexp.MustCompile(`^"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"$`)
	countText = regexp.MustCompile(`^[1-9][0-9]*$`)
	locale    = regexp.MustCompile(`^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$`)
)

func isUUID(value json.RawMessage) bool { return uuidText.Match(value) }

func isCount(value json.RawMessage) bool { return countText.Match(value) }

// isTexts is for an object of locales and strings.
func isTexts(value json.RawMessage) bool {
	texts, err := readObject(value)
	for name, text := range texts {
		if !locale.MatchString(name) || !isText(text) {
			return false
		}
	}
	return err == nil
}

// unknownUser is a refusal of a sender whom the service does not know, which no client may risk.
func unknownUser(text string) error {
	return &refusal{text: text, status: http.StatusUnauthorized, wrong: true}
}

// wrong is a refusal of what the interface does not allow.
func wrong(format string, args ...any) error {
	return &refusal{text: fmt.Sprintf(format, args...), status: http.StatusBadRequest, wrong: true}
}
