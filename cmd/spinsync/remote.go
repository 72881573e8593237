package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"golang.org/x/text/unicode/norm"

	"spinsync/apiclient"
)

const remoteHelp = `Calls the hosting service once for each command, with the address, user and password of sync.toml. It neither reads nor
changes what spinsync has recorded: what is changed here behind the back of a running spinsync is found by it later.

A view is made by hand like this:

  spinsync remote projects create "Summer"
  spinsync remote products create --project PROJECT --sku SKU-1 --images 36 --form form.json
  spinsync remote upload --form form.json *.jpg
  spinsync remote finish PRODUCT
  spinsync remote status PRODUCT
  spinsync remote images PRODUCT
  spinsync remote embed PRODUCT

Projects, products and images are named by what the service calls them: UUIDs, and whole numbers for images. A
project may be named by its title, too.`

// remote is the interface by hand.
type remote struct {
	*app
	json bool
}

func remoteCommand(a *app) *cobra.Command {
	r := &remote{app: a}
	c := onlyHolds(&cobra.Command{Use: "remote", Short: "Call the hosting service by hand", Long: remoteHelp})
	c.PersistentFlags().BoolVar(&r.json, "json", false, "print the service's answer as JSON")
	c.AddCommand(
		r.projectsCommand(), r.productsCommand(), r.imagesCommand(),
		r.uploadCommand(), r.finishCommand(), r.statusCommand(),
		r.embedCommand(), r.downloadCommand(), r.updateCommand(),
		r.reuploadCommand(), r.deleteCommand(), r.altCommand(),
	)
	return c
}

// call does one thing with the service.
func (r *remote) call(do func(*apiclient.Client) error) error {
	c, err := r.config()
	if err != nil {
		return err
	}
	client, err := r.client(c)
	if err != nil {
		return err
	}
	return do(client)
}

// show prints an answer as JSON, or as the rows that are made of it.
func (r *remote) show(answer any, rows ...[]string) error {
	if r.json {
		return printJSON(r.stdout, answer)
	}
	return table(r.stdout, rows)
}

// done says that something without an answer succeeded.
func (r *remote) done(format string, args ...any) error {
	if r.json {
		return printJSON(r.stdout, map[string]string{"notice": "OK"})
	}
	_, err := fmt.Fprintf(r.stdout, format+"\n", args...)
	return err
}

// each makes a header and a row for each element.
func each[T any](header []string, elements []T, row func(T) []string) [][]string {
	rows := [][]string{header}
	for _, e := range elements {
		rows = append(rows, row(e))
	}
	return rows
}

func (r *remote) projectsCommand() *cobra.Command {
	list := func(c *cobra.Command, _ []string) error { return r.call(r.listProjects(c.Context())) }
	projects := onlyHolds(&cobra.Command{
		Use: "projects", Short: "List the projects, or create one (interface 4.7, 4.1)",
	})
	projects.RunE = list
	projects.AddCommand(
		&cobra.Command{Use: "list", Short: "List the projects (interface 4.7)", Args: cobra.NoArgs, RunE: list},
		&cobra.Command{
			Use: "create TITLE", Short: "Create a project (interface 4.1)", Args: cobra.ExactArgs(1),
			RunE: func(c *cobra.Command, args []string) error { return r.call(r.createProject(c.Context(), args[0])) },
		},
	)
	return projects
}

func (r *remote) listProjects(ctx context.Context) func(*apiclient.Client) error {
	return func(client *apiclient.Client) error {
		projects, err := client.Projects(ctx)
		if err != nil {
			return err
		}
		return r.show(projects,
			each([]string{"UUID", "PRODUCTS", "CREATED", "TITLE"}, projects, func(p apiclient.Project) []string {
				products := "-"
				if p.Products != nil {
					products = strconv.Itoa(*p.Products)
				}
				return []string{p.UUID, products, day(p.CreatedAt), p.Title}
			})...)
	}
}

// projectUUID returns the UUID of a project that is named by it, or by its title, which takes a
// look into the list of projects.
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
		return "", fmt.Errorf("no project has the title %s; spinsync remote projects lists them", printable(name))
	case 1:
		return found[0], nil
	}
	return "", usageErrorf("%d projects have the title %s; name one by its UUID: %s",
		len(found), printable(name), strings.Join(found, ", "))
}

func (r *remote) createProject(ctx context.Context, title string) func(*apiclient.Client) error {
	return func(client *apiclient.Client) error {
		p, err := client.CreateProject(ctx, title)
		if err != nil {
			return err
		}
		return r.show(p, []string{p.UUID, p.Title})
	}
}

func day(t apiclient.Timestamp) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04")
}

