package servicetest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"spinsync/apiclient/sandbox"
)

// An object of an answer.
type object map[string]any

// plain is an answer that is no object of the interface.
type plain struct {
	status int
	body   string
}

// answer sends what an operation came to.
func (s *Server) answer(w http.ResponseWriter, r *request, answer any) {
	status := http.StatusOK
	if r.op.section == sandbox.CreateProject || r.op.section == sandbox.CreateProduct {
		status = s.habits.Created
	}
	if a, ok := answer.(archive); ok {
		sendArchive(w, a)
		return
	}
	if p, ok := answer.(plain); ok {
		if p.body != "" {
			s.nameType(w)
		}
		w.WriteHeader(p.status)
		fmt.Fprint(w, p.body)
		return
	}
	if m, ok := answer.(markup); ok {
		if s.habits.WrapEmbed == "" {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, m)
			return
		}
		answer = object{s.habits.WrapEmbed: m}
	}
	if list, ok := answer.([]object); ok {
		answer = s.pageOf(r, list)
		if s.habits.WrapLists != "" && r.op.paged() {
			answer = object{s.habits.WrapLists: answer}
		}
	}
	s.write(w, status, answer)
}

// pageOf is the page of a list that is asked for. A Link header leads to the next.
func (s *Server) pageOf(r *request, list []object) []object {
	if list == nil {
		list = []object{}
	}
	if s.habits.Page == 0 || !r.op.paged() {
		return list
	}
	number, _ := strconv.Atoi(r.query.Get(page))
	from := min(number*s.habits.Page, len(list))
	to := min(from+s.habits.Page, len(list))
	if to < len(list) {
		query := maps.Clone(r.query)
		query.Set(page, strconv.Itoa(number+1))
		r.header.Set("Link", fmt.Sprintf(`<%s?%s>; rel="next"`, r.URL.Path, query.Encode()))
	}
	if s.habits.Shifts && from > 0 {
		from--
	}
	return list[from:to]
}

// write sends JSON.
func (s *Server) write(w http.ResponseWriter, status int, value any) {
	data, err := json.Marshal(s.extended(value))
	if err != nil {
		panic(err)
	}
	s.nameType(w)
	w.WriteHeader(status)
	if s.habits.NoLength {
		_ = http.NewResponseController(w).Flush()
	}
	w.Write(data)
}

func (s *Server) nameType(w http.ResponseWriter) {
	kind := "application/json"
	if s.habits.Charset {
		kind += "; charset=utf-8"
	}
	w.Header().Set("Content-Type", kind)
}

// extended adds fields that the interface does not name, if that is a habit.
func (s *Server) extended(value any) any {
	if !s.habits.Extra {
		return value
	}
	switch v := value.(type) {
	case object:
		extended := object{"_links": object{"help": []string{"https://help.invalid"}}, "updated_at": nil, "position": 7}
		for name, inner := range v {
			extended[name] = s.extended(inner)
		}
		return extended
	case []object:
		all := make([]any, len(v))
		for i := range v {
			all[i] = s.extended(v[i])
		}
		return all
	}
	return value
}

// written is a time as section 2 has it.
func (h Habits) written(t time.Time) string { return h.byClock(t).Format("2006-01-02T15:04:05.000Z") }

// orNull is null for text that is not set.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// year is null where none is set, and a number where it has digits alone, if that is a habit.
func (h Habits) year(year string) any {
	if n, err := strconv.Atoi(year); err == nil && h.NumericYear {
		return n
	}
	return orNull(year)
}

// no is a refusal of what could have been.
func (h Habits) no(format string, args ...any) error {
	return &refusal{text: fmt.Sprintf(format, args...), status: h.Error}
}

// notThere refuses a request about an unknown thing.
func (h Habits) notThere(what string) error {
	return &refusal{text: what + " not found", status: h.NotFound}
}

// ordered puts entries, the oldest first, into the order of lists.
func ordered[T any](s *stock, entries []T, id func(T) string) []T {
	entries = slices.Clone(entries)
	switch s.habits.Order {
	case "new":
		slices.Reverse(entries)
	case "id":
		slices.SortFunc(entries, func(a, b T) int { return cmp.Compare(id(a), id(b)) })
	}
	return entries
}
