package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spinsync/apiclient"
	"spinsync/daemon/status"
	"spinsync/watcher/frame"
)

func (r *remote) productsCommand() *cobra.Command {
	products := onlyHolds(&cobra.Command{
		Use: "products", Short: "List products, or create one (interface 4.6, 4.8, 4.2)",
	})
	list := r.listProductsCommand()
	products.RunE = list.RunE
	products.Flags().AddFlagSet(list.Flags())
	products.AddCommand(list, r.createProductCommand())
	return products
}

func (r *remote) listProductsCommand() *cobra.Command {
	var f apiclient.Filter
	var project string
	c := &cobra.Command{
		Use: "list", Short: "List all products, or those of a project (interface 4.6, 4.8)", Args: cobra.NoArgs,
		Long: "Lists all products, or those of a project. The filters are the service's: whether they compare whole values is its choice.",
		RunE: func(c *cobra.Command, _ []string) error {
			return r.call(func(client *apiclient.Client) error {
				return r.listProducts(c.Context(), client, project, f)
			})
		},
	}
	c.Flags().StringVar(&project, "project", "", "only those of this `PROJECT`, by its UUID or its title")
	productFlags(c.Flags(), &f.Title, &f.SKU, &f.Manufacturer, &f.Year)
	return c
}

func productFlags(flags *pflag.FlagSet, title, sku, manufacturer, year *string) {
	flags.StringVar(title, "title", "", "the product's `TITLE`")
	flags.StringVar(sku, "sku", "", "the product's `SKU`")
	flags.StringVar(manufacturer, "manufacturer", "", "the manufacturer's `NAME`")
	flags.StringVar(year, "year", "", "the product's `YEAR`")
}

func (r *remote) listProducts(ctx context.Context, client *apiclient.Client, project string, f apiclient.Filter) error {
	list := func() ([]apiclient.Product, error) { return client.Products(ctx, f) }
	if project != "" {
		uuid, err := projectUUID(ctx, client, project)
		if err != nil {
			return err
		}
		list = func() ([]apiclient.Product, error) { return client.ProjectProducts(ctx, uuid, f) }
	}
	products, err := list()
	if err != nil {
		return err
	}
	header := []string{"UUID", "SKU", "MANUFACTURER", "YEAR", "CREATED", "PROJECT", "TITLE"}
	return r.show(products, each(header, products, func(p apiclient.Product) []string {
		return []string{p.UUID, p.SKU, p.Manufacturer, p.Year, day(p.CreatedAt), p.Project, p.Title}
	})...)
}

func (r *remote) createProductCommand() *cobra.Command {
	var p apiclient.NewProduct
	var form string
	c := &cobra.Command{
		Use: "create", Short: "Create a product and get its upload credentials (interface 4.2)", Args: cobra.NoArgs,
		Long: `Creates a product in a project and gets its upload credentials, which the service hands out once. It needs --project, --images,
--title or --sku, and --form, or --json to have the credentials on standard output.`,
		RunE: func(c *cobra.Command, _ []string) error {
			if p.Project == "" || p.Images < 1 || p.Title == "" && p.SKU == "" {
				return usageErrorf("a product needs --project, --images and a --title or --sku")
			}
			if err := r.checkFormPlace(form); err != nil {
				return err
			}
			p.Title, p.SKU = cmp.Or(p.Title, p.SKU), cmp.Or(p.SKU, p.Title)
			return r.call(func(client *apiclient.Client) error {
				var err error
				if p.Project, err = projectUUID(c.Context(), client, p.Project); err != nil {
					return err
				}
				credentials, err := client.CreateProduct(c.Context(), p)
				if err != nil {
					return err
				}
				return r.keepForm(credentials, form)
			})
		},
	}
	productFlags(c.Flags(), &p.Title, &p.SKU, &p.Manufacturer, &p.Year)
	c.Flags().StringVar(&p.Project, "project", "", "the `PROJECT` it belongs to, by its UUID or its title")
	c.Flags().IntVar(&p.Images, "images", 0, "`NUMBER` of images that will be uploaded; 1 for a video")
	c.Flags().StringVar(&form, "form", "", "write the upload credentials to this `FILE`")
	return c
}

