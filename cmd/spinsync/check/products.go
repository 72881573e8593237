package check

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"spinsync/daemon/config"
	"spinsync/daemon/status"
)

// examineProducts reads the products file, and checks whether its folders are there.
func examineProducts(all Listing, w config.Watch, r *Report) {
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
	named, example := 0, ""
	for _, f := range all {
		fields, err := w.Layout.Match(f.Path)
		switch {
		case err == nil && table.Names(f.Path, fields.Complete().SKU):
			named++
		case err == nil && example == "":
			example = "; " + f.Path + " is not in it"
		}
	}
	covered := fmt.Sprintf("%s names %d of %s with photos%s",
		w.Products, named, status.Counted(len(all), "folder"), example)
	if named == 0 && len(all) > 0 {
		r.warn(what, covered+"; its column folder takes what spinsync status shows, its column sku the SKU")
		return
	}
	r.ok(what, covered)
}

// failMistakes gives each mistake of a file a line of its own, up to a number that no file written
// by hand reaches.
func failMistakes(what, name string, mistakes config.Mistakes, r *Report) {
	const most = 20
	for i, m := range mistakes {
		if i == most {
			r.fail(what, fmt.Errorf("%s: %s more", name, status.Counted(len(mistakes)-most, "mistake")))
			return
		}
		r.fail(what, fmt.Errorf("%s: %s", name, m))
	}
}

// readProducts reads up to one byte more than the file may have, so that one that is too large is
// recognised. It checks the kind of file before it opens: opening a pipe would wait for ever.
func readProducts(file string) (*config.ProductTable, error) {
	switch info, err := os.Stat(file); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("the file is not there; put it back, or take products out of [[watch]]")
	case err != nil:
		return nil, err
	case !config.IsFile(info):
		return nil, errors.New("it is no regular file; write a new one, or remove it")
	}
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrPermission) {
		return nil, errors.New("this user cannot read it; give it the right")
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, config.MaxTableSize+1))
	if err != nil {
		return nil, err
	}
	return config.ParseProductTable(data)
}
