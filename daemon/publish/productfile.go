package publish

import (
	"fmt"
	"io"

	"spinsync/daemon/config"
	"spinsync/daemon/plan"
	"spinsync/syncstate"
)

// productFile is the folder's product.toml as last read.
type productFile struct {
	of      syncstate.File
	says    config.Product
	mistake error
}

const productFileName = "product.toml"

func (j *Job) readProductFile() error {
	var found syncstate.File
	for _, f := range j.Snapshot.Sidecars {
		if f.Name == productFileName {
			found = plan.FileOf(f)
		}
	}
	if found == j.file.of {
		return j.file.mistake
	}
	if found.Name == "" {
		j.file = productFile{}
		return nil
	}
	text, err := j.productFileText()
	if err != nil {
		return plan.UnreadError{Err: fmt.Errorf("%s: %w", productFileName, err)}
	}
	j.file = productFile{of: found}
	if j.file.says, err = config.ParseProduct(text); err != nil {
		j.file.mistake = fmt.Errorf("%s: %w", productFileName, err)
	}
	return j.file.mistake
}

func (j *Job) productFileText() ([]byte, error) {
	f, err := j.open(productFileName)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, config.MaxSize+1))
}
