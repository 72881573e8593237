package apiclient

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Status reads how far processing is (4.14). It is public and sent without the password. Every call
// asks the service, which may answer that nothing has changed since the last one. An unknown
// product is ErrUnknownProduct.
func (c *Client) Status(ctx context.Context, product string) (Status, error) {
	known := c.states.get(product)
	k := call{op: OpStatus, method: http.MethodGet, public: true, header: known.condition()}
	if err := k.at("products", product, "status"); err != nil {
		return Status{}, err
	}
	a, err := c.exchange(ctx, k)
	switch {
	case a.status == http.StatusNotFound && saysUnknown(a.body):
		return Status{}, &Error{Op: k.op, Request: c.requestOf(k), Status: a.status, Err: ErrUnknownProduct}
	case err != nil:
		return Status{}, err
	case a.status == http.StatusNotModified:
		return known.status, nil
	}
	return c.readStatus(k, a, product)
}

func (c *Client) readStatus(k call, a answer, product string) (Status, error) {
	if saysUnknown(a.body) {
		c.states.forget(product)
		return Status{}, &Error{Op: k.op, Request: c.requestOf(k), Status: a.status, Err: ErrUnknownProduct}
	}
	read, err := decode[StatusAnswer](c, k, a)
	if err != nil {
		return Status{}, err
	}
	if read.Variant == nil {
		return Status{}, c.misunderstood(k, a, notPromised(errors.New("it has no variant")))
	}
	c.states.put(product, newKnownStatus(*read.Variant, a.header))
	return *read.Variant, nil
}

// saysUnknown reports whether the answer is an object whose variant is there and null.
func saysUnknown(body []byte) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(body, &object) == nil && string(object["variant"]) == "null"
}

// knownStatus is a status and what the service can tell its age by.
type knownStatus struct {
	status       Status
	etag         string
	lastModified string
}

// newKnownStatus keeps the answer's validators. A Last-Modified of the very second of the answer is
// none: the status may have changed once more within that second, and would never be seen to.
func newKnownStatus(s Status, header http.Header) knownStatus {
	known := knownStatus{status: s}
	if strings.Contains(strings.ToLower(header.Get("Cache-Control")), "no-store") {
		return known
	}
	known.etag = header.Get("ETag")
	modified, err := http.ParseTime(header.Get("Last-Modified"))
	date, dateErr := http.ParseTime(header.Get("Date"))
	if err == nil && dateErr == nil && date.Sub(modified) >= 2*time.Second {
		known.lastModified = header.Get("Last-Modified")
	}
	return known
}

// condition is the header of a request for a newer status, nil when any is wanted.
func (k knownStatus) condition() http.Header {
	switch {
	case k.etag != "":
		return http.Header{"If-None-Match": {k.etag}}
	case k.lastModified != "":
		return http.Header{"If-Modified-Since": {k.lastModified}}
	}
	return nil
}

// maxKnownStatuses bounds the memory of the statuses. A dropped status costs a few bytes more at
// the next call.
const maxKnownStatuses = 4096

// statusCache remembers the newest status of each product that can be asked for conditionally. The
// zero value is empty.
type statusCache struct {
	mu    sync.Mutex
	known map[string]knownStatus
}

func (s *statusCache) get(product string) knownStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[product]
}

func (s *statusCache) forget(product string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.known, product)
}

func (s *statusCache) put(product string, k knownStatus) {
	if k.condition() == nil {
		s.forget(product)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = map[string]knownStatus{}
	}
	for other := range s.known {
		if len(s.known) < maxKnownStatuses {
			break
		}
		delete(s.known, other)
	}
	s.known[product] = k
}
