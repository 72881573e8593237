package alttext

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
)

const jsonForm = `write {"alt": "…"} or {"alt": {"en": "…"}}`

// parseJSON reads {"alt": "…"} or {"alt": {"en": "…"}} and lists the keys beside "alt". A file with
// an error in it yields no texts.
func parseJSON(text string) (list []entry, unknown []string, err error) {
	var file map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &file); err != nil {
		return nil, nil, jsonFlaw(text, err)
	}
	alt := file["alt"]
	delete(file, "alt")
	unknown = slices.Sorted(maps.Keys(file))
	var plain string
	if alt == nil || json.Unmarshal(alt, &plain) == nil {
		return []entry{{value: plain}}, unknown, nil
	}
	var byLocale map[string]string
	err = json.Unmarshal(alt, &byLocale)
	if _, unnamed := byLocale[""]; unnamed || err != nil {
		return nil, nil, errJSONForm
	}
	for _, locale := range slices.Sorted(maps.Keys(byLocale)) {
		list = append(list, entry{locale: locale, value: byLocale[locale]})
	}
	return list, unknown, nil
}

var errJSONForm = errors.New("has another form than expected; " + jsonForm)

// jsonFlaw gives an error its line.
func jsonFlaw(text string, err error) error {
	syntax, ok := errors.AsType[*json.SyntaxError](err)
	if !ok {
		return errJSONForm
	}
	line := 1 + strings.Count(text[:syntax.Offset], "\n")
	return lineError{line, "is not JSON (" + err.Error() + "); " + jsonForm}
}
