package apiclient

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What an error keeps of an answer.
const (
	maxRefusal      = 256 << 10 // bytes of an answer whose messages are read
	maxMessages     = 20
	maxMessageDepth = 8
	maxRetryAfter   = 30 * 24 * time.Hour
)

// serviceErrors returns what is under the key errors of a JSON object, and whether that is a
// failure: the key is there and not empty. The interface promises an array, and leaves its elements
// open (section 7).
func serviceErrors(body []byte) (errs json.RawMessage, failed bool) {
	for name, value := range members(body) {
		if name == "errors" {
			errs = value
		}
	}
	return errs, errs != nil && !isEmpty(errs)
}

// holdsOnlyErrors reports whether a JSON object has the key errors and no other.
func holdsOnlyErrors(body []byte) bool {
	for name := range members(body) {
		if name != "errors" {
			return false
		}
	}
	_, failed := serviceErrors(body)
	return failed
}

// refusalMessages returns the messages of a refusing answer, under any of the usual keys, without
// secrets.
func refusalMessages(body []byte, secrets Redactor) []string {
	if len(body) > maxRefusal {
		return nil
	}
	found := messages{secrets: secrets}
	if errs, failed := serviceErrors(body); failed {
		found.addJSON(errs)
		return found.all()
	}
	var object map[string]any
	if json.Unmarshal(body, &object) != nil {
		return nil
	}
	if inner, ok := object["error"]; ok {
		found.add("", inner, maxMessageDepth)
	} else if text := describedBy(object); text != "" {
		found.add("", text, maxMessageDepth)
	}
	return found.all()
}

// members gives the names and values of a JSON object one by one, and nothing of other JSON. A map
// of them can take many times the memory of the text.
func members(body []byte) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		d := json.NewDecoder(bytes.NewReader(body))
		if first, _ := d.Token(); first != json.Delim('{') || !json.Valid(body) {
			return
		}
		for d.More() {
			name, _ := d.Token()
			var value json.RawMessage
			if d.Decode(&value) != nil || !yield(name.(string), value) {
				return
			}
		}
	}
}

func isEmpty(value json.RawMessage) bool {
	switch value[0] {
	case 'n', 'f': // null and false
		return true
	case '"':
		var text string
		_ = json.Unmarshal(value, &text)
		return strings.TrimSpace(text) == ""
	case '[', '{':
		return len(bytes.TrimSpace(value[1:len(value)-1])) == 0
	}
	return false
}

// messages gathers the messages of an answer: strings, objects that describe themselves, and objects
// that hold messages under the name of a field. There are no more and no longer ones than are shown,
// however many an answer holds and however deep they lie.
type messages struct {
	secrets Redactor
	texts   []string
	more    bool
}

func (m *messages) addJSON(value json.RawMessage) {
	var v any
	if json.Unmarshal(value, &v) == nil {
		m.add("", v, maxMessageDepth)
	}
}

// add gathers the messages of a value inside the fields that the prefix names.
func (m *messages) add(prefix string, v any, depth int) {
	if v == nil {
		return
	}
	if len(m.texts) == maxMessages {
		m.more = true
		return
	}
	switch v := v.(type) {
	case []any:
		if depth > 0 {
			for _, element := range v {
				m.add(prefix, element, depth-1)
			}
			return
		}
	case map[string]any:
		if text := describedBy(v); text != "" {
			m.addText(prefix + text)
			return
		}
		if depth > 0 {
			for _, name := range slices.Sorted(maps.Keys(v)) {
				m.add(m.secrets.clean(prefix+name)+": ", v[name], depth-1)
			}
			return
		}
	default:
		m.addText(prefix + fmt.Sprint(v))
		return
	}
	m.addText(prefix + "…")
}

func (m *messages) addText(text string) { m.texts = append(m.texts, m.secrets.clean(text)) }

func (m *messages) all() []string {
	if m.more {
		return append(m.texts, "and more")
	}
	return m.texts
}

// describedBy returns the text of an object that describes an error, or "".
func describedBy(object map[string]any) string {
	var text string
	for _, name := range []string{"message", "detail", "title", "code"} {
		s, _ := object[name].(string)
		switch {
		case s == "":
		case text == "":
			text = s
		case name == "code":
			text += " (" + s + ")"
		}
	}
	return text
}

// storeError reads an upload host's XML error. It reports false for anything else.
func storeError(body []byte) (code, message string, ok bool) {
	var answer struct {
		XMLName xml.Name
		Code    string
		Message string
	}
	if len(body) == 0 || xml.Unmarshal(body, &answer) != nil || answer.XMLName.Local != "Error" {
		return "", "", false
	}
	return answer.Code, answer.Message, true
}

// retryAfter reads the header of that name: seconds, or a date by the clock of the host that sent
// it.
func retryAfter(header http.Header) time.Duration {
	value := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return min(time.Duration(seconds)*time.Second, maxRetryAfter)
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return min(max(until.Sub(now), 0), maxRetryAfter)
}
