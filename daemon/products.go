package daemon

import (
	"context"
	"sync"
	"time"

	"spinsync/daemon/products"
	"spinsync/daemon/reading"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// followProducts looks at the products files of all roots until the context ends.
func (d *Daemon) followProducts(ctx context.Context, tasks *sync.WaitGroup) {
	for _, r := range d.board.roots {
		if r.Products != nil {
			tasks.Go(func() { d.followProductsOf(ctx, r) })
		}
	}
}

// followProductsOf leaves a look behind at the end that the system does not answer.
func (d *Daemon) followProductsOf(ctx context.Context, r *reading.Root) {
	looks := make(chan *products.Content, 1)
	for {
		d.AwaitTurn(ctx, syncstate.Folder{Root: r.Watch.Path}, r.Products.Name)
		go func() { looks <- r.Products.Look(d.Files.Watcher, d.Files.Readable) }()
		select {
		case content := <-looks:
			d.takeProducts(r, content)
		case <-ctx.Done():
			return
		}
		select {
		case <-time.After(r.Products.Pause()):
		case <-ctx.Done():
			return
		}
	}
}

// takeProducts puts a new content into force.
func (d *Daemon) takeProducts(r *reading.Root, content *products.Content) {
	if content == nil || !r.Products.Take(content) {
		return
	}
	d.logProducts(r, content)
	d.judgeAnew(r)
	r.Products.Judge()
}

// logProducts logs how many rows were read, and the first mistakes.
func (d *Daemon) logProducts(r *reading.Root, content *products.Content) {
	const told = 20
	log := d.Log.With("root", r.Watch.Path, "file", r.Products.Name)
	if content.Err != nil {
		log.Warn("products file", "problem", status.OneLine(content.Err.Error()))
		return
	}
	log.Info("products file read", "rows", content.Table.Len(), "mistakes", len(content.Table.Mistakes))
	for _, mistake := range content.Table.Mistakes[:min(told, len(content.Table.Mistakes))] {
		log.Warn("products file", "problem", mistake.String())
	}
}

// judgeAnew has the folders of a root planned that did not come to rest by what the products file
// says of them now.
func (d *Daemon) judgeAnew(r *reading.Root) {
	judged := map[syncstate.Folder]bool{}
	for key, head := range d.Records.Heads() {
		if key.Root == r.Watch.Path {
			judged[key] = head.Settings == r.SettingsOf(r.Products.Row(key.Path, head.Product.SKU))
		}
	}
	d.board.mu.Lock()
	var anew []syncstate.Folder
	for key, f := range d.board.folders {
		if f.root == r && (!judged[key] || f.status.State != status.Published) {
			anew = append(anew, key)
		}
	}
	d.board.mu.Unlock()
	for _, key := range anew {
		d.Files.Refresh(key.Root, key.Path)
	}
}

// productsLooked reports whether every products file was read, or its root is away.
func (d *Daemon) productsLooked() bool {
	for _, r := range d.board.roots {
		if r.Products != nil && !r.Products.Looked() {
			return false
		}
	}
	return true
}
