package hosting

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"

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

// A name that worked for a host is kept when an upload fails for another reason.
func TestFailureForgetsNoAccessKeyField(t *testing.T) {
	keys, err := newAccessKeys("", plantest.Store(t))
	if err != nil {
		t.Fatal(err)
	}
	form := apiclient.Credentials{Hostname: "uploads.example.com"}
	keys.remember(form.Hostname, "OSSAccessKeyId")
	failed := keys.Upload(form, false, func(apiclient.Credentials) error { return errors.New("the line is dead") })
	if failed == nil || keys.Found()[form.Hostname] != "OSSAccessKeyId" {
		t.Errorf("after %v it is %v", failed, keys.Found())
	}
}

// Folders that waited for the trial of another one send side by side once it has found the name.
func TestFoundAccessKeyFieldHoldsNobodyBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		keys := &AccessKeys{}
		var begun atomic.Int64
		begin := func() (release func()) {
			release, err := keys.BeginTrial(t.Context(), "uploads.example.com", func() {})
			if err == nil {
				begun.Add(1)
			}
			return release
		}
		endTrial := begin()
		for range 2 {
			go begin()
		}
		synctest.Wait()
		if n := begun.Load(); n != 1 {
			t.Errorf("%d folders send beside the trial", n-1)
		}
		keys.mu.Lock()
		keys.byHost = map[string]string{"uploads.example.com": "OSSAccessKeyId"}
		keys.mu.Unlock()
		endTrial()
		synctest.Wait()
		if n := begun.Load(); n != 3 {
			t.Errorf("%d of 2 folders send after the trial", n-1)
		}
	})
}
