package apiclient

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// What bounds a list, in addition to the size of all its pages together.
const (
	maxPages    = 1000
	maxElements = 500_000
	maxImages   = 20_000           // of one product
	maxText     = 1 << 20          // bytes of a text, as it is written; others may keep small pictures in theirs
	listTime    = 10 * controlTime // for all pages
)

// page is the address of a part of a list.
type page struct{ path, query string }

// fetchList reads a JSON array of T. It accepts the bare array that the interface shows, and an
// object that holds exactly one array. It follows the pages that the answer announces on the
// service's own host. A list is an error when the service announces more entries but gives no way to
// them: the caller would create the missing entries a second time. What is listed twice, as where
// pages shift while they are read, is one thing.
func fetchList[T listed](ctx context.Context, c *Client, k call) ([]T, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, listTime, stalledError{"no complete list", listTime})
	defer cancel()
	k.limit = maxList
	all := []T{}
	seen := map[page]bool{}
	for read := range maxPages {
		a, err := c.exchange(ctx, k)
		if err != nil {
			return nil, err
		}
		all, err = appendList(all, a, cmp.Or(k.elements, maxElements))
		switch {
		case errors.Is(err, errTooMany):
			return nil, &Error{Op: k.op, Request: c.requestOf(k), Status: a.status, Err: err}
		case err != nil:
			return nil, c.misunderstood(k, a, notPromised(err))
		}
		k.limit = max(k.limit-int64(len(a.body)), 1)
		p := readPaging(a)
		next := p.target(k.query)
		if next == "" {
			if p.goesOn(len(all), read+1) {
				return nil, c.misunderstood(k, a,
					fmt.Errorf("only %d entries of a longer list came, and no way to the others", len(all)))
			}
			return withoutRepeats(all), nil
		}
		seen[page{k.path, k.query}] = true
		if err := c.turnPage(&k, next); err != nil || seen[page{k.path, k.query}] {
			return nil, c.misunderstood(k, a,
				fmt.Errorf("the list's next page leads elsewhere: %s", withoutUserinfo(next)))
		}
	}
	return nil, &Error{Op: k.op, Request: c.requestOf(k), Err: fmt.Errorf("the list has more than %d pages", maxPages)}
}

// A listed thing has a name that no other thing of its list has; empty when the service gave none.
type listed interface{ identity() string }

func (p Project) identity() string { return p.UUID }

func (p Product) identity() string { return p.UUID }

func (i Image) identity() string {
	if i.ID == 0 {
		return ""
	}
	return strconv.FormatInt(i.ID, 10)
}

// withoutRepeats keeps of each thing the entry that was read last, where the first one was.
func withoutRepeats[T listed](all []T) []T {
	at := map[string]int{}
	kept := all[:0]
	for _, entry := range all {
		name := entry.identity()
		if i, repeated := at[name]; repeated && name != "" {
			kept[i] = entry
			continue
		}
		at[name] = len(kept)
		kept = append(kept, entry)
	}
	return kept
}

var errTooMany = errors.New("the list is longer than any that is expected")

// appendList reads an array, bare or as the only array of an object, up to a number of elements in
// all. Each is read on its own: the shortest take twenty times the memory of their text. An empty
// list may also be null, as some languages write it, or no content at all (204).
func appendList[T any](all []T, a answer, most int) ([]T, error) {
	if a.status == http.StatusNoContent {
		return all, nil
	}
	array, err := onlyArray(a.body)
	if err != nil || array == nil {
		return all, err
	}
	d := json.NewDecoder(bytes.NewReader(array))
	_, _ = d.Token() // the opening bracket
	for d.More() {
		if len(all) == most {
			return nil, fmt.Errorf("%w: more than %d entries", errTooMany, most)
		}
		var element T
		if err := d.Decode(&element); err != nil {
			return nil, err
		}
		all = append(all, element)
	}
	return all, nil
}

// longestText is the length of the longest text in valid JSON.
func longestText(body []byte) (longest int) {
	for {
		_, text, found := bytes.Cut(body, []byte{'"'})
		if !found {
			return longest
		}
		n := 0
		for text[n] != '"' {
			if text[n] == '\\' {
				n++
			}
			n++
		}
		longest, body = max(longest, n), text[n+1:]
	}
}

// onlyArray returns an answer that is an array, or the only array of an object, and nil for null.
func onlyArray(body []byte) ([]byte, error) {
	switch {
	case !json.Valid(body):
		return nil, errors.New("it is no JSON")
	case longestText(body) > maxText:
		return nil, fmt.Errorf("it holds a text of more than %d KiB", maxText>>10)
	}
	switch body = bytes.TrimSpace(body); body[0] {
	case '[':
		return body, nil
	case 'n':
		return nil, nil
	}
	var array []byte
	for name, value := range members(body) {
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
