package check

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"spinsync/cmd/spinsync/tree"
	"spinsync/daemon/config"
	"spinsync/daemon/status"
)

// examineProducts reads the products file, and looks whether it speaks of folders that are there.
func examineProducts(seen tree.Tree, w config.Watch, r *Report) {
	if w.Products == "" {
		return
	}
	const what = "products"
	table, err := readProducts(filepath.Join(w.Path, filepath.FromSlash(w.Products)))
	switch mistakes, ok := errors.AsType[config.Mistakes](err); {
	case ok:
		failMistakes(what, w.Products, mistakes, r)
		return
	case err != nil:
		r.fail(what, fmt.Errorf("%s: %w", w.Products, err))
		return
	}
	failMistakes(what, w.Products, table.Mistakes, r)
	if len(table.Unused) > 0 {
		r.ok(what, w.Products+": columns that are not read: "+strings.Join(table.Unused, ", "))
	}
	named := 0
	all := seen.Photographed()
	for _, f := range all {
		if fields, err := w.Layout.Match(f.Path); err == nil && table.Names(f.Path, fields.Complete().SKU) {
			named++
		}
	}
	told := fmt.Sprintf("%s names %d of %s with photos", w.Products, named, status.Counted(len(all), "folder"))
	if named == 0 && len(all) > 0 {
		r.warn(what, told+"; its column folder takes what spinsync status shows, its column sku the SKU")
		return
	}
	r.ok(what, told)
}

func readProducts(file string) (*config.ProductTable, error) {
	data, err := readFile(file, config.MaxTableSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("the file is not there; put it back, or take products out of [[watch]]")
	}
	if err != nil {
		return nil, err
	}
	return config.ParseProductTable(data)
}