func (r *remote) uploadCommand() *cobra.Command {
	var form string
	c := &cobra.Command{
		Use: "upload --form FILE IMAGE...", Short: "Upload images with upload credentials (interface 4.3)",
		Args: cobra.MinimumNArgs(1),
		Long: "Uploads images under their own names. The service shows them in the order of these names, byte by byte.",
		RunE: func(c *cobra.Command, args []string) error {
			if form == "" {
				return usageErrorf("name the upload credentials with --form")
			}
			credentials, err := r.readForm(form)
			if err != nil {
				return err
			}
			configured, err := r.config()
			if err != nil {
				return err
			}
			credentials.AccessKeyField = configured.Service.AccessKeyField
			return r.call(func(client *apiclient.Client) error {
				return r.upload(c.Context(), client, credentials, args)
			})
		},
	}
	c.Flags().StringVar(&form, "form", "", "the `FILE` with the upload credentials; - is standard input")
	return c
}

func (r *remote) upload(
	ctx context.Context, client *apiclient.Client, form apiclient.Credentials, paths []string,
) error {
	names := form.AccessKeyFields()
	if form.AccessKeyField != "" {
		names = []string{form.AccessKeyField}
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return err
		case !info.Mode().IsRegular():
			return usageErrorf("%s is no regular file", printable(path))
		}
		name := filepath.Base(path)
		worked, err := apiclient.TryAccessKeyFields(names, func(field string) error {
			form.AccessKeyField = field
			return client.Upload(ctx, form, apiclient.File{
				Name: name, ContentType: frame.ContentType(name), Size: info.Size(),
				Open: func() (io.ReadCloser, error) { return os.Open(path) },
			})
		})
		switch {
		case apiclient.NoAccessKeyField(err):
			return fmt.Errorf("%w; write the name that the service's operator gives as access_key_field into sync.toml",
				err)
		case err != nil:
			return err
		}
		names = []string{worked}
		if !r.json {
			fmt.Fprintf(r.stdout, "%s (%d bytes)\n", printable(name), info.Size())
		}
	}
	return r.done("%s uploaded; spinsync remote finish %s ends the upload", status.Counted(len(paths), "file"), form.UUID)
}

// changedFields takes the fields whose flags were given: an empty one empties the field.
func changedFields(flags *pflag.FlagSet) (u apiclient.ProductUpdate) {
	for name, field := range map[string]**string{
		"title":        &u.Title,
		"sku":          &u.SKU,
		"manufacturer": &u.Manufacturer,
		"year":         &u.Year,
	} {
		if flag := flags.Lookup(name); flag.Changed {
			value := flag.Value.String()
			*field = &value
		}
	}
	return u
}

func (r *remote) updateCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "update PRODUCT", Short: "Change a product's fields (interface 4.9)", Args: cobra.ExactArgs(1),
		Long: "Changes the fields that are named, and leaves the others. An empty one empties the field.",
		RunE: func(c *cobra.Command, args []string) error {
			update := changedFields(c.Flags())
			if update == (apiclient.ProductUpdate{}) {
				return usageErrorf("name at least one of --title, --sku, --manufacturer and --year")
			}
			return r.call(func(client *apiclient.Client) error {
				if err := client.UpdateProduct(c.Context(), args[0], update); err != nil {
					return err
				}
				return r.done("%s is changed", args[0])
			})
		},
	}
	productFlags(c.Flags(), new(string), new(string), new(string), new(string))
	return c
}

