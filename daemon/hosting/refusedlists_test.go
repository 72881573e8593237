package hosting

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"spinsync/apiclient"
)

// A list may be refused for want of a permission with any status, and with a redirect to a log-in
// page. A rejected password and a fault of the service are other matters.
func TestListRefusedForWantOfPermission(t *testing.T) {
	for code, want := range map[int]bool{400: true, 403: true, 404: true, 302: true, 307: true, 401: false, 429: false, 500: false} {
		service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }))
		t.Cleanup(service.Close)
		client, err := apiclient.New(apiclient.Options{BaseURL: service.URL, Username: "studio", Password: "the-secret"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(client.CloseIdle)
		if _, err := client.Images(t.Context(), "product"); err == nil || LacksPermission(err) != want {
			t.Errorf("%d: %v", code, err)
		}
	}
}
