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
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// EmbedType is the kind of embed markup.
type EmbedType string

// The kinds of 4.5. A responsive embed sizes itself.
const (
	EmbedIframe     EmbedType = "iframe"
	EmbedResponsive EmbedType = "responsive"
)

// EmbedOptions choose the markup. The zero value leaves all to the service.
type EmbedOptions struct {
	Type          EmbedType // empty is not sent
	Width, Height int       // the most pixels; 0 is not sent, and responsive ignores them
}

func (o EmbedOptions) query() string {
	q := url.Values{}
	if o.Type != "" {
		q.Set("type", string(o.Type))
	}
	if o.Width > 0 {
		q.Set("width", strconv.Itoa(o.Width))
	}
	if o.Height > 0 {
		q.Set("height", strconv.Itoa(o.Height))
	}
	return q.Encode()
}

// Embed is what shows a product on a page.
type Embed struct {
	Markup string // the service's, unchanged: trust it no more than the service
	Src    string // the http or https link of the iframe
	// Attributes holds all attributes of the iframe, names in lower case; those without a value are
	// "".
	Attributes map[string]string
}

// Embed returns a product's embed markup (4.5). The service may answer with the markup itself or
// with JSON that holds it in a string, at any depth.
func (c *Client) Embed(ctx context.Context, product string, o EmbedOptions) (Embed, error) {
	k := call{op: OpEmbed, method: http.MethodGet, query: o.query(), markup: true}.at("products", product, "embed")
	a, err := c.exchange(ctx, k)
	if err != nil {
		return Embed{}, err
	}
	e, err := readEmbed(a.body)
	if err != nil {
		return Embed{}, c.misunderstood(k, a, notPromised(err))
	}
	return e, nil
}

// readEmbed finds the markup of an answer, and the iframe in it.
func readEmbed(body []byte) (Embed, error) {
	markup := string(body)
	var value any
	if json.Unmarshal(body, &value) == nil {
		markup = findMarkup(value)
	}
	attributes, err := iframeAttributes(markup)
	if err != nil {
		return Embed{}, err
	}
	src, err := embedLink(attributes["src"])
	if err != nil {
		return Embed{}, err
	}
	return Embed{Markup: strings.TrimSpace(markup), Src: src, Attributes: attributes}, nil
}

// findMarkup returns a string with an iframe inside a JSON value, or "".
func findMarkup(value any) string {
	switch v := value.(type) {
	case string:
		if strings.Contains(strings.ToLower(v), "<iframe") {
			return v
		}
	case []any:
		for _, element := range v {
			if found := findMarkup(element); found != "" {
				return found
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if found := findMarkup(v[name]); found != "" {
				return found
			}
		}
	}
	return ""
}

// iframeAttributes reads the attributes of the first iframe as a browser does: names in any letter
// case, and of two equal names the first.
func iframeAttributes(markup string) (map[string]string, error) {
	var attributes map[string]string
	for z := html.NewTokenizer(strings.NewReader(markup)); ; {
		kind := z.Next()
		token := z.Token()
		switch {
		case kind == html.ErrorToken && attributes == nil:
			return nil, errors.New("it has no iframe")
		case kind == html.ErrorToken:
			return attributes, nil
		case kind == html.DoctypeToken || token.DataAtom == atom.Html:
			return nil, errors.New("it is a whole page (a captive portal or proxy?)")
		case token.DataAtom == atom.Iframe && attributes == nil:
			attributes = map[string]string{}
			for _, a := range slices.Backward(token.Attr) {
				attributes[a.Key] = a.Val
			}
		}
	}
}

// embedLink checks that an iframe's src is a link a browser may load.
func embedLink(src string) (string, error) {
	src = strings.TrimSpace(src)
	if strings.HasPrefix(src, "//") {
		src = "https:" + src
	}
	u, err := url.Parse(src)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
		return "", fmt.Errorf("its iframe has no usable src: %s", src)
	}
	return src, nil
}
