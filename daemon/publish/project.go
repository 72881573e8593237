package publish

import (
	"context"

	"github.com/google/uuid"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// findProject searches for the folder's project and creates it when no project has its title. A
// renamed folder has its project already.
func (c creator) findProject(ctx context.Context, s plan.Scene) error {
	if took, err := c.takeOver(ctx, s); took || err != nil {
		return err
	}
	if err := c.makeProject(ctx, s.Facts.Wanted.Project, s.Record.NotMade); err != nil {
		return err
	}
	known, err := c.Records.Project(s.Facts.Wanted.Project)
	if err != nil {
		return err
	}
	return c.Update(func(r *syncstate.Record) { r.Project = known.Project })
}

// makeProject makes sure that the project of a title exists and is recorded, one folder at a time.
func (c creator) makeProject(ctx context.Context, title string, waived bool) error {
	unlock, err := c.Service.Creating.Lock(ctx, "project "+hosting.Compared(title))
	if err != nil {
		return err
	}
	defer unlock()
	known, err := c.Records.Project(title)
	if err != nil || known.UUID != "" {
		return err
	}
	var found []syncstate.Project
	once := hosting.CreateOnce{
		What: "project", Intent: known.Intent, Began: c.Started, Waived: waived,
		Renewed: c.Service.Renewed,
		Search: func(ctx context.Context) (uuids []string, err error) {
			projects, err := c.Service.Projects(ctx)
			if err == nil {
				found, err = c.lookForProject(ctx, projects, title)
			}
			for _, p := range found {
				uuids = append(uuids, p.UUID)
			}
			return uuids, err
		},
		Adopt: func(string) error { return c.recordProject(found[0]) },
		Intend: func(i *syncstate.Intent) error {
			err := c.Records.UpdateProject(title, func(p *syncstate.ProjectRecord) error { p.Intent = i; return nil })
			if err != nil || !waived {
				return err
			}
			return c.Update(func(r *syncstate.Record) { r.NotMade = false })
		},
		Send: func(ctx context.Context) error {
			made, err := c.Service.CreateProject(ctx, title)
			if err != nil {
				return err
			}
			return c.recordProject(syncstate.Project{UUID: made.UUID, Title: title})
		},
	}
	return once.Run(ctx, syncstate.Intent{Title: title})
}

// lookForProject finds the projects of a title. A UUID in place of the title must name an existing
// project. A list may still have a project that is gone: of several, those count whose products the
// service lists.
func (c creator) lookForProject(
	ctx context.Context, projects []apiclient.Project, titleOrUUID string,
) ([]syncstate.Project, error) {
	listed := titled(projects, titleOrUUID)
	switch {
	case len(listed) == 0 && uuid.Validate(titleOrUUID) == nil:
		return nil, outcome.Person(&status.Cause{Kind: status.NoSuchProject, Name: titleOrUUID})
	case len(listed) < 2:
		return listed, nil
	}
	var standing []syncstate.Project
	for _, p := range listed {
		_, err := c.Service.ProductsLately(ctx, hosting.ProductName{Project: p.UUID})
		switch {
		case err == nil:
			standing = append(standing, p)
		case !mayMeanGone(err):
			return nil, err
		}
	}
	if len(standing) == 0 {
		return listed, nil
	}
	return standing, nil
}

// titled are the projects of a title.
func titled(projects []apiclient.Project, titleOrUUID string) []syncstate.Project {
	var found, exact []syncstate.Project
	for _, p := range projects {
		if p.UUID == titleOrUUID {
			return []syncstate.Project{{UUID: p.UUID, Title: titleOrUUID, Name: p.Title}}
		}
		titled := syncstate.Project{UUID: p.UUID, Title: titleOrUUID}
		if hosting.Compared(p.Title) == hosting.Compared(titleOrUUID) {
			found = append(found, titled)
		}
		if hosting.SameLetters(p.Title, titleOrUUID) {
			exact = append(exact, titled)
		}
	}
	if len(exact) > 0 {
		return exact
	}
	return found
}

func (c creator) recordProject(p syncstate.Project) error {
	return c.Records.UpdateProject(p.Title, func(r *syncstate.ProjectRecord) error {
		r.Project, r.Intent = p, nil
		return nil
	})
}
