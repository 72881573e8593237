package publish

import (
	"testing"

	"spinsync/apiclient"
	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
)

// TestProjectsOfATitle: a project of exactly the title counts alone; without one, projects whose
// titles a service composed or spaced otherwise count. A UUID names its project, and makes none.
func TestProjectsOfATitle(t *testing.T) {
	const id, other = "0b9a7c52-5b0e-4d1c-9a55-0f6f3f1f7a01", "0b9a7c52-5b0e-4d1c-9a55-0f6f3f1f7a02"
	projects := []apiclient.Project{
		{UUID: "a", Title: "Summer  1"}, {UUID: "b", Title: "Summer 1"}, {UUID: "c", Title: "Wärme "},
		{UUID: "e", Title: "Wärme"},
		{UUID: id, Title: "Winter"}, {UUID: "d", Title: "Winter 2"},
	}
	for title, want := range map[string]string{
		"Summer 1": "b", "Summer  1": "a", "Summer   1": "ab", "Wa\u0308rme": "e", "Winter": id, id: id, "Spring": "",
	} {
		var uuids string
		for _, p := range titled(projects, title) {
			uuids += p.UUID
		}
		if uuids != want {
			t.Errorf("of %q: %q, want %q", title, uuids, want)
		}
	}
	if one := titled(projects, id)[0]; one.Title != id || one.Name != "Winter" {
		t.Errorf("%+v", one)
	}
	if _, err := (projectFinder{}).lookForProject(t.Context(), projects, other); !outcome.Needs(err, status.NoSuchProject) {
		t.Errorf("an unknown UUID: %v", err)
	}
}
