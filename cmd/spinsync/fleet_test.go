package main

import (
	"strings"
	"testing"

	"spinsync/daemon/status"
)

// fleet status fails where a station cannot publish, and names it.
func TestFleetThatIsNotWell(t *testing.T) {
	anna, bert := status.Station{Station: "anna"}, status.Station{Station: "bert", Service: status.OtherSetting("shoots", "frames")}
	if err := (fleetSurvey{Stations: []status.Station{anna}}).err(); err != nil {
		t.Error(err)
	}
	err := fleetSurvey{Stations: []status.Station{anna, bert}}.err()
	if err == nil || !strings.Contains(err.Error(), "bert: shoots: frames differs from the fleet's") {
		t.Error(err)
	}
}
