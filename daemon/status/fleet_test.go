package status

import "testing"

// TestGiveItAt: a standby names the station where a command is to be given, and never itself.
func TestGiveItAt(t *testing.T) {
	const nobody = "no station of the fleet is active at present; try again in a moment"
	for want, f := range map[string]Fleet{
		"this computer stands by; give it at bert": {Station: "anna", Active: "bert"},
		nobody:                         {Station: "anna", Active: "anna"},
		"the cluster does not answer":  {Station: "anna", Trouble: "the cluster does not answer"},
		OtherSetting("/srv", "frames"): {Station: "anna", Differs: map[string]string{"/srv": "frames"}},
	} {
		if got := f.GiveItAt(); got != want {
			t.Errorf("%+v: %q", f, got)
		}
	}
}