func (r *remote) imagesCommand() *cobra.Command {
	return &cobra.Command{
		Use: "images PRODUCT", Short: "List a product's images (interface 4.12)", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return r.call(func(client *apiclient.Client) error {
				images, err := client.Images(c.Context(), args[0])
				if err != nil {
					return err
				}
				header := []string{
					"ORDIAL", "ID", "REVISION", "STATUS", "GROUP", "ROW", "SOURCE", "ALT TEXTS", "MEDIA URL",
				}
				return r.show(images, each(header, images, imageRow)...)
			})
		},
	}
}

func imageRow(i apiclient.Image) []string {
	return []string{
		strconv.Itoa(i.Ordial), strconv.FormatInt(i.ID, 10), strconv.FormatInt(i.SourceRevision, 10), i.ImageStatus,
		i.ImageGroup, strconv.Itoa(i.Row), i.Source, altSummary(i.AltTexts), i.MediaURL,
	}
}

func (r *remote) finishCommand() *cobra.Command {
	return &cobra.Command{
		Use: "finish PRODUCT", Short: "Say that all uploads are complete (interface 4.4)", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return r.call(func(client *apiclient.Client) error {
				if err := client.FinishUpload(c.Context(), args[0]); err != nil {
					return err
				}
				return r.done("the service processes the images now; see spinsync remote status %s", args[0])
			})
		},
	}
}

func (r *remote) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use: "status PRODUCT", Short: "Tell how far processing is (interface 4.14)", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return r.call(func(client *apiclient.Client) error {
				s, err := client.Status(c.Context(), args[0])
				if err != nil {
					return err
				}
				return r.show(s, []string{s.ImageStatus, fmt.Sprintf("revision %d", s.SourceRevision)})
			})
		},
	}
}

func (r *remote) embedCommand() *cobra.Command {
	var o apiclient.EmbedOptions
	c := &cobra.Command{
		Use: "embed PRODUCT", Short: "Print what shows a product on a page (interface 4.5)", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkEmbedType(o.Type); err != nil {
				return err
			}
			return r.call(func(client *apiclient.Client) error {
				e, err := client.Embed(c.Context(), args[0], o)
				if err != nil {
					return err
				}
				if r.json {
					return printJSON(r.stdout,
						map[string]any{"markup": e.Markup, "src": e.Src, "attributes": e.Attributes})
				}
				_, err = fmt.Fprintln(r.stdout, e.Markup)
				return err
			})
		},
	}
	c.Flags().StringVar((*string)(&o.Type), "type", "", "`KIND` of markup: iframe or responsive")
	c.Flags().IntVar(&o.Width, "width", 0, "the most `PIXELS` wide")
	c.Flags().IntVar(&o.Height, "height", 0, "the most `PIXELS` high")
	return c
}

func checkEmbedType(t apiclient.EmbedType) error {
	switch t {
	case "", apiclient.EmbedIframe, apiclient.EmbedResponsive:
		return nil
	}
	return usageErrorf("unknown kind of embed %q; use iframe or responsive", string(t))
}

func (r *remote) downloadCommand() *cobra.Command {
	var output string
	c := &cobra.Command{
		Use: "download PRODUCT", Short: "Download a product's source files as a ZIP (interface 4.11)",
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return r.call(func(client *apiclient.Client) error {
				return r.download(c.Context(), client, args[0], output)
			})
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "",
		"write to this `FILE` instead of PRODUCT.zip; - is standard output")
	return c
}

// download never replaces a file, and leaves no half one behind.
func (r *remote) download(ctx context.Context, client *apiclient.Client, product, output string) error {
	if output == "-" {
		_, err := client.DownloadSources(ctx, product, r.stdout)
		return err
	}
	if output == "" {
		output = product + ".zip"
	}
	f, err := os.OpenFile(output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	size, err := client.DownloadSources(ctx, product, f)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		os.Remove(output)
		return err
	}
	return r.show(map[string]any{"file": output, "bytes": size}, []string{output, fmt.Sprintf("%d bytes", size)})
}

// readForm reads upload credentials as create and reupload write them.
func (r *remote) readForm(path string) (form apiclient.Credentials, err error) {
	var data []byte
	if path == "-" {
		data, err = io.ReadAll(r.stdin)
	} else {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return form, err
	}
	if err := json.Unmarshal(data, &form); err != nil || form.Path == "" || form.Hostname == "" {
		return form, usageErrorf(
			"%s: these are no upload credentials; make them with spinsync remote products create --form", path)
	}
	return form, nil
}

// keepForm writes upload credentials to where only their owner can read them.
func (r *remote) keepForm(form apiclient.Credentials, path string) error {
	if path != "" {
		data, err := json.MarshalIndent(form, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, append(data, '\n'), 0o600); err != nil {
			return err
		}
	}
	return r.show(form, []string{form.UUID, form.Title, "upload credentials in " + path})
}

// checkFormPlace wants to know before anything is created where the credentials go: the service
// hands them out once.
func (r *remote) checkFormPlace(path string) error {
	if path == "" && !r.json {
		return usageErrorf("say where the upload credentials go; use --form FILE, or --json for standard output")
	}
	return nil
}
