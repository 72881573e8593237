package apiclient

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
)

// Status reads how far processing is (4.14). It is public and sent without the password. An unknown
// product is ErrUnknownProduct.
func (c *Client) Status(ctx context.Context, product string) (Status, error) {
	k := call{op: OpStatus, method: http.MethodGet, public: true}.at("products", product, "status")
	a, err := c.exchange(ctx, k)
	if (err == nil || a.status == http.StatusNotFound) && saysUnknown(a.body) {
		return Status{}, &Error{Op: k.op, Request: c.requestOf(k), Status: a.status, Err: ErrUnknownProduct}
	}
	if err != nil {
		return Status{}, err
	}
	read, err := decode[StatusAnswer](c, k, a)
	if err != nil {
		return Status{}, err
	}
	if read.Variant == nil {
		return Status{}, c.misunderstood(k, a, notPromised(errors.New("it has no variant")))
	}
	return *read.Variant, nil
}

// saysUnknown reports whether the answer is an object whose variant is there and null.
func saysUnknown(body []byte) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(body, &object) == nil && string(object["variant"]) == "null"
}
