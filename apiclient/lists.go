package apiclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// maxPages, beside the size of all pages together, bounds a list that the service hands out in pages.
const maxPages = 1000

// page is where a part of a list stands.
type page struct{ path, query string }

// fetchList reads a JSON array of T. Beside the bare array that the interface shows it accepts an object that holds
// exactly one array, and follows the pages that a Link header offers (rel="next") on the service's own host.
func fetchList[T any](ctx context.Context, c *Client, k call) ([]T, error) {
	k.limit = maxList
	all := []T{}
	seen := map[page]bool{}
	for range maxPages {
		a, err := c.exchange(ctx, k)
		if err != nil {
			return nil, err
		}
		some, err := decodeList[T](a.body)
		if err != nil {
			return nil, c.misunderstood(k, a, notPromised(err))
		}
		all = append(all, some...)
		k.limit = max(k.limit-int64(len(a.body)), 1)
		next := nextPage(a.header)
		if next == "" {
			return all, nil
		}
		seen[page{k.path, k.query}] = true
		if err := c.turnPage(&k, next); err != nil || seen[page{k.path, k.query}] {
			return nil, c.misunderstood(k, a, fmt.Errorf("the list's next page leads elsewhere: %s", cut(next, 100)))
		}
	}
	return nil, &Error{Op: k.op, Err: fmt.Errorf("the list has more than %d pages", maxPages)}
}

// decodeList reads an array, bare or as the only array of an object.
func decodeList[T any](body []byte) ([]T, error) {
	var list []T
	if !isObject(body) {
		err := json.Unmarshal(body, &list)
		if err == nil && list == nil {
			err = errors.New("it is null")
		}
		return list, err
	}
	array, err := onlyArray(body)
	if err != nil {
		return nil, err
	}
	return list, json.Unmarshal(array, &list)
}

func onlyArray(body []byte) ([]byte, error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(body, &object); err != nil {
		return nil, err
	}
	var array []byte
	for name, value := range object {
		if value[0] != '[' || name == "errors" {
			continue
		}
		if array != nil {
			return nil, errors.New("it holds several arrays")
		}
		array = value
	}
	if array == nil {
		return nil, errors.New("it holds no array")
	}
	return array, nil
}

// nextPage returns the target of a Link header's rel="next", or "".
func nextPage(header http.Header) string {
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

// turnPage points the call at another page below the base URL. The password goes nowhere else.
func (c *Client) turnPage(k *call, target string) error {
	here, err := url.Parse(c.base.String() + k.path)
	if err != nil {
		return err
	}
	u, err := here.Parse(target)
	if err != nil {
		return err
	}
	path, below := strings.CutPrefix(u.EscapedPath(), c.base.EscapedPath()+"/api/")
	if u.Scheme != c.base.Scheme || !strings.EqualFold(u.Host, c.base.Host) || u.User != nil || !below {
		return errors.New("not below the base URL")
	}
	k.path, k.query = "/api/"+path, u.RawQuery
	return nil
}
