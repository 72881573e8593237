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

// A projectFinder finds the project of a folder, or makes it.
type projectFinder struct {
	record  *ledger
	records *Records
	service *hosting.Service
	heir    heir
}

// findProject searches for the folder's project and creates it when no project has its title. A
// renamed folder has its project already.
func (pf projectFinder) findProject(ctx context.Context, s plan.Scene) error {
	if took, err := pf.heir.takeOver(ctx, s); took || err != nil {
		return err
	}
	if err := pf.makeProject(ctx, s.Facts.Wanted.Project, s.Record.Wishes.NotMade); err != nil {
		return err
	}
	known, err := pf.records.Store.Project(s.Facts.Wanted.Project)
	if err != nil {
		return err
	}
	return pf.record.change(func(r *syncstate.Record) { r.Project = known.Project })
}

// makeProject makes sure that the project of a title exists and is recorded, one folder at a time.
func (pf projectFinder) makeProject(ctx context.Context, title string, waived bool) error {
	unlock, err := pf.service.Memory.Creating.Lock(ctx, "project "+hosting.Compared(title))
	if err != nil {
		return err
	}
	defer unlock()
	known, err := pf.records.Store.Project(title)
	if err != nil || known.UUID != "" {
		return err
	}
	var found []syncstate.Project
	once := hosting.CreateOnce{
		What: "project", Intent: known.Intent, Began: pf.service.Began, Waived: waived,
		Renewed: pf.service.Renewed,
		Search: func(ctx context.Context) (uuids []string, err error) {
			projects, err := pf.service.Client.Projects(ctx)
			if err == nil {
				found, err = pf.lookForProject(ctx, projects, title)
			}
			for _, p := range found {
				uuids = append(uuids, p.UUID)
			}
			return uuids, err
		},
		Adopt: func(string) error { return pf.recordProject(found[0]) },
		Intend: func(i *syncstate.Intent) error {
			err := pf.records.Store.UpdateProject(title, func(p *syncstate.ProjectRecord) error { p.Intent = i; return nil })
			if err != nil || !waived {
				return err
			}
			return pf.record.change(func(r *syncstate.Record) { r.Wishes.NotMade = false })
		},
		Send: func(ctx context.Context) error {
			made, err := pf.service.Client.CreateProject(ctx, title)
			if err == nil {
				err = isAnswerTo("create project", made.Title, title)
			}
			if err != nil {
				return err
			}
			return pf.recordProject(syncstate.Project{UUID: made.UUID, Title: title})
		},
	}
	return once.Run(ctx, syncstate.Intent{Title: title})
}

// lookForProject finds the projects of a title. A UUID in place of the title must name an existing
// project. A list may still have a project that is gone: of several, those count whose products the
// service lists.
func (pf projectFinder) lookForProject(
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
		_, err := pf.service.ProductsLately(ctx, hosting.ProductName{Project: p.UUID})
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

func (pf projectFinder) recordProject(p syncstate.Project) error {
	return pf.records.Store.UpdateProject(p.Title, func(r *syncstate.ProjectRecord) error {
		r.Project, r.Intent = p, nil
		return nil
	})
}
