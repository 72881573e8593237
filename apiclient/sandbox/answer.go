package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
)

// refusal is an answer that says no (interface section 7).
type refusal struct {
	status   int
	messages []string
}

func (r *refusal) Error() string { return strings.Join(r.messages, "; ") }

func refuse(status int, messages ...string) error { return &refusal{status, messages} }

// notice is the plain answer of what succeeded (interface section 7).
var notice = map[string]string{"notice": "OK"}

// reply answers with v as JSON, in the chosen shape.
func (s *Server) reply(w http.ResponseWriter, status int, v any) error {
	data, err := s.opts.Shapes.encode(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(status)
	w.Write(data)
	return nil
}

// replyError turns an error of an operation into its answer. An error other than a refusal is the
// sandbox's own failure: it is logged and not sent.
func (s *Server) replyError(w http.ResponseWriter, r *http.Request, err error) {
	if store, ok := errors.AsType[*storeError](err); ok {
		store.reply(w)
		return
	}
	var no *refusal
	if !errors.As(err, &no) {
		s.opts.Log.Error("a call failed", "method", r.Method, "path", r.URL.Path, "error", err)
		no = &refusal{http.StatusInternalServerError, []string{"the sandbox has a problem of its own, see its log"}}
	}
	if no.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Basic realm="sandbox", charset="UTF-8"`)
	}
	if err := s.reply(w, s.opts.Shapes.errorStatus(no.status), s.opts.Shapes.errors(no)); err != nil {
		s.opts.Log.Error("an answer could not be written", "error", err)
	}
}

func (s *Shapes) errorStatus(status int) int {
	if s.ErrorsAreOK && status != http.StatusUnauthorized {
		return http.StatusOK
	}
	return status
}

// errors is the object with the key errors of interface section 7.
func (s *Shapes) errors(no *refusal) any {
	elements := make([]any, len(no.messages))
	for i, message := range no.messages {
		elements[i] = message
		if s.ErrorObjects {
			elements[i] = map[string]any{"code": no.status, "message": message}
		}
	}
	return map[string]any{"errors": elements}
}

func (s *Shapes) encode(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil || !s.YearIsNumber && !s.ExtraFields {
		return data, err
	}
	var generic any
	if err := json.Unmarshal(data, &generic); err != nil {
		return nil, err
	}
	s.reshape(generic)
	return json.Marshal(generic)
}

// reshape changes the objects of an answer in place.
func (s *Shapes) reshape(v any) {
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			s.reshape(element)
		}
	case map[string]any:
		for name := range maps.Clone(v) {
			s.reshapeField(v, name)
		}
		if s.ExtraFields {
			v["x_sandbox"] = map[string]any{"note": "a field that the interface does not name", "n": 1.5}
		}
	}
}

func (s *Shapes) reshapeField(object map[string]any, name string) {
	year, isText := object[name].(string)
	if name == "year" && isText && s.YearIsNumber {
		if n, err := strconv.Atoi(year); err == nil {
			object[name] = n
		}
		return
	}
	if name != "alt_texts" { // its keys are locales, not fields
		s.reshape(object[name])
	}
}

// problems gathers the mistakes of a request, so that one answer holds them all.
type problems []string

func (p *problems) add(format string, args ...any) { *p = append(*p, fmt.Sprintf(format, args...)) }

func (p problems) err() error {
	if len(p) == 0 {
		return nil
	}
	return refuse(http.StatusUnprocessableEntity, p...)
}
