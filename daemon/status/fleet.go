package status

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Fleet is the fleet as one station sees it.
type Fleet struct {
	Station  string    `json:"station"`        // whose view it is
	Active   string    `json:"active"`         // the station at work; empty for none
	Stations []Station `json:"stations"`       // by the time for which they stand
	Trouble  string    `json:"trouble"`        // why this one cannot take part; empty while it can
	Since    time.Time `json:"since,omitzero"` // since when it cannot
	// Known is when it last knew all that the others had done, while it does not any more. Zero is since
	// before it was started.
	Known time.Time `json:"known,omitzero"`
	// Cluster is what keeps the cluster from serving the fleet, or soon will; empty for nothing.
	Cluster string `json:"cluster,omitempty"`
	// Differs are the watched folders of this computer whose settings are others than the fleet's, each
	// with the first such setting.
	Differs map[string]string `json:"differs,omitempty"`
}

// OtherSettings is why this station takes nothing over; empty while its settings are the fleet's.
func (f Fleet) OtherSettings() string {
	var all []string
	for _, folder := range slices.Sorted(maps.Keys(f.Differs)) {
		all = append(all, OtherSetting(folder, f.Differs[folder]))
	}
	return strings.Join(all, "; ")
}

// OtherSetting is why a station takes nothing over that has another setting for a watched folder.
func OtherSetting(folder, key string) string {
	return folder + ": " + key + " differs from the fleet's, so this station takes nothing over; " +
		"correct it in sync.toml, or make it the fleet's with `spinsync retry` and the path of the watched folder"
}

// IsStandby reports whether another station is active, or none.
func (f Fleet) IsStandby() bool { return f.Active != f.Station }

// Line is who publishes and who stands by, in one sentence.
func (f Fleet) Line() string {
	switch {
	case f.Trouble != "" && f.Known.IsZero():
		return f.Trouble + "; shown is what this computer knew when spinsync was started"
	case f.Trouble != "":
		return f.Trouble + "; shown is what this computer knew at " + f.Known.Local().Format(time.DateTime)
	}
	var standing []string
	for _, s := range f.Stations {
		switch {
		case s.Station == f.Active:
		case s.Station == f.Station:
			standing = append(standing, s.Station+" (this computer)")
		default:
			standing = append(standing, s.Station)
		}
	}
	active := "no station"
	if f.Active != "" {
		active = "station " + f.Active
	}
	if f.Active == f.Station && f.Active != "" {
		active += " (this computer)"
	}
	line := active + " publishes; no station stands by"
	if len(standing) > 0 {
		line = active + " publishes; standing by: " + strings.Join(standing, ", ")
	}
	for _, s := range f.Stations {
		if s.Service != "" && (s.Station != f.Station || !s.Active && f.Differs == nil) { // the rest it tells by itself
			line += "; " + s.Station + ": " + s.Service
		}
		if s.Station == f.Station && s.Cluster != "" {
			line += "; " + s.Cluster
		}
	}
	return line
}

// A Station is one computer of a fleet.
type Station struct {
	Station string        `json:"station"`
	Since   time.Time     `json:"since"`
	Version string        `json:"version"`
	Active  bool          `json:"active"`
	Roots   []StationRoot `json:"roots"`
	Service string        `json:"service"` // why it cannot publish; empty while it can
	Cluster string        `json:"cluster"` // what it finds wrong with the cluster; empty for nothing
}

// A StationRoot is a tree of the fleet at one station.
type StationRoot struct {
	Name  string `json:"name"`
	State string `json:"state"`
}

// The states of a tree at a station.
const (
	TreeActive        = "active"
	TreeStandby       = "standby"
	TreeOffline       = "offline"
	TreeAnother       = "another tree"
	TreeOtherSettings = "other settings"
)

// GiveItAt is what a person hears who gives a command at a standby.
func (f Fleet) GiveItAt() string {
	switch {
	case f.Active == "" && f.Trouble != "":
		return f.Trouble
	case f.Active == "" && f.Differs != nil:
		return f.OtherSettings()
	case f.Active == "", f.Active == f.Station: // which begins or ends this very moment
		return "no station of the fleet is active at present; try again in a moment"
	}
	return "this computer stands by; give it at " + f.Active
}