func (r *remote) reuploadCommand() *cobra.Command {
	var images int
	var form string
	c := &cobra.Command{
		Use: "reupload PRODUCT", Short: "Get upload credentials for all images anew (interface 4.9)",
		Args: cobra.ExactArgs(1),
		Long: `Begins another revision of a product, for which all images are uploaded anew until spinsync remote finish. Fields that are named
are changed too. It needs --images, and --form, or --json to have the credentials on standard output.`,
		RunE: func(c *cobra.Command, args []string) error {
			if images < 1 {
				return usageErrorf("say with --images how many images will be uploaded")
			}
			if err := r.checkFormPlace(form); err != nil {
				return err
			}
			return r.call(func(client *apiclient.Client) error {
				credentials, err := client.Reupload(c.Context(), args[0], changedFields(c.Flags()), images)
				if err != nil {
					return err
				}
				return r.keepForm(credentials, form)
			})
		},
	}
	productFlags(c.Flags(), new(string), new(string), new(string), new(string))
	c.Flags().IntVar(&images, "images", 0, "`NUMBER` of images that will be uploaded; 1 for a video")
	c.Flags().StringVar(&form, "form", "", "write the upload credentials to this `FILE`")
	return c
}

func (r *remote) deleteCommand() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "delete PRODUCT", Short: "Delete a product with its images (interface 4.10)", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if !yes && !r.confirm(c.Context(), "delete product %s with all its images?", args[0]) {
				return fmt.Errorf("%s was not deleted; answer yes, or use --yes", args[0])
			}
			return r.call(func(client *apiclient.Client) error {
				if err := client.DeleteProduct(c.Context(), args[0]); err != nil {
					return err
				}
				return r.done("%s is deleted", args[0])
			})
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return c
}

// confirm asks a person. Reading from a terminal cannot be interrupted, so an unanswered question
// is left behind when the context ends.
func (a *app) confirm(ctx context.Context, question string, args ...any) bool {
	fmt.Fprintf(a.stderr, question+" [yes/no] ", args...)
	answer := make(chan string, 1)
	go func() {
		line, err := bufio.NewReader(a.stdin).ReadString('\n')
		if _, person := terminal(a.stdin); err != nil || !person {
			fmt.Fprintln(a.stderr) // no typed line break ended the question
		}
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case said := <-answer:
		return said == "yes" || said == "y"
	case <-ctx.Done():
		return false
	}
}

func (r *remote) altCommand() *cobra.Command {
	var none bool
	c := &cobra.Command{
		Use: "alt IMAGE LOCALE=TEXT...", Short: "Replace all alt texts of an image (interface 4.13)",
		Args: cobra.MinimumNArgs(1),
		Long: `Replaces all alt texts of an image by those given: what is to stay has to be among them. IMAGE is the number that
spinsync remote images prints as ID.`,
		Example: `  spinsync remote alt 17 en="Blue teapot, front" de="Blaue Teekanne, Vorderseite"
  spinsync remote alt 17 --none`,
		RunE: func(c *cobra.Command, args []string) error {
			image, texts, err := parseAlt(args, none)
			if err != nil {
				return err
			}
			return r.call(func(client *apiclient.Client) error {
				stored, err := client.SetAltTexts(c.Context(), image, texts)
				if err != nil {
					return err
				}
				return r.show(stored, []string{strconv.FormatInt(stored.ID, 10), altSummary(stored.AltTexts)})
			})
		},
	}
	c.Flags().BoolVar(&none, "none", false, "remove all alt texts")
	return c
}

func parseAlt(args []string, none bool) (image int64, texts map[string]string, err error) {
	image, err = strconv.ParseInt(args[0], 10, 64)
	if err != nil {
		return 0, nil, usageErrorf("%q is no image; spinsync remote images PRODUCT prints their numbers as ID", args[0])
	}
	if none != (len(args) == 1) {
		return 0, nil, usageErrorf("give the alt texts as LOCALE=TEXT, or --none to remove all")
	}
	texts = map[string]string{}
	for _, arg := range args[1:] {
		locale, text, ok := strings.Cut(arg, "=")
		if !ok || locale == "" {
			return 0, nil, usageErrorf("%q is no alt text; write for instance en=\"Front view\"", arg)
		}
		texts[locale] = text
	}
	return image, texts, nil
}

// altSummary is all alt texts on one line.
func altSummary(texts map[string]string) string {
	var parts []string
	for _, locale := range slices.Sorted(maps.Keys(texts)) {
		parts = append(parts, fmt.Sprintf("%s=%q", locale, texts[locale]))
	}
	return strings.Join(parts, " ")
}
