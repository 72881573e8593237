package remote

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"spinsync/apiclient"
	"spinsync/cmd/spinsync/cli"
)

func (r *remote) imagesCommand() *cobra.Command {
	return r.calls(&cobra.Command{
		Use: "images PRODUCT", Short: "List a product's images (interface 4.12)", Args: cobra.ExactArgs(1),
	}, func(ctx context.Context, client *apiclient.Client, args []string) error {
		images, err := client.Images(ctx, args[0])
		if err != nil {
			return err
		}
		header := []string{
			"ORDIAL", "ID", "REVISION", "STATUS", "GROUP", "ROW", "SOURCE", "ALT TEXTS", "MEDIA URL",
		}
		return r.show(images, each(header, images, imageRow)...)
	})
}

func imageRow(i apiclient.Image) []string {
	return []string{
		strconv.Itoa(i.Ordial), strconv.FormatInt(i.ID, 10), strconv.FormatInt(i.SourceRevision, 10), i.ImageStatus,
		i.ImageGroup, strconv.Itoa(i.Row), i.Source, altSummary(i.AltTexts), i.MediaURL,
	}
}

func (r *remote) altCommand() *cobra.Command {
	var none bool
	c := r.calls(&cobra.Command{
		Use: "alt IMAGE LOCALE=TEXT...", Short: "Replace all alt texts of an image (interface 4.13)",
		Args: cobra.MinimumNArgs(1),
		Long: `Replaces all alt texts of an image. Name the texts that are to stay, too. IMAGE is
the number that spinsync remote images prints as ID.`,
		Example: `  spinsync remote alt 17 en="Blue teapot, front" de="Blaue Teekanne, Vorderseite"
  spinsync remote alt 17 --none`,
	}, func(ctx context.Context, client *apiclient.Client, args []string) error {
		image, texts, err := parseAlt(args, none)
		if err != nil {
			return err
		}
		stored, err := client.SetAltTexts(ctx, image, texts)
		if err != nil {
			return err
		}
		return r.show(stored, []string{strconv.FormatInt(stored.ID, 10), altSummary(stored.AltTexts)})
	})
	c.Flags().BoolVar(&none, "none", false, "remove all alt texts")
	return c
}

func parseAlt(args []string, none bool) (image int64, texts map[string]string, err error) {
	image, err = strconv.ParseInt(args[0], 10, 64)
	if err != nil {
		return 0, nil, cli.Usagef("%q is no image; spinsync remote images PRODUCT prints their numbers as ID", args[0])
	}
	if none != (len(args) == 1) {
		return 0, nil, cli.Usagef("give the alt texts as LOCALE=TEXT, or --none to remove all")
	}
	texts = map[string]string{}
	for _, arg := range args[1:] {
		locale, text, ok := strings.Cut(arg, "=")
		if !ok || locale == "" {
			return 0, nil, cli.Usagef("%q is no alt text; write for instance en=\"Front view\"", arg)
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
