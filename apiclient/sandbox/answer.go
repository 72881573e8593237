package sandbox

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// refusal is a refusing answer (interface section 7).
type refusal struct {
	status   int
	code     string // of the upload host, which speaks XML; empty elsewhere
	messages []string
}

func (r *refusal) Error() string { return strings.Join(r.messages, "; ") }

func refuse(status int, messages ...string) error { return &refusal{status, "", messages} }

// notice is the plain answer of what succeeded (interface section 7).
var notice = map[string]string{"notice": "OK"}

// reply answers with v as JSON.
func (s *Server) reply(w http.ResponseWriter, status int, v any) error {
	data, err := json.Marshal(v)
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
	var no *refusal
	if !errors.As(err, &no) {
		s.opts.Log.Error("a call failed", "method", r.Method, "path", r.URL.Path, "error", err)
		messages := []string{"the sandbox has a problem of its own, see its log"}
		no = &refusal{status: http.StatusInternalServerError, messages: messages}
	}
	if no.code != "" {
		no.replyXML(w)
		return
	}
	if no.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Basic realm="sandbox", charset="UTF-8"`)
	}
	if err := s.reply(w, no.status, map[string]any{"errors": no.messages}); err != nil {
		s.opts.Log.Error("an answer could not be written", "error", err)
	}
}

// replyXML answers as S3 stores refuse a form.
func (r *refusal) replyXML(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(r.status)
	io.WriteString(w, xml.Header)
	xml.NewEncoder(w).Encode(struct {
		XMLName       xml.Name `xml:"Error"`
		Code, Message string
	}{Code: r.code, Message: r.Error()})
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
