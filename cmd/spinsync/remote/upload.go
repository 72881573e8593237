package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"spinsync/apiclient"
	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon/config"
	"spinsync/daemon/status"
	"spinsync/watcher/frame"
)

func (r *remote) uploadCommand() *cobra.Command {
	var form string
	c := r.calls(&cobra.Command{
		Use: "upload --form FILE IMAGE...", Short: "Upload images with upload credentials (interface 4.3)",
		Args: cobra.MinimumNArgs(1),
		Long: "Uploads images under their own names. The service shows them in the order of these names, byte by byte.",
	}, func(ctx context.Context, client *apiclient.Client, args []string) error {
		if form == "" {
			return cli.Usagef("name the upload credentials with --form")
		}
		credentials, err := r.readForm(form)
		if err != nil {
			return err
		}
		credentials.AccessKeyField = r.accessKeyField
		return r.upload(ctx, client, credentials, args)
	})
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
			return cli.Usagef("%w; name an image that is there", err)
		case !config.IsFile(info):
			return cli.Usagef("%s is no regular file", terminal.Printable(path))
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
			fmt.Fprintf(r.call.Stdout, "%s (%d bytes)\n", terminal.Printable(name), info.Size())
		}
	}
	return r.done("%s uploaded; spinsync remote finish %s ends the upload",
		status.Counted(len(paths), "file"), form.UUID)
}

func (r *remote) finishCommand() *cobra.Command {
	return r.calls(&cobra.Command{
		Use: "finish PRODUCT", Short: "Say that all uploads are complete (interface 4.4)", Args: cobra.ExactArgs(1),
	}, func(ctx context.Context, client *apiclient.Client, args []string) error {
		if err := client.FinishUpload(ctx, args[0]); err != nil {
			return err
		}
		return r.done("the service processes the images now; see spinsync remote status %s", args[0])
	})
}

// readForm reads upload credentials as create and reupload write them.
func (r *remote) readForm(path string) (form apiclient.Credentials, err error) {
	var data []byte
	if path == "-" {
		data, err = io.ReadAll(r.call.Stdin)
	} else {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return form, cli.Usagef("%w; name a file of spinsync remote products create --form", err)
	}
	if err := json.Unmarshal(data, &form); err != nil || form.Path == "" || form.Hostname == "" {
		return form, cli.Usagef(
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

// checkFormPlace checks that there is a place for the credentials before anything is created: the
// service gives them out once.
func (r *remote) checkFormPlace(path string) error {
	if path == "" && !r.json {
		return cli.Usagef("name a file for the upload credentials with --form FILE, or use --json for standard output")
	}
	return nil
}
