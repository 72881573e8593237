package apiclient

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What an error keeps of an answer.
const (
	maxMessages     = 20
	maxMessageRunes = 300
	maxRetryAfter   = 30 * 24 * time.Hour
)

// serviceErrors returns what stands under the key errors of a JSON object, and whether that is a failure: the key is
// there and not empty. The interface promises an array, and leaves its elements open (section 7).
func serviceErrors(body []byte) (messages []string, failed bool) {
	var object map[string]json.RawMessage
	if !isObject(body) || json.Unmarshal(body, &object) != nil {
		return nil, false
	}
	var errs any
	if json.Unmarshal(object["errors"], &errs) != nil || isEmpty(errs) {
		return nil, false
	}
	return flatten(errs), true
}

// holdsOnlyErrors reports whether a JSON object has the key errors and no other.
func holdsOnlyErrors(body []byte) bool {
	var object map[string]json.RawMessage
	_, failed := serviceErrors(body)
	return failed && json.Unmarshal(body, &object) == nil && len(object) == 1
}

// refusalMessages returns what a refusing answer says, under whichever of the usual keys.
func refusalMessages(body []byte) []string {
	if messages, failed := serviceErrors(body); failed {
		return messages
	}
	var object map[string]any
	if json.Unmarshal(body, &object) != nil {
		return nil
	}
	if inner, ok := object["error"]; ok {
		return flatten(inner)
	}
	if text := describedBy(object); text != "" {
		return []string{text}
	}
	return nil
}

func isObject(body []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(body), []byte("{"))
}

func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case bool:
		return !v
	case string:
		return strings.TrimSpace(v) == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// flatten turns whatever stands for errors into messages: strings, objects that describe themselves, and objects that
// hold messages under the name of a field.
func flatten(v any) []string {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		var all []string
		for _, element := range v {
			all = append(all, flatten(element)...)
		}
		return all
	case map[string]any:
		if text := describedBy(v); text != "" {
			return []string{text}
		}
		var all []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			for _, text := range flatten(v[name]) {
				all = append(all, name+": "+text)
			}
		}
		return all
	}
	return []string{fmt.Sprint(v)}
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

// retryAfter reads the header of that name: seconds, or a date by the clock of the host that sent it.
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

// redactor hides known secrets in text that a host sent back.
type redactor []string

// newRedactor also knows the forms a secret takes inside JSON and XML.
func newRedactor(secrets ...string) redactor {
	var r redactor
	for _, s := range secrets {
		if s == "" {
			continue
		}
		quoted, _ := json.Marshal(s)
		var escaped bytes.Buffer
		xml.EscapeText(&escaped, []byte(s))
		r = append(r, s, string(quoted[1:len(quoted)-1]), strings.ReplaceAll(s, "/", `\/`), escaped.String())
	}
	// The longest first, or a secret that begins another would uncover the rest of it.
	slices.SortFunc(r, func(a, b string) int { return len(b) - len(a) })
	return r
}

// clean returns text without secrets, safe to show, and bounded.
func (r redactor) clean(text string) string {
	for _, secret := range r {
		text = strings.ReplaceAll(text, secret, hidden)
	}
	return escape(cut(text, maxMessageRunes))
}

func (r redactor) cleanAll(messages []string) []string {
	if len(messages) > maxMessages {
		messages = append(messages[:maxMessages:maxMessages], fmt.Sprintf("and %d more", len(messages)-maxMessages))
	}
	cleaned := make([]string, len(messages))
	for i, text := range messages {
		cleaned[i] = r.clean(text)
	}
	return cleaned
}

// cut shortens text to a number of runes.
func cut(text string, limit int) string {
	for i := range text {
		if limit == 0 {
			return text[:i] + "…"
		}
		limit--
	}
	return text
}
