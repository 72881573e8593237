package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"spinsync/daemon/config"
	"spinsync/syncstate"
	"spinsync/watcher/volume"
)

// A productsFile is the CSV file that names titles and the like of many product folders of one
// root. One goroutine looks at it, and reads it anew when it has changed and come to rest; the
// folders find their rows in memory.
type productsFile struct {
	name   string // slash-separated, below the root
	settle time.Duration

	content atomic.Pointer[productsContent] // nil: not read yet, or the file is being written
	looked  atomic.Bool                     // read, and its folders judged; or the root is away

	seen  fileStamp // of the last look
	since time.Time // when it was first seen so
	again time.Time // when a file that cannot be read is tried once more; zero for never
}

// productsContent is what the file said when it was read.
type productsContent struct {
	table *config.ProductTable
	err   error // why the file as a whole says nothing; a person must act
}

// A fileStamp is what a file is known by. Problem is why that cannot be told.
type fileStamp struct {
	size     int64
	modified int64 // nanoseconds
	id       volume.FileID
	problem  string
}

// productsPause is how often a products file is looked at, at the least: where the root settles
// faster, it is looked at sooner.
const productsPause = 5 * time.Second

// A row is what the products file says of one folder.
type row struct {
	says   config.Product
	digest string // another one for another content; empty when the file has no row for the folder
	err    error  // a mistake in it, or errBeingWritten
}

// errBeingWritten says that the content of a file is not known yet.
var errBeingWritten = errors.New("is being written, or was not read yet")

// row finds what the file says of a folder. A nil file says nothing.
func (p *productsFile) row(folder, sku string) row {
	if p == nil {
		return row{}
	}
	content := p.content.Load()
	if content == nil {
		return row{err: fmt.Errorf("%s %w", p.name, errBeingWritten)}
	}
	says, err := config.Product{}, content.err
	if err == nil {
		says, err = content.table.Find(folder, sku)
	}
	switch {
	case err != nil:
		err = fmt.Errorf("%s: %w", p.name, err)
		return row{digest: shortDigest(err.Error()), err: err}
	case says.Title == "" && says.Manufacturer == "" && says.Year == "" && says.Frames == nil:
		return row{}
	}
	expected := -1
	if says.Frames != nil {
		expected = *says.Frames
	}
	return row{
		says:   says,
		digest: shortDigest(fmt.Sprintf("%q %q %q %d", says.Title, says.Manufacturer, says.Year, expected)),
	}
}

func shortDigest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "+" + hex.EncodeToString(sum[:8])
}

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
func (j *job) identify(record *syncstate.Record) (rules, product, row, error) {
	switch {
	case !j.snapshot.Present, !j.root.rules.places(j.key.Path):
		return j.root.rules, product{}, row{}, nil
	case j.snapshot.Idle:
		return j.root.rules, product{}, j.root.products.row(j.key.Path, record.Product.SKU), nil
	}
	if err := j.readProductFile(); err != nil {
		return j.root.rules, product{}, row{}, err
	}
	p, err := j.root.rules.productOf(j.key.Path, j.file.says)
	if err != nil {
		return j.root.rules, p, row{}, err
	}
	said := j.root.products.row(j.key.Path, p.sku)
	p.fill(said.says, j.file.says)
	return j.root.rules.withProductFile(said.says).withProductFile(j.file.says), p, said, said.err
}

// content is how the listing of the folder and its row in the products file are recorded.
func (j *job) content() string { return listing(j.snapshot) + j.row.digest }

// isContent reports whether the folder and its row are as recorded. While the row is not known, the
// folder alone counts.
func (s scene) isContent(recorded string) bool {
	if errors.Is(s.row.err, errBeingWritten) {
		recorded, _, _ = strings.Cut(recorded, "+")
		return recorded == listing(s.snapshot)
	}
	return recorded == listing(s.snapshot)+s.row.digest
}

// settingsOf is the recorded form of the rules and the row by which a folder at rest was judged.
func (r *root) settingsOf(row row) string { return r.digest + row.digest }

// mayRest reports whether a folder that came to rest was judged by the rules of the root. Its row
// plays no part: judgeAnew compares the rows once the products file was read.
func (r *root) mayRest(settings string) bool {
	return settings == r.digest || r.products != nil && strings.HasPrefix(settings, r.digest+"+")
}

