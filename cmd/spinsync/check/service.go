package check

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"spinsync/apiclient"
	"spinsync/cmd/spinsync/cli"
	"spinsync/daemon/config"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
)

// examineAccount checks whether the service can be asked, and asks it.
func examineAccount(ctx context.Context, call *cli.Call, c *config.Config, r *Report) {
	password, err := c.Service.ResolvePassword(call.Env, call.Keychain())
	if err != nil {
		r.fail("password", cli.Usage(err))
		return
	}
	r.ok("password", "found for "+c.Service.Username)
	client, err := call.Connect(c, password)
	if err != nil {
		r.fail("service", err)
		return
	}
	examineService(ctx, c, client, c.Service.PasswordRemedy(call.Env), r)
}

// examineService asks the service for what changes nothing: the projects, and the images of some
// product. remedy is for a password that is rejected.
func examineService(ctx context.Context, c *config.Config, client *apiclient.Client, remedy string, r *Report) {
	projects, err := client.Projects(ctx)
	var said *apiclient.Error
	switch {
	case errors.Is(err, http.ErrSchemeMismatch):
		r.fail("service", cli.SpeaksHTTP(c.Service.BaseURL))
	case errors.As(err, &said) && said.Unauthorized():
		r.ok("service", c.Service.BaseURL)
		r.fail("credentials", errors.New(outcome.Explain(err, remedy).String())) // err says no more
	case r.note("service", c.Service.BaseURL, explained(err, remedy)):
		r.ok("credentials", fmt.Sprintf("%s sees %s", c.Service.Username, status.Counted(len(projects), "project")))
		examineRights(ctx, client, projects, r)
	}
	examineClock(client, c, r)
}

// mostExamined is in how many projects check tries the user's permission.
const mostExamined = 20

// examineRights reads the images of one product in each project, which needs a permission of its
// own (interface 4.12).
func examineRights(ctx context.Context, client *apiclient.Client, projects []apiclient.Project, r *Report) {
	const what = "permission"
	examined := 0
	for _, p := range projects[:min(len(projects), mostExamined)] {
		product, err := productOf(ctx, client, p)
		if err == nil && product != "" {
			examined++
			_, err = client.Images(ctx, product)
		}
		switch {
		case hosting.LacksPermission(err) && product != "":
			r.fail(what, fmt.Errorf(
				"the images of project %s cannot be listed (%w); give the user edit permission for it there",
				p.Title, err))
			return
		case err != nil:
			r.fail(what, explained(err, ""))
			return
		}
	}
	if examined == 0 {
		r.ok(what, "not known yet whether this user may list images: the service has no product to try")
		return
	}
	r.ok(what, "the images of "+status.Counted(examined, "project")+" can be listed")
}

// productOf is some product of a project; empty when it has none.
func productOf(ctx context.Context, client *apiclient.Client, p apiclient.Project) (string, error) {
	if p.Products != nil && *p.Products == 0 {
		return "", nil
	}
	products, err := client.ProjectProducts(ctx, p.UUID, apiclient.Filter{})
	if err != nil || len(products) == 0 {
		return "", err
	}
	return products[0].UUID, nil
}

func examineClock(client *apiclient.Client, c *config.Config, r *Report) {
	tolerated := 5 * time.Minute
	if c.Fleet != nil { // what one station says of times is read at another
		tolerated = time.Minute
	}
	offset, known := client.ClockOffset()
	switch {
	case !known:
		r.warn("clock", "not compared, because the service did not answer")
	case offset.Abs() > tolerated:
		r.warn("clock",
			fmt.Sprintf("it differs from the service's clock by %s; set the time, or let the network set it",
				offset.Abs()))
	default:
		r.ok("clock", fmt.Sprintf("within %s of the service's clock", max(offset.Abs(), time.Second)))
	}
}

// explained is a failed call in plain words, with the remedy; password is the remedy for a rejected
// call. Other errors stay as they are.
func explained(err error, password string) error {
	if !errors.As(err, new(*apiclient.Error)) {
		return err
	}
	why := outcome.Explain(err, password)
	if why.Remedy == "" {
		return fmt.Errorf("%s (%w)", why.Says, err)
	}
	return fmt.Errorf("%s (%w); %s", why.Says, err, why.Remedy)
}
