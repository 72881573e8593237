package publish

import (
	"spinsync/daemon/plan"
	"spinsync/daemon/products"
	"spinsync/syncstate"
)

// identify tells what product the folder is, from its name, its row in the products file and its
// product.toml.
func (j *Job) identify(record *syncstate.Record) (plan.Rules, plan.Product, products.Row, error) {
	switch {
	case !j.Snapshot.Present, !j.Root.Rules.Places(j.Key.Path):
		return j.Root.Rules, plan.Product{}, products.Row{}, nil
	case j.Snapshot.Idle:
		return j.Root.Rules, plan.Product{}, j.Root.Products.Row(j.Key.Path, record.Product.SKU), nil
	}
	if err := j.readProductFile(); err != nil {
		return j.Root.Rules, plan.Product{}, products.Row{}, err
	}
	p, err := j.Root.Rules.ProductOf(j.Key.Path, j.file.says)
	if err != nil {
		return j.Root.Rules, p, products.Row{}, err
	}
	said := j.Root.Products.Row(j.Key.Path, p.SKU)
	p.Fill(said.Says, j.file.says)
	return j.Root.Rules.WithProductFile(said.Says).WithProductFile(j.file.says), p, said, said.Err
}

// content is how the listing of the folder and its row in the products file are recorded.
func (j *Job) content() string { return plan.ListingHash(j.Snapshot) + j.row.Digest }
