package apiclient_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"strings"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
)

// serveSandbox serves the built-in hosting service in place of the real one, whose address begins
// with https.
func serveSandbox() (url string, stop func()) {
	dir, err := os.MkdirTemp("", "sandbox-")
	if err != nil {
		panic(err)
	}
	box, err := sandbox.New(sandbox.Options{
		Dir:        dir,
		Users:      []sandbox.User{{Name: "studio", Password: "the-secret", CanEdit: true}},
		Processing: -1,
	})
	if err != nil {
		panic(err)
	}
	server := httptest.NewServer(box)
	return server.URL, func() {
		server.Close()
		box.Close()
		os.RemoveAll(dir)
	}
}

// From two photos to a published view.
func Example() {
	url, stop := serveSandbox()
	defer stop()
	ctx := context.Background()
	c, err := apiclient.New(apiclient.Options{BaseURL: url, Username: "studio", Password: "the-secret"})
	check(err)
	defer c.CloseIdle()

	project, err := c.CreateProject(ctx, "Summer")
	check(err)
	form, err := c.CreateProduct(ctx, apiclient.NewProduct{Title: "Shoe", SKU: "S-1", Project: project.UUID, Images: 2})
	check(err)
	for _, name := range []string{"shoe_01.jpg", "shoe_02.jpg"} {
		photo := "the bytes of " + name
		check(c.Upload(ctx, form, apiclient.File{
			Name: name, ContentType: "image/jpeg", Size: int64(len(photo)),
			Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(photo)), nil },
		}))
	}
	check(c.FinishUpload(ctx, form.UUID))
	status, err := c.Status(ctx, form.UUID) // until it is finished; here it is at once
	check(err)
	images, err := c.Images(ctx, form.UUID)
	check(err)
	fmt.Println("finished:", status.Finished())
	for _, image := range images {
		fmt.Println(image.Ordial, image.Source)
	}
	// Output:
	// finished: true
	// 1 shoe_01.jpg
	// 2 shoe_02.jpg
}

// An Error knows whether another try can help, and whether the request may have been executed.
func ExampleError() {
	url, stop := serveSandbox()
	defer stop()
	c, err := apiclient.New(apiclient.Options{BaseURL: url, Username: "studio", Password: "a guess"})
	check(err)
	defer c.CloseIdle()
	_, err = c.CreateProject(context.Background(), "Summer")
	var failed *apiclient.Error
	if errors.As(err, &failed) {
		fmt.Println(failed.Op, "failed with status", failed.Status)
		fmt.Println("worth another try:", failed.Temporary())
		fmt.Println("may have been executed:", failed.MayHaveTakenEffect())
	}
	// Output:
	// create project failed with status 401
	// worth another try: false
	// may have been executed: false
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
