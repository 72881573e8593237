package hosting

import (
	"fmt"
	"testing"

	"spinsync/apiclient"
	"spinsync/daemon/plan/plantest"
)

// TestAccessKeyFieldsAreBounded: a service that hands out a host for each product fills no state
// file, and a new host is tried first under what worked for the others.
func TestAccessKeyFieldsAreBounded(t *testing.T) {
	store := plantest.Store(t)
	fields, err := newAccessKeys("", store)
	if err != nil {
		t.Fatal(err)
	}
	host := ""
	for i := range 2 * maxAccessKeyHosts {
		host = fmt.Sprintf("uploads-%d.example.com", i)
		fields.remember(host, "OSSAccessKeyId")
	}
	recalled, err := newAccessKeys("", store)
	if err != nil || len(recalled.Found()) != maxAccessKeyHosts || !recalled.IsKnown(host) {
		t.Errorf("%d hosts are remembered, %v", len(recalled.Found()), err)
	}
	if names := recalled.names(apiclient.Credentials{Hostname: "new.example.com"}, true); names[0] != "OSSAccessKeyId" {
		t.Errorf("a new host is tried with %v", names)
	}
}
