package main

import (
	"bufio"
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
	"spinsync/daemon/config"
	"spinsync/daemon/status"
)

const exportHelp = `Prints every known product folder with the images of its last published revision.

  json    one document, {"products": [...]}
  ndjson  one product on each line
  csv     one image on each line, and one line for a product without images

The first line of the CSV names the columns. A text that a spreadsheet would take
for a formula gets an apostrophe in front. alt_texts is JSON: {"locale": "text"}.

ordial is the service's spelling for the position of an image in the view.
media_url and thumbnail_url are as the service gives them. A size or format can
be appended to media_url, never to thumbnail_url.`

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

// An exporter writes products one by one, so that a million images need no memory.
type exporter interface {
	product(status.ExportedProduct) error
	end() error
}

func export(ctx context.Context, call *cli.Call, format string) error {
	makers := map[string]func(io.Writer) (exporter, error){
		"json":   newJSONExport,
		"csv":    newCSVExport,
		"ndjson": newLineExport,
	}
	maker, known := makers[format]
	if !known {
		return cli.Usagef("unknown format %q; use json, csv or ndjson", format)
	}
	if _, screen := terminal.IsTerminal(call.Stdout); screen && format == "csv" {
		maker = newCSVOnScreen
	}
	c, err := call.Config()
	if err != nil {
		return err
	}
	return exportTo(ctx, call.Stdout, c, maker)
}

func exportTo(
	ctx context.Context, out io.Writer, c *config.Config, maker func(io.Writer) (exporter, error),
) error {
	return backend.Read(ctx, c, func(b backend.Backend) error {
		w := bufio.NewWriter(out)
		e, err := maker(w)
		if err != nil {
			return err
		}
		if err := b.Export(ctx, e.product); err != nil {
			return err
		}
		if err := e.end(); err != nil {
			return err
		}
		return w.Flush()
	})
}

// jsonExport is one document for all products.
type jsonExport struct {
	w     io.Writer
	comma string
}

func newJSONExport(w io.Writer) (exporter, error) {
	_, err := io.WriteString(w, `{"products": [`)
	return &jsonExport{w: w}, err
}

func (e *jsonExport) product(p status.ExportedProduct) error {
	var b strings.Builder
	b.WriteString(e.comma + "\n  ")
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("  ", "  ")
	if err := encoder.Encode(p); err != nil {
		return err
	}
	e.comma = ","
	_, err := io.WriteString(e.w, strings.TrimSuffix(b.String(), "\n"))
	return err
}

func (e *jsonExport) end() error {
	if e.comma != "" {
		e.comma = "\n"
	}
	_, err := io.WriteString(e.w, e.comma+"]}\n")
	return err
}

// lineExport is a document for each product.
type lineExport struct{ *json.Encoder }

func newLineExport(w io.Writer) (exporter, error) {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return lineExport{e}, nil
}

func (e lineExport) product(p status.ExportedProduct) error { return e.Encode(p) }

func (e lineExport) end() error { return nil }

// csvExport is a line for each image.
type csvExport struct {
	*csv.Writer
	screen bool // people read it, and names must not steer their terminal
}

func newCSVExport(w io.Writer) (exporter, error) { return csvTo(w, false) }

func newCSVOnScreen(w io.Writer) (exporter, error) { return csvTo(w, true) }

func csvTo(w io.Writer, screen bool) (exporter, error) {
	c := csv.NewWriter(w)
	return csvExport{c, screen}, c.Write(slices.Concat(productColumns(), imageColumns()))
}

// line writes one line.
func (e csvExport) line(fields []string) error {
	if e.screen {
		for i, f := range fields {
			fields[i] = terminal.Printable(f)
		}
	}
	return e.Write(fields)
}

func productColumns() []string {
	return []string{
		"root", "folder", "project_uuid", "project_title", "uuid", "title", "sku", "manufacturer", "year",
		"state", "reason", "revision", "published_at",
	}
}

func imageColumns() []string {
	return []string{
		"image_id", "ordial", "file", "source", "row", "image_group", "source_revision", "storage_version",
		"media_url", "thumbnail_url", "alt_texts",
	}
}

func (e csvExport) product(p status.ExportedProduct) error {
	fields := productFields(p)
	if len(p.Images) == 0 {
		return e.line(slices.Concat(fields, make([]string, len(imageColumns()))))
	}
	for _, i := range p.Images {
		image, err := imageFields(i)
		if err != nil {
			return err
		}
		if err := e.line(slices.Concat(fields, image)); err != nil {
			return err
		}
	}
	return nil
}

func (e csvExport) end() error {
	e.Flush()
	return e.Error()
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
		string(p.State), p.Reason, revision, at)
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
