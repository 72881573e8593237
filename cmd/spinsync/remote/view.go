package remote

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"spinsync/apiclient"
	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/terminal"
)

func (r *remote) statusCommand() *cobra.Command {
	return r.calls(&cobra.Command{
		Use: "status PRODUCT", Short: "Show the state of processing (interface 4.14)", Args: cobra.ExactArgs(1),
	}, func(ctx context.Context, client *apiclient.Client, args []string) error {
		s, err := client.Status(ctx, args[0])
		if err != nil {
			return err
		}
		return r.show(s, []string{s.ImageStatus, fmt.Sprintf("revision %d", s.SourceRevision)})
	})
}

func (r *remote) embedCommand() *cobra.Command {
	var o apiclient.EmbedOptions
	c := r.calls(&cobra.Command{
		Use: "embed PRODUCT", Short: "Print the markup that shows a product on a page (interface 4.5)", Args: cobra.ExactArgs(1),
	}, func(ctx context.Context, client *apiclient.Client, args []string) error {
		if err := checkEmbedType(o.Type); err != nil {
			return err
		}
		e, err := client.Embed(ctx, args[0], o)
		if err != nil {
			return err
		}
		if r.json {
			return terminal.JSON(r.call.Stdout, map[string]any{"markup": e.Markup, "src": e.Src, "attributes": e.Attributes})
		}
		_, err = fmt.Fprintln(r.call.Stdout, e.Markup)
		return err
	})
	c.Flags().StringVar((*string)(&o.Type), "type", "", "`KIND` of markup: iframe or responsive")
	c.Flags().IntVar(&o.Width, "width", 0, "at most this many `PIXELS` wide")
	c.Flags().IntVar(&o.Height, "height", 0, "at most this many `PIXELS` high")
	return c
}

func checkEmbedType(t apiclient.EmbedType) error {
	switch t {
	case "", apiclient.EmbedIframe, apiclient.EmbedResponsive:
		return nil
	}
	return cli.Usagef("unknown kind of embed %q; use iframe or responsive", string(t))
}

func (r *remote) downloadCommand() *cobra.Command {
	var output string
	c := r.calls(&cobra.Command{
		Use: "download PRODUCT", Short: "Download a product's source files as a ZIP (interface 4.11)",
		Args: cobra.ExactArgs(1),
	}, func(ctx context.Context, client *apiclient.Client, args []string) error {
		return r.download(ctx, client, args[0], output)
	})
	c.Flags().StringVarP(&output, "output", "o", "",
		"write to this `FILE` instead of PRODUCT.zip; - is standard output")
	return c
}

// download never replaces a file, and leaves no half one behind.
func (r *remote) download(ctx context.Context, client *apiclient.Client, product, output string) error {
	if output == "-" {
		_, err := client.DownloadSources(ctx, product, r.call.Stdout)
		return err
	}
	output = cmp.Or(output, product+".zip")
	f, err := os.OpenFile(output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return cli.Usagef("%w; name another file with --output", err)
	}
	size, err := client.DownloadSources(ctx, product, f)
	if err = cmp.Or(err, f.Close()); err != nil {
		os.Remove(output)
		return err
	}
	return r.show(map[string]any{"file": output, "bytes": size}, []string{output, fmt.Sprintf("%d bytes", size)})
}
