package etcd

import "testing"

// TestServes: older servers let strangers renew leases, or tell a user nothing of themselves.
func TestServes(t *testing.T) {
	for version, good := range map[string]bool{
		"3.4.99": false, "3.5.34": false, "3.5.35": true, "3.6.11": false, "3.6.12": true, "3.7.0": true, "4.0.0": true, "": false,
		"3.8.0-alpha.0": true,
	} {
		if serves(version) != good {
			t.Errorf("%q: %t", version, !good)
		}
	}
}
