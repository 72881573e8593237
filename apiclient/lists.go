package apiclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// maxPages, beside the size of all pages together, bounds a list that the service hands out in pages.
const maxPages = 1000

// page is where a part of a list stands.
type page struct{ path, query string }

// fetchList reads a JSON array of T. Beside the bare array that the interface shows it accepts an object that holds
// exactly one array, and follows the pages that the answer tells of on the service's own host. A list of which the
// service says that there is more than can be had is no list: what it lacks would be made a second time.
func fetchList[T any](ctx context.Context, c *Client, k call) ([]T, error) {
	k.limit = maxList
	all := []T{}
	seen := map[page]bool{}
	for range maxPages {
		a, err := c.exchange(ctx, k)
		if err != nil {
			return nil, err
		}
		some, err := decodeList[T](a)
		if err != nil {
			return nil, c.misunderstood(k, a, notPromised(err))
		}
		all = append(all, some...)
		k.limit = max(k.limit-int64(len(a.body)), 1)
		told := readPaging(a)
		next := told.target(k.query)
		if next == "" {
			if told.goesOn(len(all)) {
				return nil, c.misunderstood(k, a, fmt.Errorf("only %d entries of a longer list came, and no way to the others", len(all)))
			}
			return all, nil
		}
		seen[page{k.path, k.query}] = true
		if err := c.turnPage(&k, next); err != nil || seen[page{k.path, k.query}] {
			return nil, c.misunderstood(k, a, fmt.Errorf("the list's next page leads elsewhere: %s", redactUserinfo(next)))
		}
	}
	return nil, &Error{Op: k.op, Err: fmt.Errorf("the list has more than %d pages", maxPages)}
}

// decodeList reads an array, bare or as the only array of an object. An empty list may also be null, as some languages
// write it, or no content at all (204).
func decodeList[T any](a answer) (list []T, err error) {
	array := a.body
	if isObject(a.body) {
		array, err = onlyArray(a.body)
	}
	if err != nil || a.status == http.StatusNoContent || bytes.Equal(bytes.TrimSpace(array), []byte("null")) {
		return []T{}, err
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
