package sandbox_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"

	"spinsync/apiclient/sandbox"
)

// A test of a client runs the sandbox on loopback, and lets one call go wrong.
func Example() {
	dir, err := os.MkdirTemp("", "sandbox-")
	check(err)
	defer os.RemoveAll(dir)
	box, err := sandbox.New(sandbox.Options{
		Dir:   dir,
		Users: []sandbox.User{{Name: "studio", Password: "the-secret", CanEdit: true}},
		Intercept: func(c *sandbox.Call) sandbox.Fault {
			if c.Op == sandbox.ListProjects && c.N == 1 { // the first list of projects
				return sandbox.Fault{Status: http.StatusServiceUnavailable, Body: "maintenance"}
			}
			return sandbox.Fault{}
		},
	})
	check(err)
	defer box.Close()
	server := httptest.NewServer(box)
	defer server.Close()
	for range 2 {
		r, err := http.NewRequest(http.MethodGet, server.URL+"/api/v2/projects", nil)
		check(err)
		r.SetBasicAuth("studio", "the-secret")
		r.Header.Set("Accept", "application/json")
		answer, err := http.DefaultClient.Do(r)
		check(err)
		answer.Body.Close()
		fmt.Println(answer.Status)
	}
	// Output:
	// 503 Service Unavailable
	// 200 OK
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
