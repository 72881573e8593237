package apiclient

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// CreateProject makes a project (4.1). It is sent once over a connection of its own: when the error
// may have taken effect, only Projects shows whether the project is there. The answer may hold the
// project inside another object, as the only one with a uuid.
func (c *Client) CreateProject(ctx context.Context, title string) (Project, error) {
	k := call{
		op:     "create project",
		method: http.MethodPost,
		path:   "/api/v2/projects",
		body:   newProject{Title: title},
		once:   true,
	}
	a, err := c.exchange(ctx, k)
	if err != nil {
		return Project{}, err
	}
	found, err := c.findAccepted(k, a, "uuid")
	if err != nil {
		return Project{}, err
	}
	if len(found) != 1 {
		return Project{}, c.misunderstood(k, a,
			notPromised(fmt.Errorf("it holds %d objects with a uuid, want one", len(found))))
	}
	var made Project
	if err := json.Unmarshal(found[0], &made); err != nil {
		return Project{}, c.misunderstood(k, a, notPromised(err))
	}
	return made, nil
}

// Projects lists every project with its number of products (4.7).
func (c *Client) Projects(ctx context.Context) ([]Project, error) {
	return fetchList[Project](ctx, c, call{op: "list projects", method: http.MethodGet, path: "/api/v2/projects"})
}

// ProjectProducts lists the products of a project (4.8). As with Products, what a filter matches is
// not promised.
func (c *Client) ProjectProducts(ctx context.Context, project string, f Filter) ([]Product, error) {
	k := call{op: "list products of project", method: http.MethodGet, query: f.query()}.at("projects", project)
	return fetchList[Product](ctx, c, k)
}
