package reading

import (
	"context"
	"fmt"
	"io"
	"slices"

	"spinsync/daemon/alttext"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/watcher"
	"spinsync/watcher/frame"
)

// ReadTexts reads all alt texts of the folder.
func (p *Folder) ReadTexts(ctx context.Context, facts plan.Facts, whole []watcher.File) error {
	embedded, err := p.embedded(ctx, whole)
	if err != nil {
		return err
	}
	names := make([]string, len(whole))
	for i, f := range whole {
		names[i] = f.Name
	}
	sidecars, files := make([]string, len(p.Snapshot.Sidecars)), map[string]watcher.File{}
	for i, f := range p.Snapshot.Sidecars {
		sidecars[i], files[f.Name] = f.Name, f
	}
	p.texts, p.Problems = alttext.Read(alttext.Folder{
		Frames: names, Sidecars: sidecars, Embedded: embedded,
		Open: func(name string) (io.ReadCloser, error) {
			return p.openSidecar(files[name])
		},
		Product: p.product.says.Alt, Locale: facts.Rules.Locale, Title: facts.Wanted.Title, SKU: facts.Wanted.SKU,
	})
	p.textsOf = p.sourceOfTexts(facts)
	return nil
}

// A textSource is what the texts were made of: the listing, and what templates are filled in with.
type textSource struct {
	listing            watcher.Fingerprint
	locale, title, sku string
}

func (p *Folder) sourceOfTexts(facts plan.Facts) textSource {
	return textSource{p.Snapshot.Fingerprint, facts.Rules.Locale, facts.Wanted.Title, facts.Wanted.SKU}
}

// openSidecar opens a text file that is still, and is the file of the snapshot: the watcher may not have
// seen yet that it is written.
func (p *Folder) openSidecar(f watcher.File) (io.ReadCloser, error) {
	if !f.Still {
		return nil, alttext.ErrBeingWritten
	}
	file, err := p.OpenFrame(plan.FileOf(f))
	switch {
	case outcome.Is(err, outcome.Changed):
		return nil, alttext.ErrBeingWritten
	case err != nil:
		return nil, err
	}
	return file, nil
}

// embedded collects the XMP packets inside the frames. Only the headers of frames that this process
// did not read yet are read.
func (p *Folder) embedded(ctx context.Context, whole []watcher.File) (map[string]*alttext.Packet, error) {
	packets := map[string]*alttext.Packet{}
	for _, f := range whole {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		xmp, err := p.packet(ctx, f)
		if err != nil {
			return nil, err
		}
		packets[f.Name] = xmp
	}
	return packets, nil
}

func (p *Folder) packet(ctx context.Context, f watcher.File) (*alttext.Packet, error) {
	if r, ok := p.Readings[f.Name]; ok && r.File.Same(plan.FileOf(f)) {
		return r.XMP, nil
	}
	file, err := p.OpenFrame(plan.FileOf(f))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := frame.Meta(interruptible{ctx, file}, f.Size)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", status.Name(f.Name), err)
	}
	return alttext.ParsePacket(info.XMP), nil
}

// TextsForShow reads the alt texts of these frames and returns their problems. Where that fails, the
// texts are those that are known.
func (p *Folder) TextsForShow(
	ctx context.Context, facts plan.Facts, frames []watcher.File,
) (said alttext.Texts, problems []string) {
	if err := p.ReadTexts(ctx, facts, frames); err != nil {
		return facts.Texts.Said, []string{err.Error()}
	}
	for _, problem := range p.Problems {
		problems = append(problems, problem.String())
	}
	return p.texts, problems
}

// TextsPass reports whether a text could not be read for a reason that passes by itself.
func (p *Folder) TextsPass() bool {
	return slices.ContainsFunc(p.Problems, func(p alttext.Problem) bool { return p.Passing })
}

// LastingProblems are the problems of files that are not just being written.
func (p *Folder) LastingProblems() []alttext.Problem {
	return slices.DeleteFunc(slices.Clone(p.Problems), func(p alttext.Problem) bool { return p.BeingWritten })
}

// ForgetTexts has the texts read again.
func (p *Folder) ForgetTexts() { p.texts, p.textsOf = nil, textSource{} }
