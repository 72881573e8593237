package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"spinsync/apiclient"
	"spinsync/cmd/spinsync/demo/turntable"
	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A play is what happens in front of the camera.
type play struct {
	client *apiclient.Client
	place  stage
	once   bool
	say    io.Writer
	shown  chan []status.ProductStatus // the newest, once it is on the screen
}

// see lets the play wait for what the audience has seen, so that it prints nothing before it.
func (p *play) see(products []status.ProductStatus) {
	select {
	case <-p.shown:
	default:
	}
	p.shown <- products
}

// run plays until the end or Ctrl-C, and then prints how to see the demo later.
func (p *play) run(ctx context.Context) error {
	err := p.perform(ctx)
	if err != nil && ctx.Err() == nil {
		return err
	}
	return errors.Join(err, p.farewell())
}

func (p *play) perform(ctx context.Context) error {
	folder := p.place.newProduct()
	fmt.Fprintf(p.say, "service    %s  (user %s, password %s)\n", p.place.address, user, p.place.password)
	fmt.Fprintf(p.say, "dashboard  http://%s\n", p.place.page)
	fmt.Fprintf(p.say, "photos     %s\n", terminal.Printable(filepath.Join(folder.Root, folder.Path)))
	fmt.Fprintf(p.say, "camera     takes %d photos in there; each is sent as soon as it is whole\n", fullTurn)
	shoot := turntable.Shoot{Frames: fullTurn, Glaze: turntable.Blue}
	first, err := p.shoot(ctx, folder, shoot, nil, nil)
	if err != nil {
		return err
	}
	if err := p.showView(ctx, first); err != nil || p.once {
		return err
	}
	again := turntable.Reshoot
	fmt.Fprintf(p.say, "again      %s and %s are photographed once more\n", shoot.Name(again[0]), shoot.Name(again[1]))
	shoot.Glaze = turntable.Green
	second, err := p.shoot(ctx, folder, shoot, again, first.PublishedAt)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.say, "revision   %d has become %d, at the same address; Ctrl-C ends the demo\n",
		first.Revision, second.Revision)
	<-ctx.Done()
	return ctx.Err()
}

// shoot photographs all frames, or only some, and prints each step until they are published, later
// than before.
func (p *play) shoot(
	ctx context.Context, folder syncstate.Folder, shoot turntable.Shoot, only []int, before *time.Time,
) (product status.ProductStatus, err error) {
	// Quick for a turntable, slow enough to watch.
	const every = 400 * time.Millisecond
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		return turntable.Camera(ctx, filepath.Join(folder.Root, folder.Path), shoot, every, only)
	})
	g.Go(func() (err error) {
		product, err = p.published(ctx, folder, before)
		return err
	})
	err = g.Wait()
	return product, err
}

// published waits until a folder is published later than at a time, and prints each step.
// On a busy machine the camera may be so slow that frames seem to be missing, which passes.
func (p *play) published(
	ctx context.Context, folder syncstate.Folder, before *time.Time,
) (status.ProductStatus, error) {
	const patience = 20 * time.Second
	printed := ""
	for {
		var products []status.ProductStatus
		select {
		case products = <-p.shown:
		case <-ctx.Done():
			return status.ProductStatus{}, ctx.Err()
		}
		i := slices.IndexFunc(products, func(p status.ProductStatus) bool { return p.Key() == folder })
		if i < 0 {
			continue
		}
		switch product := products[i]; {
		case product.State == status.Attention && time.Since(product.Since) > patience:
			return product, fmt.Errorf("%s: %s", product.Folder, product.Reason)
		case product.State == status.Published && product.PublishedAt != nil &&
			(before == nil || product.PublishedAt.After(*before)):
			return product, nil
		default:
			if step := step(product); step != "" && step != printed {
				fmt.Fprintln(p.say, step)
				printed = step
			}
		}
	}
}

// step is the line about a folder's progress: one for each quarter that is sent, and one while the
// service processes it.
func step(p status.ProductStatus) string {
	const quarter = fullTurn / 4
	sent := p.Frames.Uploaded / quarter * quarter
	switch {
	case p.State == status.Processing && p.Frames.Uploaded == fullTurn:
		return fmt.Sprintf("processing the service makes the view of %d photos", fullTurn)
	case p.State != status.Attention && sent > 0 && sent < fullTurn: // or collecting
		return fmt.Sprintf("uploading  %d of %d photos are sent", sent, fullTurn)
	}
	return ""
}

// farewell prints how to see the view after the demo's service has ended.
func (p *play) farewell() error {
	how := "the demo removed its files; with --dir DIR they stay"
	if p.place.kept {
		how = p.place.again() + "   shows the view again"
	}
	_, err := fmt.Fprintf(p.say, "later      %s\n", terminal.Printable(how))
	return err
}

// showView prints the address of the view, unless the view goes with the demo at once.
func (p *play) showView(ctx context.Context, product status.ProductStatus) error {
	if p.once && !p.place.kept {
		return nil
	}
	embed, err := p.client.Embed(ctx, product.Product, apiclient.EmbedOptions{Type: apiclient.EmbedResponsive})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.say, "view       %s\n", embed.Src)
	return err
}
