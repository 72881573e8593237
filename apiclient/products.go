package apiclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Filter narrows a list of products (4.6, 4.8). Empty fields are not sent. Whether the service
// compares whole values or parts is not documented: compare what comes back.
type Filter struct {
	Title, Manufacturer, SKU, Year string
}

func (f Filter) query() string {
	q := url.Values{}
	for _, p := range []field{{"title", f.Title}, {"manufacturer", f.Manufacturer}, {"sku", f.SKU}, {"year", f.Year}} {
		if p.value != "" {
			q.Set(p.name, p.value)
		}
	}
	return q.Encode()
}

// CreateProduct makes a product and returns the credentials for its files (4.2). It is sent once
// over a connection of its own: when the error may have taken effect, only ProjectProducts shows
// whether the product is there.
func (c *Client) CreateProduct(ctx context.Context, p NewProduct) (Credentials, error) {
	k := call{
		op: "create product", method: http.MethodPost, path: "/api/v2/products", body: p, once: true, private: true,
	}
	a, err := c.exchange(ctx, k)
	if err != nil {
		return Credentials{}, err
	}
	forms, err := c.findAccepted(k, a, "policy")
	if err != nil {
		return Credentials{}, err
	}
	form, err := readCredentials(forms)
	if err == nil {
		err = requireFields("answer", field{"uuid", form.UUID})
	}
	if err != nil {
		return Credentials{}, c.misunderstood(k, a, notPromised(err))
	}
	return form, nil
}

// Products lists all products (4.6).
func (c *Client) Products(ctx context.Context, f Filter) ([]Product, error) {
	return fetchList[Product](ctx, c, call{
		op: "list products", method: http.MethodGet, path: "/api/v2/products", query: f.query(),
	})
}

// FinishUpload announces to the service that every file was uploaded (4.4). The answer's body is not
// documented: any 2xx without errors counts.
func (c *Client) FinishUpload(ctx context.Context, product string) error {
	k := call{op: "finish upload", method: http.MethodPost}.at("products", product, "uploaded")
	_, err := c.exchange(ctx, k)
	return err
}

// UpdateProduct changes the fields that are set (4.9 without images). It uploads nothing.
func (c *Client) UpdateProduct(ctx context.Context, product string, u ProductUpdate) error {
	k := call{op: "update product", method: http.MethodPatch, body: u}.at("products", product)
	return c.expectNotice(ctx, k)
}

// Reupload changes the fields that are set, announces that many new files, and returns the
// credentials for their upload (4.9 with images). The interface does not show the answer's shape:
// credentials are accepted as in 4.2, bare or inside another object, with any other fields. When
// there are none the error is permanent, and a reupload may be under way. Those that
// name another product are ErrOtherAnswer, which is temporary.
func (c *Client) Reupload(ctx context.Context, product string, u ProductUpdate, images int) (Credentials, error) {
	k := call{op: "reupload product", method: http.MethodPatch, private: true, body: struct {
		ProductUpdate
		Images int `json:"images"`
	}{u, images}}.at("products", product)
	a, err := c.exchange(ctx, k)
	if err != nil {
		return Credentials{}, err
	}
	if !a.isJSON() {
		return Credentials{}, c.misunderstood(k, a, errors.New("the answer is not JSON"))
	}
	return c.reuploadForm(k, a, product)
}

// reuploadForm reads a reupload's answer. The product is known here, so the answer need not name
// it.
func (c *Client) reuploadForm(k call, a answer, product string) (Credentials, error) {
	forms, err := c.findAccepted(k, a, "policy")
	if err != nil {
		return Credentials{}, err
	}
	form, err := readCredentials(forms)
	if err == nil && form.UUID != "" && !strings.EqualFold(form.UUID, product) {
		return Credentials{}, c.misunderstood(k, a, fmt.Errorf("%w: it is about product %s", ErrOtherAnswer, form.UUID))
	}
	if err != nil {
		e := c.misunderstood(k, a, fmt.Errorf("the answer has no usable upload credentials: %w", err))
		e.temporary = false
		return Credentials{}, e
	}
	form.UUID = product
	return form, nil
}

// DeleteProduct deletes a product (4.10). When it does not exist the error answers NotFound.
func (c *Client) DeleteProduct(ctx context.Context, product string) error {
	k := call{op: "delete product", method: http.MethodDelete}.at("products", product)
	return c.expectNotice(ctx, k)
}

// expectNotice sends a change that is answered by notice OK (section 7), maybe inside another
// object. No content (204) leaves no room for the word.
func (c *Client) expectNotice(ctx context.Context, k call) error {
	a, err := c.exchange(ctx, k)
	if err != nil {
		return err
	}
	if a.status == http.StatusNoContent {
		return nil
	}
	notices, err := c.findAccepted(k, a, "notice")
	if err != nil {
		return err
	}
	var answer struct{ Notice string }
	if len(notices) > 0 {
		err = json.Unmarshal(notices[0], &answer)
	}
	if err != nil {
		return c.misunderstood(k, a, notPromised(err))
	}
	if !strings.EqualFold(strings.TrimSpace(answer.Notice), "OK") {
		return c.misunderstood(k, a, notPromised(errors.New("it has no notice OK")))
	}
	return nil
}

// maxAnswerDepth is how deep inside an answer the object that counts is searched for.
const maxAnswerDepth = 4

// readCredentials reads the first object that holds a policy. The error names the field when one
// that an upload needs is missing. The uuid is for the caller to check.
func readCredentials(objects [][]byte) (Credentials, error) {
	if len(objects) == 0 {
		return Credentials{}, missingField("answer", "policy")
	}
	var form Credentials
	if err := json.Unmarshal(objects[0], &form); err != nil {
		return Credentials{}, err
	}
	return form, requireFields("answer",
		field{"path", form.Path},
		field{"policy", form.Policy},
		field{"signature", form.Signature},
		field{"hostname", form.Hostname},
		field{"access_key_id", form.AccessKeyID},
		field{"acl", form.ACL},
	)
}

// findAccepted returns the objects of an answer that have the key. Errors in one, or in an object
// around it, are a refusal, as they are at the top.
func (c *Client) findAccepted(k call, a answer, key string) ([][]byte, error) {
	found := findObjects(a.body, key, maxAnswerDepth)
	for _, object := range found {
		if _, failed := serviceErrors(object); failed {
			a.body = object
			return nil, c.refused(k, a)
		}
	}
	return found, nil
}

// findObjects returns the JSON objects that have the key and lie in no other that has it. It searches
// the objects and arrays inside data down to a depth. An object with errors around them is returned
// in place of all that it holds.
func findObjects(data []byte, key string, depth int) [][]byte {
	if depth == 0 {
		return nil
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(data, &object) == nil {
		if _, ok := object[key]; ok {
			return [][]byte{data}
		}
	}
	var inside []json.RawMessage
	if json.Unmarshal(data, &inside) != nil {
		for _, name := range slices.Sorted(maps.Keys(object)) {
			inside = append(inside, object[name])
		}
	}
	var found [][]byte
	for _, value := range inside {
		found = append(found, findObjects(value, key, depth-1)...)
	}
	if _, failed := serviceErrors(data); failed && len(found) > 0 {
		return [][]byte{data}
	}
	return found
}
