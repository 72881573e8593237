// Package inspect has the command that judges directories of photos, each as one full turn.
package inspect

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon/config"
	"spinsync/daemon/inspect"
	"spinsync/daemon/manifest"
	"spinsync/daemon/status"
	"spinsync/watcher/frame"
	"spinsync/watcher/names"
	"spinsync/watcher/nofollow"
)

const help = `Judges the photos of each directory as one full turn of a turntable. It needs no
configuration, sends nothing and changes nothing. docs/inspect.md has how sure it is.

  repeated   the table did not turn between two frames
  seam       the last frame repeats the first
  missing    a gap in numbers or in times
  swapped    the order of names is not that of the captures, or of the pictures
  foreign    a frame shows another object
  mixed      frames of two shoots
  blurred    a frame is much less sharp than its neighbours
  exposure   the brightness of the ground jumps
  camera     size, orientation, camera, lens or settings change

What cannot be judged is not guessed: an object that looks the same from all sides,
a dark ground, photos without EXIF, several rows. A directory with a video has no
findings.

--json prints {"sets": [{"folder", "frames", "findings": [{"kind", "frames", "text"}]}]}.

Exit code 0 means that nothing was found, 1 that something was, and 2 that a
directory cannot be read.`

// Command is the command inspect.
func Command(call *cli.Call) *cobra.Command {
	i := inspection{call: call}
	c := &cobra.Command{
		Use: "inspect DIR...", Short: "Judge directories of photos, each as one full turn", Args: cobra.MinimumNArgs(1), Long: help,
		Example: `  spinsync inspect /srv/shoots/Summer/SKU-1 --sheet sheet.png`,
		RunE:    func(c *cobra.Command, dirs []string) error { return i.run(c.Context(), dirs) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	c.Flags().BoolVar(&i.json, "json", false, "print JSON")
	c.Flags().StringVar(&i.sheet, "sheet", "", "draw a contact sheet with the findings marked into this `FILE`, a PNG")
	_ = c.MarkFlagFilename("sheet", "png")
	return c
}

type inspection struct {
	call  *cli.Call
	json  bool
	sheet string
}

// A set is one directory and what was found in it.
type set struct {
	Folder   string            `json:"folder"`
	Frames   int               `json:"frames"`
	Findings []inspect.Finding `json:"findings"`

	dir      string // as it was called
	names    []string
	pictures []*image.YCbCr // of the frames, for the sheet
}

func (i inspection) run(ctx context.Context, dirs []string) error {
	if err := i.checkSheet(dirs); err != nil {
		return err
	}
	sets := []set{}
	var unread []error
	for _, dir := range dirs {
		s, err := i.judge(ctx, dir)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			unread = append(unread, err)
			continue
		}
		sets = append(sets, s)
	}
	if err := i.print(sets); err != nil {
		return err
	}
	if i.sheet != "" {
		if err := writeSheet(i.sheet, sets); err != nil {
			return cli.Usagef("%w; name another file with --sheet", err)
		}
	}
	if len(unread) > 0 {
		return cli.Usage(errors.Join(unread...))
	}
	return verdict(sets)
}

// checkSheet refuses a sheet that would be a photo of a set, or take the place of a file that is none.
func (i inspection) checkSheet(dirs []string) error {
	before, err := os.Stat(i.sheet)
	if err == nil && before.Size() > 0 && !strings.EqualFold(filepath.Ext(i.sheet), ".png") {
		return cli.Usagef("%s is there already, and is no PNG; name another file with --sheet", i.sheet)
	}
	for _, dir := range dirs {
		if i.sheet != "" && shown(filepath.Dir(i.sheet)) == shown(dir) {
			return cli.Usagef("%s would be a photo of the set; name a file of another directory with --sheet", i.sheet)
		}
	}
	return nil
}

// shown is a directory with its name at the end, whatever it was called by.
func shown(dir string) string {
	if whole, err := filepath.Abs(dir); err == nil {
		return filepath.ToSlash(whole)
	}
	return filepath.ToSlash(dir)
}

func (i inspection) judge(ctx context.Context, dir string) (set, error) {
	frames, err := framesOf(dir)
	if err != nil {
		return set{}, fmt.Errorf("%w; name a directory that can be read", err)
	}
	from, err := open(dir)
	if err != nil {
		return set{}, err
	}
	defer from.Close()
	s := set{Folder: shown(dir), Frames: len(frames), dir: dir}
	var observed inspect.Set
	for _, f := range frames {
		if ctx.Err() != nil {
			return set{}, ctx.Err()
		}
		o, small, err := observe(from, f.Name)
		if err != nil {
			return set{}, fmt.Errorf("%w; the photo cannot be read", err)
		}
		observed.Frames = append(observed.Frames, o)
		if i.sheet != "" {
			s.names, s.pictures = append(s.names, f.Name), append(s.pictures, small)
		}
	}
	s.Findings = append([]inspect.Finding{}, inspect.Judge(observed)...)
	return s, nil
}

// framesOf lists the photos and films of a directory in natural order.
func framesOf(dir string) ([]manifest.Frame, error) {
	rules, err := names.New(config.DefaultInclude(), nil, "")
	if err != nil {
		return nil, err
	}
	entries, err := nofollow.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var frames []manifest.Frame
	for _, e := range entries {
		if kind, _ := rules.Classify(".", e.Name()); kind == names.Frame && e.Type().IsRegular() {
			frames = append(frames, manifest.Frame{Name: e.Name()})
		}
	}
	return frames, manifest.Natural.Sort(frames)
}

// open opens a directory, also one that a link leads to.
func open(dir string) (nofollow.Dir, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nofollow.Dir{}, err
	}
	return nofollow.Open(real)
}

// observe reads one photo. It is decoded as a whole where it has no thumbnail. One that is not on this
// computer is judged by its name alone: reading it would fetch it.
func observe(dir nofollow.Dir, name string) (o inspect.Observation, small *image.YCbCr, err error) {
	about, err := dir.Stat(name)
	if err != nil || about.Away {
		return inspect.Observation{Name: name}, nil, err
	}
	file, err := dir.OpenRegular(name)
	if err != nil {
		return o, nil, err
	}
	defer file.Close()
	info, err := frame.Meta(file, about.Size)
	if err != nil {
		return o, nil, err
	}
	if info.ContentType == "" { // of no format that is judged by its content
		info.ContentType = frame.ContentType(name)
	}
	small = inspect.Small(file, about.Size, info, true)
	return inspect.Observation{Name: name, Info: info, Picture: inspect.Measure(small)}, small, nil
}

func (i inspection) print(sets []set) error {
	if i.json {
		return terminal.JSON(i.call.Stdout, map[string]any{"sets": sets})
	}
	return printTable(i.call.Stdout, sets)
}

func printTable(w io.Writer, sets []set) error {
	var rows [][]string
	for _, s := range sets {
		if len(s.Findings) == 0 {
			rows = append(rows, []string{s.dir, "ok", status.Frames(s.Frames)})
		}
		for _, f := range s.Findings {
			rows = append(rows, []string{s.dir, string(f.Kind), f.Text})
		}
	}
	return terminal.Table(w, rows)
}

// verdict is the error of sets with findings.
func verdict(sets []set) error {
	n := 0
	for _, s := range sets {
		n += len(s.Findings)
	}
	if n == 0 {
		return nil
	}
	return fmt.Errorf("%s in %s", status.Counted(n, "finding"), status.Counted(len(sets), "set"))
}
