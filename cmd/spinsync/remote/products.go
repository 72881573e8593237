package remote

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spinsync/apiclient"
	"spinsync/cmd/spinsync/cli"
)

func (r *remote) productsCommand() *cobra.Command {
	products := cli.OnlyHolds(&cobra.Command{
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
	c := r.calls(&cobra.Command{
		Use: "list", Short: "List all products, or those of a project (interface 4.6, 4.8)", Args: cobra.NoArgs,
		Long: `Lists all products, or those of a project. The service applies the filters. It
decides whether they compare whole values or parts.`,
	}, func(ctx context.Context, client *apiclient.Client, _ []string) error {
		return r.listProducts(ctx, client, project, f)
	})
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
	c := r.calls(&cobra.Command{
		Use: "create", Short: "Create a product and get its upload credentials (interface 4.2)", Args: cobra.NoArgs,
		Long: `Creates a product in a project and gets its upload credentials, which the service
hands out once. It needs --project, --images, --title or --sku, and --form. With
--json the credentials go to standard output.`,
	}, func(ctx context.Context, client *apiclient.Client, _ []string) (err error) {
		if p.Project == "" || p.Images < 1 || p.Title == "" && p.SKU == "" {
			return cli.Usagef("a product needs --project, --images and a --title or --sku")
		}
		if err := r.checkFormPlace(form); err != nil {
			return err
		}
		p.Title, p.SKU = cmp.Or(p.Title, p.SKU), cmp.Or(p.SKU, p.Title)
		if p.Project, err = projectUUID(ctx, client, p.Project); err != nil {
			return err
		}
		credentials, err := client.CreateProduct(ctx, p)
		if err != nil {
			return err
		}
		return r.keepForm(credentials, form)
	})
	productFlags(c.Flags(), &p.Title, &p.SKU, &p.Manufacturer, &p.Year)
	c.Flags().StringVar(&p.Project, "project", "", "the `PROJECT` it belongs to, by its UUID or its title")
	c.Flags().IntVar(&p.Images, "images", 0, "`NUMBER` of images that will be uploaded; 1 for a video")
	c.Flags().StringVar(&form, "form", "", "write the upload credentials to this `FILE`")
	return c
}

// fieldFlags adds the flags of a product's fields. changed takes those that were given: an empty
// one empties the field.
func fieldFlags(flags *pflag.FlagSet) (changed func() apiclient.ProductUpdate) {
	var title, sku, manufacturer, year string
	productFlags(flags, &title, &sku, &manufacturer, &year)
	given := func(name string, value *string) *string {
		if flags.Changed(name) {
			return value
		}
		return nil
	}
	return func() apiclient.ProductUpdate {
		return apiclient.ProductUpdate{
			Title: given("title", &title), SKU: given("sku", &sku),
			Manufacturer: given("manufacturer", &manufacturer), Year: given("year", &year),
		}
	}
}

func (r *remote) updateCommand() *cobra.Command {
	var changed func() apiclient.ProductUpdate
	c := r.calls(&cobra.Command{
		Use: "update PRODUCT", Short: "Change a product's fields (interface 4.9)", Args: cobra.ExactArgs(1),
		Long: "Changes the fields that are named. An empty value empties the field.",
	}, func(ctx context.Context, client *apiclient.Client, args []string) error {
		update := changed()
		if update == (apiclient.ProductUpdate{}) {
			return cli.Usagef("name at least one of --title, --sku, --manufacturer and --year")
		}
		if err := client.UpdateProduct(ctx, args[0], update); err != nil {
			return err
		}
		return r.done("%s is changed", args[0])
	})
	changed = fieldFlags(c.Flags())
	return c
}

func (r *remote) reuploadCommand() *cobra.Command {
	var images int
	var form string
	var changed func() apiclient.ProductUpdate
	c := r.calls(&cobra.Command{
		Use: "reupload PRODUCT", Short: "Begin a new revision and get its upload credentials (interface 4.9)",
		Args: cobra.ExactArgs(1),
		Long: `Begins another revision of a product. Upload all images again, then call spinsync
remote finish. It also changes the fields that are named. It needs --images and
--form. With --json the credentials go to standard output.`,
	}, func(ctx context.Context, client *apiclient.Client, args []string) error {
		if images < 1 {
			return cli.Usagef("say with --images how many images will be uploaded")
		}
		if err := r.checkFormPlace(form); err != nil {
			return err
		}
		credentials, err := client.Reupload(ctx, args[0], changed(), images)
		if err != nil {
			return err
		}
		return r.keepForm(credentials, form)
	})
	changed = fieldFlags(c.Flags())
	c.Flags().IntVar(&images, "images", 0, "`NUMBER` of images that will be uploaded; 1 for a video")
	c.Flags().StringVar(&form, "form", "", "write the upload credentials to this `FILE`")
	return c
}

func (r *remote) deleteCommand() *cobra.Command {
	var yes bool
	c := r.calls(&cobra.Command{
		Use: "delete PRODUCT", Short: "Delete a product with its images (interface 4.10)", Args: cobra.ExactArgs(1),
	}, func(ctx context.Context, client *apiclient.Client, args []string) error {
		if !yes && !r.call.Confirm(ctx, "delete product "+args[0]+" with all its images?") {
			return fmt.Errorf("%s was not deleted; answer yes, or use --yes", args[0])
		}
		if err := client.DeleteProduct(ctx, args[0]); err != nil {
			return err
		}
		return r.done("%s is deleted", args[0])
	})
	c.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return c
}
