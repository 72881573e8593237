package apiclient

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
)

// Images lists a product's images in the order of ordial (4.12), an empty list for a product
// without any. Records of images still processing are among them, with their ids and alt texts.
// Statuses pass through as the service spells them.
func (c *Client) Images(ctx context.Context, product string) ([]Image, error) {
	k := call{op: "list images", method: http.MethodGet, elements: maxImages}.at("products", product, "images")
	return fetchList[Image](ctx, c, k)
}

// SetAltTexts replaces all alt texts of an image (4.13): locale to text, so it has to hold the
// texts that stay too. It returns what the service stored, which leaves out blank texts.
func (c *Client) SetAltTexts(ctx context.Context, image int64, texts map[string]string) (ImageAltTexts, error) {
	k := call{op: "set alt texts", method: http.MethodPatch, body: altTextUpdate{texts}}.
		at("images", strconv.FormatInt(image, 10))
	a, err := c.exchange(ctx, k)
	if err != nil {
		return ImageAltTexts{}, err
	}
	stored, err := decode[ImageAltTexts](c, k, a)
	if err != nil {
		return ImageAltTexts{}, err
	}
	if stored.ID != image {
		return ImageAltTexts{}, c.misunderstood(k, a,
			fmt.Errorf("the answer is about image %d, not %d", stored.ID, image))
	}
	return stored, nil
}
