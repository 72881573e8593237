package daemon

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"spinsync/daemon/config"
	"spinsync/daemon/products"
	"spinsync/syncstate"
)

// fill lays a row below product.toml and above the folder's name. The SKU, by which the row may
// have been found, stays.
func (p *product) fill(row, file config.Product) {
	if file.Title == "" {
		p.title = first(row.Title, p.title)
	}
	p.manufacturer = first(file.Manufacturer, row.Manufacturer, p.manufacturer)
	p.year = first(file.Year, row.Year, p.year)
}

// identify tells what product the folder is, from its name, its row in the products file and its
// product.toml.
func (j *job) identify(record *syncstate.Record) (rules, product, products.Row, error) {
	switch {
	case !j.snapshot.Present, !j.root.rules.places(j.key.Path):
		return j.root.rules, product{}, products.Row{}, nil
	case j.snapshot.Idle:
		return j.root.rules, product{}, j.root.products.Row(j.key.Path, record.Product.SKU), nil
	}
	if err := j.readProductFile(); err != nil {
		return j.root.rules, product{}, products.Row{}, err
	}
	p, err := j.root.rules.productOf(j.key.Path, j.file.says)
	if err != nil {
		return j.root.rules, p, products.Row{}, err
	}
	said := j.root.products.Row(j.key.Path, p.sku)
	p.fill(said.Says, j.file.says)
	return j.root.rules.withProductFile(said.Says).withProductFile(j.file.says), p, said, said.Err
}

// content is how the listing of the folder and its row in the products file are recorded.
func (j *job) content() string { return listing(j.snapshot) + j.row.Digest }

// isContent reports whether the folder and its row are as recorded. While the row is not known, the
// folder alone counts.
func (s scene) isContent(recorded string) bool {
	if errors.Is(s.row.Err, products.ErrBeingWritten) {
		recorded, _, _ = strings.Cut(recorded, "+")
		return recorded == listing(s.snapshot)
	}
	return recorded == listing(s.snapshot)+s.row.Digest
}

// settingsOf is the recorded form of the rules and the row by which a folder at rest was judged.
func (r *root) settingsOf(row products.Row) string { return r.digest + row.Digest }

// mayRest reports whether a folder that came to rest was judged by the rules of the root. Its row
// plays no part: judgeAnew compares the rows once the products file was read.
func (r *root) mayRest(settings string) bool {
	return settings == r.digest || r.products != nil && strings.HasPrefix(settings, r.digest+"+")
}

// followProducts looks at the products files of all roots until the context ends.
func (d *Daemon) followProducts(ctx context.Context, tasks *sync.WaitGroup) {
	for _, r := range d.board.roots {
		if r.products != nil {
			tasks.Go(func() { d.followProductsOf(ctx, r) })
		}
	}
}

// followProductsOf leaves a look behind at the end that the system does not answer.
func (d *Daemon) followProductsOf(ctx context.Context, r *root) {
	looks := make(chan *products.Content, 1)
	for {
		d.awaitTurn(ctx, syncstate.Folder{Root: r.watch.Path}, r.products.Name)
		go func() { looks <- r.products.Look(d.files.Watcher, d.files.readable) }()
		select {
		case content := <-looks:
			d.takeProducts(r, content)
		case <-ctx.Done():
			return
		}
		select {
		case <-time.After(r.products.Pause()):
		case <-ctx.Done():
			return
		}
	}
}

// takeProducts puts a new content into force.
func (d *Daemon) takeProducts(r *root, content *products.Content) {
	if content == nil || !r.products.Take(content) {
		return
	}
	d.logProducts(r, content)
	d.judgeAnew(r)
	r.products.Judge()
}

// logProducts logs how many rows were read, and the first mistakes.
func (d *Daemon) logProducts(r *root, content *products.Content) {
	const told = 20
	log := d.log.With("root", r.watch.Path, "file", r.products.Name)
	if content.Err != nil {
		log.Warn("products file", "problem", oneLine(content.Err.Error()))
		return
	}
	log.Info("products file read", "rows", content.Table.Len(), "mistakes", len(content.Table.Mistakes))
	for _, mistake := range content.Table.Mistakes[:min(told, len(content.Table.Mistakes))] {
		log.Warn("products file", "problem", mistake.String())
	}
}

// judgeAnew has the folders of a root planned that did not come to rest by what the products file
// says of them now.
func (d *Daemon) judgeAnew(r *root) {
	judged := map[syncstate.Folder]bool{}
	for key, head := range d.records.Heads() {
		if key.Root == r.watch.Path {
			judged[key] = head.Settings == r.settingsOf(r.products.Row(key.Path, head.Product.SKU))
		}
	}
	d.board.mu.Lock()
	var anew []syncstate.Folder
	for key, f := range d.board.folders {
		if f.root == r && (!judged[key] || f.status.State != Published) {
			anew = append(anew, key)
		}
	}
	d.board.mu.Unlock()
	for _, key := range anew {
		d.files.Refresh(key.Root, key.Path)
	}
}

// productsLooked reports whether every products file was read, or its root is away.
func (d *Daemon) productsLooked() bool {
	for _, r := range d.board.roots {
		if r.products != nil && !r.products.Looked() {
			return false
		}
	}
	return true
}
