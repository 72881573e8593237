package sandbox_test

import (
	"net/http"
	"testing"

	"spinsync/apiclient/sandbox"
)

// TestPagesOfOtherSitesReadWhatIsPublic: the answers for which no credentials are needed, errors
// among them, and no others. The front page names every view, and stays closed.
func TestPagesOfOtherSitesReadWhatIsPublic(t *testing.T) {
	w := open(t, at, func(o *sandbox.Options) { o.StorageVersion = 1 })
	form := w.product(1)
	w.publish(form, frames(1)...)
	media := w.images(form.UUID)[0].MediaURL
	for path, allowed := range map[string]string{
		media:                              "*",
		media + "/resize;w_320/image.webp": "*",
		media + "x":                        "*",
		base + "/api/v2/products/" + form.UUID + "/status": "*",
		base + "/api/v2/products/" + form.UUID + "/embed":  "*",
		base + "/embed/none":                               "*",
		base + "/api/v2/products/" + form.UUID + "/images": "",
		base + "/api/v2/products":                          "",
		base + "/":                                         "",
	} {
		request := w.request("GET", path, nil)
		request.Header.Set("Origin", "https://shop.example.com")
		if got := w.do(request).Header.Get("Access-Control-Allow-Origin"); got != allowed {
			t.Errorf("GET %s allows the origins %q, want %q", path, got, allowed)
		}
		asked := w.request("OPTIONS", path, nil)
		asked.Header.Set("Access-Control-Request-Headers", "if-none-match")
		answer := w.do(asked)
		got := answer.Header.Get("Access-Control-Allow-Headers")
		if got != allowed || allowed != "" && answer.StatusCode != http.StatusNoContent {
			t.Errorf("OPTIONS %s answers %s and allows the headers %q, want %q", path, answer.Status, got, allowed)
		}
	}
}
