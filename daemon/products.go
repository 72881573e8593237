package daemon

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"spinsync/daemon/products"
	"spinsync/daemon/publish"
	"spinsync/daemon/reading"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// productsFiles are the products files of all roots.
type productsFiles struct {
	roots   roots
	folders *folders
	files   reading.Files
	records *publish.Records
	views   *publish.Views // nil at a computer alone
	log     *slog.Logger
	stagger func(ctx context.Context, folder syncstate.Folder, frame string)
}

func newProductsFiles(b *board) productsFiles {
	p := b.publisher
	return productsFiles{
		roots: b.roots, folders: b.folders, files: p.Files, records: p.Records, views: p.Views, log: p.Log, stagger: p.Stagger,
	}
}

// follow checks the products files of all roots until the context ends.
func (p productsFiles) follow(ctx context.Context, tasks *sync.WaitGroup) {
	for _, r := range p.roots {
		if r.Products != nil {
			tasks.Go(func() { p.followOne(ctx, r) })
		}
	}
}

// followOne leaves a check behind at the end that the system does not answer.
func (p productsFiles) followOne(ctx context.Context, r *reading.Root) {
	looks := make(chan *products.Content, 1)
	for {
		p.stagger(ctx, syncstate.Folder{Root: r.Path}, r.Products.Name)
		go func() { looks <- r.Products.Check(p.files.Watcher, p.files.Readable) }()
		select {
		case content := <-looks:
			p.take(r, content)
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

// take puts a new content into force.
func (p productsFiles) take(r *reading.Root, content *products.Content) {
	if content == nil || !r.Products.Take(content) {
		return
	}
	p.logContent(r, content)
	p.judgeAgain(r)
	r.Products.Judge()
}

// logContent logs how many rows were read, and the first mistakes.
func (p productsFiles) logContent(r *reading.Root, content *products.Content) {
	const told = 20
	log := p.log.With("root", r.Path, "file", r.Products.Name)
	if content.Err != nil {
		log.Warn("products file", "problem", status.OneLine(content.Err.Error()))
		return
	}
	log.Info("products file read", "rows", content.Table.Len(), "mistakes", len(content.Table.Mistakes))
	for _, mistake := range content.Table.Mistakes[:min(told, len(content.Table.Mistakes))] {
		log.Warn("products file", "problem", mistake.String())
	}
}

// judgeAgain has the folders of a root planned that are not published by their present row of the
// products file.
func (p productsFiles) judgeAgain(r *reading.Root) {
	rest, changed := p.judge(r)
	p.views.Believe(rest...)
	for _, key := range changed {
		p.files.Watcher.Refresh(key.Root, key.Path)
	}
}

// judge finds the folders of a root that are at rest, published by their present row of the products file, and
// those that are not published by it.
func (p productsFiles) judge(r *reading.Root) (rest, changed []syncstate.Folder) {
	judged := map[syncstate.Folder]bool{}
	for key, head := range p.records.Store.Heads() {
		if key.Root == r.Path {
			row := r.Products.Row(key.Path, head.Product.SKU)
			judged[key] = row.Err == nil && head.Idle.Settings == r.SettingsOf(row)
		}
	}
	for f := range p.folders.each {
		switch {
		case f.root != r:
		case !judged[f.key] || f.status.State != status.Published:
			changed = append(changed, f.key)
		case f.idle != nil:
			rest = append(rest, f.key)
		}
	}
	return rest, changed
}
