package alttext

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
)

const jsonForm = `write {"alt": "…"} or {"alt": {"en": "…"}}`

// parseJSON reads {"alt": "…"} or {"alt": {"en": "…"}} and lists keys beside "alt". A file with an
// error in it yields no texts.
func parseJSON(text string) (list, unknown []entry, err error) {
	j := &jsonReader{dec: json.NewDecoder(strings.NewReader(text)), text: text, line: 1}
	err = j.object(func(key string) error {
		if key != "alt" {
			unknown = append(unknown, entry{value: key, line: j.at(j.dec.InputOffset())})
			return j.fail(j.dec.Decode(new(json.RawMessage)))
		}
		texts, err := j.texts()
		list = append(list, texts...)
		return err
	})
	if err == nil {
		err = j.end()
	}
	if err != nil {
		return nil, nil, err
	}
	return list, unknown, nil
}

// jsonReader reads JSON token by token, so that every text has its line.
type jsonReader struct {
	dec  *json.Decoder
	text string

	// offset and line are the last place asked for.
	offset int64
	line   int
}

// at is the line of an offset. Offsets only grow, else counting would take quadratic time.
func (j *jsonReader) at(offset int64) int {
	offset = min(offset, int64(len(j.text)))
	if offset > j.offset {
		j.line += strings.Count(j.text[j.offset:offset], "\n")
		j.offset = offset
	}
	return j.line
}

// fail gives an error its line.
func (j *jsonReader) fail(err error) error {
	if err == nil {
		return nil
	}
	offset := j.dec.InputOffset()
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = syntax.Offset
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return lineError{j.at(int64(len(j.text))), "ends too early; " + jsonForm}
	}
	return lineError{j.at(offset), "is not JSON (" + err.Error() + "); " + jsonForm}
}

func (j *jsonReader) misformed() error {
	return lineError{j.at(j.dec.InputOffset()), "has another form than expected; " + jsonForm}
}

// object reads an object and calls value for each key, which must consume the key's value.
func (j *jsonReader) object(value func(key string) error) error {
	start, err := j.dec.Token()
	if err != nil {
		return j.fail(err)
	}
	if start != json.Delim('{') {
		return j.misformed()
	}
	return j.members(value)
}

// members reads what follows an object's opening brace.
func (j *jsonReader) members(value func(key string) error) error {
	for j.dec.More() {
		key, err := j.dec.Token()
		if err != nil {
			return j.fail(err)
		}
		if err := value(key.(string)); err != nil {
			return err
		}
	}
	_, err := j.dec.Token()
	return j.fail(err)
}

// texts reads the value of "alt".
func (j *jsonReader) texts() ([]entry, error) {
	token, err := j.dec.Token()
	if err != nil {
		return nil, j.fail(err)
	}
	switch v := token.(type) {
	case string:
		return []entry{{value: v, line: j.at(j.dec.InputOffset())}}, nil
	case json.Delim:
		if v == '{' {
			return j.byLocale()
		}
	}
	return nil, j.misformed()
}

func (j *jsonReader) byLocale() (list []entry, err error) {
	err = j.members(func(locale string) error {
		token, err := j.dec.Token()
		if err != nil {
			return j.fail(err)
		}
		text, ok := token.(string)
		if !ok || locale == "" {
			return j.misformed()
		}
		list = append(list, entry{locale, text, j.at(j.dec.InputOffset())})
		return nil
	})
	return list, err
}

// end refuses what follows the object.
func (j *jsonReader) end() error {
	if _, err := j.dec.Token(); err == io.EOF {
		return nil
	} else if err != nil {
		return j.fail(err)
	}
	return j.misformed()
}
