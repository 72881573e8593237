package reading

import (
	"fmt"
	"io"
	"strings"
	"time"

	"spinsync/daemon/config"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/products"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// identify finds what product the folder is, from its name, its row in the products file and its
// product.toml. An idle folder has the recorded SKU.
func (p *Folder) identify(sku string) (plan.Rules, plan.Product, products.Row, error) {
	switch {
	case !p.Snapshot.Present, !p.Root.Rules.Places(p.Key.Path):
		return p.Root.Rules, plan.Product{}, products.Row{}, nil
	case p.Snapshot.Idle:
		return p.Root.Rules, plan.Product{}, p.Root.Products.Row(p.Key.Path, sku), nil
	}
	if err := p.readProductFile(); err != nil {
		return p.Root.Rules, plan.Product{}, products.Row{}, err
	}
	wanted, err := p.Root.Rules.ProductOf(p.Key.Path, p.product.says)
	if err != nil {
		return p.Root.Rules, wanted, products.Row{}, err
	}
	row := p.Root.Products.Row(p.Key.Path, wanted.SKU)
	wanted.Fill(row.Says, p.product.says)
	return p.Root.Rules.WithProductFile(row.Says).WithProductFile(p.product.says), wanted, row, row.Err
}

// productFile is the folder's product.toml as last read.
type productFile struct {
	of      syncstate.File
	missed  time.Time // when it was first found missing; zero while it is there
	says    config.Product
	mistake error
}

// productFileName is the name of the file in any letter case. The usual spelling goes before others.
const productFileName = "product.toml"

func (p *Folder) readProductFile() error {
	var found watcher.File
	for _, f := range p.Snapshot.Sidecars {
		if f.Name == productFileName || found.Name == "" && strings.EqualFold(f.Name, productFileName) {
			found = f
		}
	}
	switch {
	case plan.FileOf(found) == p.product.of:
		p.product.missed = time.Time{}
		return p.product.mistake
	case found.Name == "" && p.product.isBeingReplaced(max(p.Root.Rules.Settle, p.Root.Rules.Quiet)):
		return fmt.Errorf("%s %w", p.product.of.Name, products.ErrBeingWritten)
	case found.Name == "":
		p.product = productFile{}
		return nil
	case !found.Still:
		return fmt.Errorf("%s %w", found.Name, products.ErrBeingWritten)
	}
	text, err := p.productFileText(found)
	switch {
	case outcome.Is(err, outcome.Changed):
		return fmt.Errorf("%s %w", found.Name, products.ErrBeingWritten)
	case err != nil:
		return plan.UnreadError{Err: fmt.Errorf("%s: %w", found.Name, err)}
	}
	p.product = productFile{of: plan.FileOf(found)}
	if p.product.says, err = config.ParseProduct(text); err != nil {
		p.product.mistake = fmt.Errorf("%s: %w", found.Name, err)
	}
	return p.product.mistake
}

// isBeingReplaced reports whether a file that is missing was there just now: some programs remove it
// before they save it again. Without its number a quiet folder would be complete at once.
func (f *productFile) isBeingReplaced(patience time.Duration) bool {
	if f.missed.IsZero() {
		f.missed = time.Now()
	}
	return f.of.Name != "" && time.Since(f.missed) < patience
}

func (p *Folder) productFileText(found watcher.File) ([]byte, error) {
	f, err := p.OpenFrame(plan.FileOf(found))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, config.MaxSize+1))
}
