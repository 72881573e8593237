package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"spinsync/cmd/spinsync/backend"
	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon/status"
)

const exportHelp = `Prints every known product folder with the images of its last published revision.

  json    one document, {"products": [...]}
  ndjson  one product on each line
  csv     one image on each line, and one line for a product without images

The first line of the CSV names the columns. A text that a spreadsheet would take
for a formula gets an apostrophe in front. alt_texts is JSON: {"locale": "text"}.

embed_url is the link to the view, for an iframe or a browser. It is empty where
the service did not give it; spinsync retry FOLDER asks again.

ordial is the service's spelling for the position of an image in the view.
media_url and thumbnail_url are as the service gives them. A size or format can
be appended to media_url, never to thumbnail_url.

While a daemon runs, a mistake in sync.toml is a warning.`

func exportCommand(call *cli.Call) *cobra.Command {
	var format string
	c := &cobra.Command{
		Use: "export", Short: "Print what is published, for other programs", Args: cobra.NoArgs, Long: exportHelp,
		Example: `  spinsync export --format csv > views.csv
  spinsync export | jq '.products[] | {sku, revision}'`,
		RunE: func(c *cobra.Command, _ []string) error { return export(c.Context(), call, format) },
	}
	c.Flags().StringVar(&format, "format", "json", "`FORMAT`: json, csv or ndjson")
	_ = c.RegisterFlagCompletionFunc("format",
		cobra.FixedCompletions([]string{"json", "csv", "ndjson"}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// products calls yield with every known product folder.
type products func(yield func(status.ExportedProduct) error) error

// A format writes products one by one, so that a million images need no memory.
type format func(w io.Writer, each products) error

func export(ctx context.Context, call *cli.Call, name string) error {
	shown := func(cell string) string { return cell }
	if _, screen := terminal.IsTerminal(call.Stdout); screen {
		shown = terminal.Printable // the names of files must not steer a person's terminal
	}
	write, known := map[string]format{"json": writeJSON, "csv": writeCSV(shown), "ndjson": writeLines}[name]
	if !known {
		return cli.Usagef("unknown format %q; use json, csv or ndjson", name)
	}
	to := exportTo(ctx, call.Stdout, write)
	c, mistake := call.Config()
	if mistake != nil {
		return backend.Despite(ctx, call, mistake, to)
	}
	return backend.Read(ctx, c, to)
}

func exportTo(ctx context.Context, out io.Writer, write format) func(backend.Backend) error {
	return func(b backend.Backend) error {
		w := bufio.NewWriter(out)
		each := func(yield func(status.ExportedProduct) error) error { return b.Export(ctx, yield) }
		if err := write(w, each); err != nil {
			return err
		}
		return w.Flush()
	}
}

// writeJSON writes one document for all products.
func writeJSON(w io.Writer, each products) error {
	before, end := `{"products": [`+"\n  ", `{"products": []}`+"\n"
	err := each(func(p status.ExportedProduct) error {
		var b strings.Builder
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("  ", "  ")
		if err := encoder.Encode(p); err != nil {
			return err
		}
		_, err := io.WriteString(w, before+strings.TrimSuffix(b.String(), "\n"))
		before, end = ",\n  ", "\n]}\n"
		return err
	})
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, end)
	return err
}

// writeLines writes a document for each product.
func writeLines(w io.Writer, each products) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return each(func(p status.ExportedProduct) error { return encoder.Encode(p) })
}

// writeCSV writes a line for each image, with its cells as shown has them.
func writeCSV(shown func(cell string) string) format {
	return func(w io.Writer, each products) error { return writeTable(w, each, shown) }
}

func writeTable(w io.Writer, each products, shown func(cell string) string) error {
	table := csv.NewWriter(w)
	line := func(product, image []string) error {
		fields := slices.Concat(product, image)
		for i := range fields {
			fields[i] = shown(fields[i])
		}
		return table.Write(fields)
	}
	if err := line(productColumns(), imageColumns()); err != nil {
		return err
	}
	err := each(func(p status.ExportedProduct) error {
		product := productFields(p)
		if len(p.Images) == 0 {
			return line(product, make([]string, len(imageColumns())))
		}
		for _, i := range p.Images {
			image, err := imageFields(i)
			if err == nil {
				err = line(product, image)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	table.Flush()
	return cmp.Or(err, table.Error())
}

func productColumns() []string {
	return []string{
		"root", "folder", "project_uuid", "project_title", "uuid", "title", "sku", "manufacturer", "year",
		"state", "reason", "revision", "published_at", "embed_url",
	}
}

func imageColumns() []string {
	return []string{
		"image_id", "ordial", "file", "source", "row", "image_group", "source_revision", "storage_version",
		"media_url", "thumbnail_url", "alt_texts",
	}
}

func productFields(p status.ExportedProduct) []string {
	var year, revision, at string
	if p.Year != nil {
		year = *p.Year
	}
	if p.PublishedAt != nil {
		revision, at = strconv.FormatInt(p.Revision, 10), p.PublishedAt.UTC().Format(time.RFC3339)
	}
	return inert(p.Root, p.Folder, p.Project.UUID, p.Project.Title, p.UUID, p.Title, p.SKU, p.Manufacturer, year,
		string(p.State), p.Reason, revision, at, p.EmbedURL)
}

func imageFields(i status.ExportedImage) ([]string, error) {
	alt, err := json.Marshal(i.AltTexts)
	if err != nil {
		return nil, err
	}
	return inert(strconv.FormatInt(i.ID, 10), strconv.Itoa(i.Ordial), i.File, i.Source, strconv.Itoa(i.Row),
		i.ImageGroup, strconv.FormatInt(i.SourceRevision, 10), strconv.Itoa(i.StorageVersion),
		i.MediaURL, i.ThumbnailURL, string(alt)), nil
}

// inert puts an apostrophe before what a spreadsheet would take for a formula: names of files and
// titles come from anybody. The last four characters are the wide forms of the first.
func inert(fields ...string) []string {
	for i, f := range fields {
		f = backend.AsWritten(f)
		if strings.IndexAny(f, "=+-@\t\r\n＝＋－＠") == 0 {
			f = "'" + f
		}
		fields[i] = f
	}
	return fields
}
