package publish

import (
	"testing"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
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

// TestProjectThatIsGone: of several projects of a title those count whose products the service
// lists. A list may still have one that is gone. Where all are refused, all count.
func TestProjectThatIsGone(t *testing.T) {
	for _, stands := range []bool{true, false} {
		client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
			if c.Op == sandbox.ListProductsOfProject && !stands {
				return sandbox.Fault{Status: 404, Body: `{"errors":["no such project"]}`}
			}
			return sandbox.Fault{}
		})
		j, _ := published(t, client, 1, func(commit func() error) error { return commit() })
		projects, err := client.Projects(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		gone := apiclient.Project{UUID: "gone", Title: "Summer"}
		found, err := j.parts.projects.lookForProject(t.Context(), append(projects, gone), "Summer")
		if err != nil || (len(found) == 1 && found[0].UUID == projects[0].UUID) != stands || len(found) == 2 == stands {
			t.Errorf("one stands: %t, found are %+v, %v", stands, found, err)
		}
	}
}
