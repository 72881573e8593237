package status

import (
	"strings"
	"testing"
)

// TestLineNamesTheTroubleOfAStation at each other one, and of one that left the work at itself, where nothing
// else tells of it.
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