// ignored are the names that the watcher leaves alone: those of the configuration, and a products
// file that lies in a product folder.
func ignored(w config.Watch) []string {
	if w.Products == "" || strings.Count(w.Products, "/") != w.Layout.Depth() {
		return w.Ignore
	}
	var literal strings.Builder
	for _, r := range "/" + w.Products {
		if strings.ContainsRune(`*?[]{}!#\ `, r) {
			literal.WriteRune('\\')
		}
		literal.WriteRune(r)
	}
	return append(slices.Clone(w.Ignore), literal.String())
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
	looks := make(chan *productsContent, 1)
	for {
		d.awaitTurn(ctx, syncstate.Folder{Root: r.watch.Path}, r.products.name)
		go func() { looks <- d.lookAtProducts(r) }()
		select {
		case content := <-looks:
			d.takeProducts(r, content)
		case <-ctx.Done():
			return
		}
		pause := min(productsPause, 5*r.products.settle)
		if r.products.content.Load() == nil {
			pause = min(pause, r.products.settle)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
}

// takeProducts puts a new content into force.
func (d *Daemon) takeProducts(r *root, content *productsContent) {
	if content == nil {
		return
	}
	before := r.products.content.Load()
	r.products.content.Store(content)
	if before != nil && before.err != nil && content.err != nil && before.err.Error() == content.err.Error() {
		return // the file still says nothing, for the same reason
	}
	d.logProducts(r, content)
	d.judgeAnew(r)
	r.products.looked.Store(true)
}

// lookAtProducts reads the products file of a root when it has changed and come to rest; it returns
// nil when there is nothing new to take. While the root is away, the last content holds.
func (d *Daemon) lookAtProducts(r *root) *productsContent {
	p, now := r.products, time.Now()
	stamp := d.stampOf(r)
	if stamp.problem != "" && !d.files.readable(r.watch.Path) {
		p.looked.Store(true)
		return nil
	}
	if stamp != p.seen || p.since.IsZero() {
		p.see(stamp, now)
	}
	known := p.content.Load() != nil
	if now.Sub(p.since) < p.settle || known && (p.again.IsZero() || now.Before(p.again)) {
		return nil
	}
	content := &productsContent{}
	if content.table, content.err = d.readProducts(r); d.stampOf(r) != stamp {
		return nil
	}
	if p.again = (time.Time{}); content.err != nil && !errors.As(content.err, new(config.Mistakes)) {
		p.again = now.Add(unreadPause / 2)
	}
	return content
}

// see begins to wait until the file has come to rest. At the start it may have lain there for long.
func (p *productsFile) see(stamp fileStamp, now time.Time) {
	first := p.since.IsZero()
	p.seen, p.since, p.again = stamp, now, time.Time{}
	if modified := time.Unix(0, stamp.modified); first && stamp.problem == "" && modified.Before(now) {
		p.since = modified
	}
	p.content.Store(nil)
}

// stampOf tells which file stands in the place of the products file.
func (d *Daemon) stampOf(r *root) fileStamp {
	dir, name := path.Split(r.products.name)
	info, err := d.files.Stat(r.watch.Path, path.Clean(dir), name)
	if err != nil {
		return fileStamp{problem: err.Error()}
	}
	return fileStamp{size: info.Size(), modified: info.ModTime().UnixNano(), id: volume.FileIDOf(info)}
}

func (d *Daemon) readProducts(r *root) (*config.ProductTable, error) {
	dir, name := path.Split(r.products.name)
	file, err := d.files.Open(r.watch.Path, path.Clean(dir), name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, errors.New("the file is not there; put it back, or take products out of [[watch]]")
	case errors.Is(err, fs.ErrPermission):
		return nil, errors.New("this user may not read the file; give it the right")
	case err != nil:
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, config.MaxTableSize+1))
	if err != nil {
		return nil, err
	}
	return config.ParseProductTable(data)
}

// logProducts logs how many rows were read, and the first mistakes.
func (d *Daemon) logProducts(r *root, content *productsContent) {
	const told = 20
	log := d.log.With("root", r.watch.Path, "file", r.products.name)
	if content.err != nil {
		log.Warn("products file", "problem", oneLine(content.err.Error()))
		return
	}
	log.Info("products file read", "rows", content.table.Len(), "mistakes", len(content.table.Mistakes))
	for _, mistake := range content.table.Mistakes[:min(told, len(content.table.Mistakes))] {
		log.Warn("products file", "problem", mistake.String())
	}
}

// judgeAnew has the folders of a root planned that did not come to rest by what the products file
// says of them now.
func (d *Daemon) judgeAnew(r *root) {
	judged := map[syncstate.Folder]bool{}
	for key, head := range d.records.Heads() {
		if key.Root == r.watch.Path {
			judged[key] = head.Settings == r.settingsOf(r.products.row(key.Path, head.Product.SKU))
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
		if r.products != nil && !r.products.looked.Load() {
			return false
		}
	}
	return true
}
