package apiclient

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// paging is how an answer places itself in a list that has pages. The interface shows lists without
// pages, so all the usual ways are known: a Link header, counting headers, and fields next to the
// array.
type paging struct {
	link        string // to the next page
	number      int    // of the next page
	page, pages int    // number of this one, and of the last
	total       int    // elements of all pages
	more        bool   // there is a next page
}

func readPaging(a answer) paging {
	p := paging{link: linkToNext(a.header)}
	for name := range a.header {
		p.note(strings.TrimPrefix(name, "X-"), a.header.Get(name))
	}
	_, total, _ := strings.Cut(a.header.Get("Content-Range"), "/")
	p.note("total", total)
	p.read(a.body, maxPagingDepth)
	return p
}

// How far inside each other the objects about pages are read, and how long their fields are at most.
const (
	maxPagingDepth = 3
	maxPagingField = 64 << 10
)

// read takes in the fields next to the array, also those of objects about the list. Other objects may
// count other things.
func (p *paging) read(body []byte, depth int) {
	if depth == 0 {
		return
	}
	for name, raw := range members(body) {
		var value any
		if raw[0] != '[' && len(raw) <= maxPagingField && json.Unmarshal(raw, &value) == nil {
			p.note(name, value)
			if isAboutPages(name) {
				p.read(raw, depth-1)
			}
		}
	}
}

// isAboutPages reports whether an object of that name is about the list next to it.
func isAboutPages(name string) bool {
	about := []string{"meta", "metadata", "pagination", "paging", "page", "pageinfo", "links"}
	return slices.Contains(about, plainName(name))
}

var unjoin = strings.NewReplacer("_", "", "-", "")

// plainName is a field's name however its words are joined.
func plainName(name string) string { return strings.ToLower(unjoin.Replace(name)) }

// note takes in one field. A value of another kind than its name asks for is ignored. Numbers may be
// written as strings.
func (p *paging) note(name string, value any) {
	number, _ := value.(float64)
	text, _ := value.(string)
	if n, err := strconv.Atoi(text); err == nil {
		number, text = float64(n), ""
	}
	switch plainName(name) {
	case "next", "nextpage", "nextpageurl", "nexturl", "nextlink":
		if inner, ok := value.(map[string]any); ok {
			text, _ = inner["href"].(string)
		}
		p.link = cmp.Or(p.link, text)
		p.number = max(p.number, int(number))
	case "nextcursor", "nexttoken", "nextpagetoken":
		p.more = p.more || text != "" || number != 0
	case "hasmore", "hasnext", "hasnextpage":
		p.more = p.more || value == true
	case "last", "islast", "islastpage":
		p.more = p.more || value == false
	case "lastpage": // its number, or whether this is it
		p.pages, p.more = max(p.pages, int(number)), p.more || value == false
	case "page", "currentpage":
		p.page = max(p.page, int(number))
	case "pages", "totalpages", "pagecount":
		p.pages = max(p.pages, int(number))
	case "total", "totalcount", "totalitems", "totalelements", "totalrecords", "count":
		p.total = max(p.total, int(number))
	}
}

// target is the address of the next page, or "". A page that has only a number is asked for by that
// number.
func (p paging) target(query string) string {
	number := p.number
	if p.page > 0 && p.page < p.pages {
		number = p.page + 1
	}
	switch values, err := url.ParseQuery(query); {
	case p.link != "":
		return p.link
	case number > 0 && err == nil:
		values.Set("page", strconv.Itoa(number))
		return "?" + values.Encode()
	}
	return ""
}

// goesOn reports whether the list is announced as longer than what came: so many entries on so many
// pages.
func (p paging) goesOn(came, read int) bool { return p.more || p.total > came || p.pages > read }

// linkToNext returns the target of a Link header's rel="next", or "".
func linkToNext(header http.Header) string {
	links := strings.Join(header.Values("Link"), ",")
	for links != "" {
		_, link, _ := strings.Cut(links, "<")
		target, rest, _ := strings.Cut(link, ">")
		parameters, _, _ := strings.Cut(rest, "<")
		if isNext(parameters) {
			return target
		}
		links = rest
	}
	return ""
}

func isNext(parameters string) bool {
	for p := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(strings.Trim(p, " ,"), "=")
		if strings.EqualFold(name, "rel") && slices.Contains(strings.Fields(strings.Trim(value, `"`)), "next") {
			return true
		}
	}
	return false
}
