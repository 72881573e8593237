package status

import (
	"strings"
	"testing"
)

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

// TestLineNamesTheTroubleOfAStation: the others show it, and a station that left the work shows its own, too.
func TestLineNamesTheTroubleOfAStation(t *testing.T) {
	const left, others = "it left the work to another station a moment ago: no answer", "shoots: frames differs"
	f := Fleet{Active: "anna", Stations: []Station{
		{Station: "anna", Active: true, Service: "the drive is away"}, {Station: "bert", Service: left}, {Station: "carl", Service: others},
	}}
	for station, want := range map[string]string{
		"anna": "; bert: " + left + "; carl: " + others,
		"bert": "; anna: the drive is away; bert: " + left + "; carl: " + others,
		"carl": "; anna: the drive is away; bert: " + left,
	} {
		f.Station, f.Differs = station, nil
		if station == "carl" { // it has a sentence of its own for that
			f.Differs = map[string]string{"/shoots": "frames"}
		}
		if line := f.Line(); !strings.HasSuffix(strings.ReplaceAll(line, " (this computer)", ""), "standing by: bert, carl"+want) {
			t.Errorf("%s shows %q", station, line)
		}
	}
}
