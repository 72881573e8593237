package remote

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"golang.org/x/text/unicode/norm"

	"spinsync/apiclient"
	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/terminal"
)

func (r *remote) projectsCommand() *cobra.Command {
	projects := cli.OnlyHolds(&cobra.Command{
		Use: "projects", Short: "List the projects, or create one (interface 4.7, 4.1)",
	})
	list := r.calls(&cobra.Command{
		Use: "list", Short: "List the projects (interface 4.7)", Args: cobra.NoArgs,
	}, r.listProjects)
	projects.RunE = list.RunE
	projects.AddCommand(list, r.calls(&cobra.Command{
		Use: "create TITLE", Short: "Create a project (interface 4.1)", Args: cobra.ExactArgs(1),
	}, r.createProject))
	return projects
}

func (r *remote) listProjects(ctx context.Context, client *apiclient.Client, _ []string) error {
	projects, err := client.Projects(ctx)
	if err != nil {
		return err
	}
	header := []string{"UUID", "PRODUCTS", "CREATED", "TITLE"}
	return r.show(projects, each(header, projects, func(p apiclient.Project) []string {
		products := "-"
		if p.Products != nil {
			products = strconv.Itoa(*p.Products)
		}
		return []string{p.UUID, products, day(p.CreatedAt), p.Title}
	})...)
}

func (r *remote) createProject(ctx context.Context, client *apiclient.Client, args []string) error {
	p, err := client.CreateProject(ctx, args[0])
	if err != nil {
		return err
	}
	return r.show(p, []string{p.UUID, p.Title})
}

// projectUUID returns the UUID of a project that is named by it, or by its title, which takes the
// list of projects.
func projectUUID(ctx context.Context, client *apiclient.Client, name string) (string, error) {
	if uuid.Validate(name) == nil {
		return name, nil
	}
	projects, err := client.Projects(ctx)
	if err != nil {
		return "", err
	}
	title := func(s string) string { return norm.NFC.String(strings.TrimSpace(s)) }
	var found []string
	for _, p := range projects {
		switch {
		case p.UUID == name:
			return p.UUID, nil
		case title(p.Title) == title(name):
			found = append(found, p.UUID)
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("no project has the title %s; spinsync remote projects lists them",
			terminal.Printable(name))
	case 1:
		return found[0], nil
	}
	return "", cli.Usagef("%d projects have the title %s; name one by its UUID: %s",
		len(found), terminal.Printable(name), strings.Join(found, ", "))
}
