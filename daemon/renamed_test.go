package daemon_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

var refused = sandbox.Fault{Status: 500, Body: `{"errors":["not now"]}`}

// TestFolderOfTheSameProductAnew: a folder that says it is the product of one that is gone goes on
// with it.
func TestFolderOfTheSameProductAnew(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/old/1.jpg", "Summer/other/1.jpg")
		before := w.Published()["Summer/old"]
		w.Remove("Summer/old")
		w.Shoot("b", "Summer/new/1.jpg")
		w.Write("Summer/new/product.toml", "sku = \"old\"\ntitle = \"old\"\n")
		after := w.Published()
		if p := after["Summer/new"]; p.UUID != before.UUID || p.Revision == before.Revision || len(after) != 2 {
			t.Errorf("product %s became %+v", before.UUID, after)
		}
	})
}

// TestFolderOfTheSameProductBesideAMovedOne: a gone folder may stand under another name, not settled yet.
// Its view does not go to a folder that has its SKU and title.
func TestFolderOfTheSameProductBesideAMovedOne(t *testing.T) {
	daemontest.Story(t, shortQuiet+strings.Replace(otherRoot, "20ms", "10s", 1), func(t *testing.T, w *daemontest.World) {
		w.Mkdir("../elsewhere")
		w.Shoot("a", "Summer/old/1.jpg", "Summer/other/1.jpg")
		before := w.Published()["Summer/old"]
		w.Write("../elsewhere/Winter/moved/1.jpg", daemontest.Photo("aSummer/old/1.jpg"))
		w.Write("../elsewhere/Winter/moved/product.toml", "frames = 2\n")
		w.Remove("Summer/old")
		w.Shoot("b", "Summer/new/1.jpg", "Summer/new/2.jpg")
		w.Write("Summer/new/product.toml", "sku = \"old\"\ntitle = \"old\"\n")
		d, end := w.Open()
		defer end()
		_ = d.Sync(t.Context())
		took := func(p status.ProductStatus) bool { return p.Folder == "Summer/new" && p.Product == before.UUID }
		if all := d.Status().Products; slices.ContainsFunc(all, took) || len(all) != 3 {
			t.Errorf("the status is %+v", all)
		}
	})
}

// TestFolderOfTheSameProductAsAPausedOne: a paused folder that is gone keeps its pause and its view. A
// folder of its SKU and title asks a person, and gets the view once the pause has ended.
func TestFolderOfTheSameProductAsAPausedOne(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/old/1.jpg", "Summer/other/1.jpg")
		before := w.Published()["Summer/old"]
		w.Remove("Summer/old")
		w.Shoot("b", "Summer/new/1.jpg")
		w.Write("Summer/new/product.toml", "sku = \"old\"\ntitle = \"old\"\n")
		d, end := w.Open()
		if err := d.Do(daemon.Pause, w.Key("Summer/old")); err != nil {
			t.Fatal(err)
		}
		_ = d.Sync(t.Context())
		for _, p := range d.Status().Products {
			if p.Folder == "Summer/new" && !p.Cause.Is(status.OthersProduct) {
				t.Errorf("the new folder is %s: %s", p.State, p.Reason)
			}
		}
		err := d.Do(daemon.Resume, w.Key("Summer/old"))
		end()
		after := w.Published()
		if p := after["Summer/new"]; p.UUID != before.UUID || len(after) != 2 || err != nil {
			t.Errorf("after the pause, product %s became %+v, %v", before.UUID, after, err)
		}
	})
}

// otherRoot is a second watched tree, next to that of the world.
const otherRoot = `
[[watch]]
path = 'elsewhere'
layout = "{project}/{sku}"
settle = "20ms"
poll = true
` + shortQuiet

// TestSurveyOfARename: a preview lists a renamed folder once, with what a pass would do. A folder
// that is gone is listed too.
func TestSurveyOfARename(t *testing.T) {
	daemontest.Story(t, shortQuiet+otherRoot, func(t *testing.T, w *daemontest.World) {
		w.Mkdir("../elsewhere")
		w.Shoot("a", "Summer/old/1.jpg", "Summer/old/2.jpg")
		w.Shoot("b", "Summer/gone/1.jpg", "Summer/other/1.jpg")
		w.Shoot("d", "Summer/far/1.jpg")
		w.Published()
		w.Move("Summer/old", "Winter/new")
		w.Move("Summer/far", "../elsewhere/Summer/new")
		w.Remove("Summer/gone")
		w.Shoot("c", "Summer/made/1.jpg")
		d, closeDaemon := w.Open()
		defer closeDaemon()
		previews, err := d.Survey(t.Context())
		got := map[string]string{}
		for _, p := range previews {
			got[p.Folder] = p.Does + " " + p.Detail
		}
		want := map[string]string{
			"Summer/gone":  "missing the folder is gone, the view is kept",
			"Summer/made":  "create 1 frame (509 B) in project Summer",
			"Summer/other": "nothing published",
			"Summer/new":   "rename renamed from " + w.Root + "/Summer/far, its product is kept",
			"Winter/new":   "rename renamed from Summer/old, its product is kept",
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v\n%s", err, diff)
		}
	})
}

// TestSurveyOfNamesakes: of two folders with one SKU and title only the first one gets the product, also in a
// project that sync.toml names by its UUID.
func TestSurveyOfNamesakes(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		project, err := w.Client().CreateProject(t.Context(), "Summer")
		daemontest.Must(t, err)
		w.Project = project.UUID
		for _, folder := range []string{"one", "two"} {
			w.Shoot(folder, folder+"/1.jpg")
			w.Write(folder+"/product.toml", "sku = \"TW\"\ntitle = \"Teapot\"\n")
			d, end := w.Open()
			previews, err := d.Survey(t.Context())
			end()
			products, _ := w.Sync()
			daemontest.Must(t, err)
			for _, p := range previews {
				if asks := products[p.Folder].State == status.Attention; asks != (p.Does == string(status.Attention)) {
					t.Errorf("plan says of %s: %s %s; sync: %+v", p.Folder, p.Does, p.Detail, products[p.Folder])
				}
			}
		}
	})
}

// TestCopyIsNamed: a copy of a folder gets its own view, with a note that names the original. The
// original has none, nor has a folder of as many bytes. The copy loses it when it is shot again.
func TestCopyIsNamed(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/shoe/1.jpg", "Summer/shoe/2.jpg")
		w.Shoot("b", "Summer/boot/1.jpg", "Summer/boot/2.jpg")
		w.Published()
		time.Sleep(time.Minute)
		for _, name := range []string{"1.jpg", "2.jpg"} {
			w.Write("Summer/copy/"+name, daemontest.Photo("aSummer/shoe/"+name))
		}
		d, closeDaemon := w.Open()
		previews, err := d.Survey(t.Context())
		closeDaemon()
		const foretold = "; it has the photos of Summer/shoe"
		for _, p := range previews {
			if has := strings.HasSuffix(p.Detail, foretold); has != (p.Folder == "Summer/copy") {
				t.Errorf("plan says %+v", p)
			}
		}
		want := map[string]string{"Summer/shoe": "", "Summer/boot": "", "Summer/copy": "it went live with the photos of Summer/shoe"}
		reasons := func() map[string]string {
			got := map[string]string{}
			for name, p := range w.Published() {
				got[name] = p.Reason
			}
			return got
		}
		if diff := cmp.Diff(want, reasons()); diff != "" || err != nil {
			t.Errorf("%v\n%s", err, diff)
		}
		w.Write("Summer/shoe/1.txt", "a shoe")
		if diff := cmp.Diff(want, reasons()); diff != "" {
			t.Errorf("after the first one was looked at again: %s", diff)
		}
		w.Shoot("c", "Summer/copy/1.jpg")
		want["Summer/copy"] = ""
		if diff := cmp.Diff(want, reasons()); diff != "" {
			t.Error(diff)
		}
	})
}

// TestRenameIsNoShoot: photos of yesterday do not count as shot today because their folder has got
// another name.
func TestRenameIsNoShoot(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/old/1.jpg", "Summer/other/1.jpg")
		w.Published()
		arrived := w.Record("Summer/old").Counts.Arrived
		time.Sleep(24 * time.Hour)
		w.Move("Summer/old", "Summer/new")
		w.Published()
		if now := w.Record("Summer/new").Counts.Arrived; arrived.IsZero() || !now.Equal(arrived) {
			t.Errorf("the photos came at %v, and under the new name at %v", arrived, now)
		}
	})
}

// TestRenamedWhileAnUploadIsOwed: the view of a folder that is to be uploaded again is not deleted
// while the folder waits under another name until it is quiet, and stays its view. The run may have no
// frames: a person replaced the view of others.
func TestRenamedWhileAnUploadIsOwed(t *testing.T) {
	for what, frames := range map[string]int{"with its frames": 2, "without frames": 0} {
		t.Run(what, func(t *testing.T) {
			daemontest.Story(t, "quiet = \"2m\"\non_remove = \"delete\"", func(t *testing.T, w *daemontest.World) {
				w.Shoot("a", "Summer/old/1.jpg", "Summer/old/2.jpg", "Summer/other/1.jpg")
				before := w.Published()["Summer/old"]
				w.Amend("Summer/old", func(r *syncstate.Record) {
					r.Run = &syncstate.Run{Reupload: true}
					for _, f := range r.Published.Frames[:frames] {
						r.Run.Frames = append(r.Run.Frames, syncstate.RunFrame{File: f.File, Digest: f.Digest})
					}
				})
				w.Move("Summer/old", "Summer/new")
				w.Write("Summer/new/1.jpg", daemontest.Photo("aSummer/old/1.jpg"))
				w.RunUntil(func(all []status.ProductStatus) bool {
					return slices.ContainsFunc(all, func(p status.ProductStatus) bool { return p.Folder == "Summer/new" && isPublished(p) })
				})
				if now := w.Record("Summer/new").Product.UUID; now != before.UUID {
					t.Errorf("product %s became %s", before.UUID, now)
				}
			})
		})
	}
}

// TestOldNameThatGoesLater: a folder whose project was found while its old name still stood takes
// over the product once the old name is gone.
func TestOldNameThatGoesLater(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/old/1.jpg", "Summer/other/1.jpg")
		before := w.Published()["Summer/old"]
		w.Write("Summer/new/1.jpg", daemontest.Photo("aSummer/old/1.jpg"))
		w.Calls.Spoil(daemontest.Always(sandbox.ListProductsOfProject, refused))
		w.RunUntil(daemontest.In(status.Retrying, 1))
		if r := w.Record("Summer/new"); r.Project.UUID == "" || r.Product.UUID != "" {
			t.Fatalf("the record is %+v", r)
		}
		w.Calls.Spoil(nil)
		w.Remove("Summer/old")
		if after := w.Published()["Summer/new"]; after.UUID != before.UUID {
			t.Errorf("product %s became %+v", before.UUID, after)
		}
		if got, want := w.Titles(), []string{"new", "other"}; !slices.Equal(got, want) {
			t.Errorf("on the service: %q, want %q", got, want)
		}
	})
}

// TestRenamedAndShotAgain: a folder that gets another name keeps its view though one of its photos is
// saved before it is quiet again, or was saved shortly before.
func TestRenamedAndShotAgain(t *testing.T) {
	save := func(w *daemontest.World, folder string) {
		w.Write(folder+"/2.jpg", daemontest.Photo("another size"))
	}
	for what, change := range map[string]func(*daemontest.World){
		"renamed, then saved": func(w *daemontest.World) {
			w.Move("Summer/old", "Winter/new")
			time.Sleep(20 * time.Second)
			save(w, "Winter/new")
		},
		"saved, then renamed": func(w *daemontest.World) {
			save(w, "Summer/old")
			time.Sleep(20 * time.Second)
			w.Move("Summer/old", "Winter/new")
		},
	} {
		for _, rule := range []string{"keep", "delete"} {
			for _, runs := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s, %s, it runs %t", what, rule, runs), func(t *testing.T) {
					daemontest.Story(t, "quiet = \"30s\"\non_remove = \""+rule+"\"\n", func(t *testing.T, w *daemontest.World) {
						w.Shoot("a", "Summer/old/1.jpg", "Summer/old/2.jpg", "Summer/other/1.jpg")
						before := w.Published()["Summer/old"]
						if runs {
							w.While(func(_ *daemon.Daemon, until daemontest.Await) {
								time.Sleep(20 * time.Second)
								change(w)
								until(func(all []status.ProductStatus) bool {
									return len(all) == 2 && daemontest.In(status.Published, 2)(all) && all[1].Folder == "Winter/new"
								})
							})
						} else {
							change(w)
						}
						if after := w.Published(); after["Winter/new"].UUID != before.UUID || after["Winter/new"].Revision == before.Revision || len(after) != 2 {
							t.Errorf("product %s became %+v", before.UUID, after)
						}
						if got, want := w.Titles(), []string{"new", "other"}; !slices.Equal(got, want) {
							t.Errorf("on the service: %q, want %q", got, want)
						}
					})
				})
			}
		}
	}
}

// TestMovedOutOfARoot: the last folders of a watched folder that move into another one keep their
// views, and so does one whose drive is away afterwards. A person is asked about copies, because the
// drive may be another one now, and may have another view made of them.
func TestMovedOutOfARoot(t *testing.T) {
	copied := func(w *daemontest.World) {
		for _, name := range []string{"1.jpg", "2.jpg"} {
			w.Write("Winter/A/"+name, daemontest.Photo("b../elsewhere/Summer/A/"+name))
		}
		w.Remove("../elsewhere/Summer")
	}
	for what, test := range map[string]struct {
		retries string // what a person is asked to name
		move    func(w *daemontest.World)
	}{
		"the last of it": {move: func(w *daemontest.World) {
			w.Move("../elsewhere/Summer/A", "Winter/A")
			w.Move("../elsewhere/Summer/B", "Summer/B")
		}},
		"then its drive is away": {move: func(w *daemontest.World) {
			w.Move("../elsewhere/Summer/A", "Winter/A")
			w.Move("../elsewhere", "../ejected")
		}},
		"by copying":                  {retries: "../elsewhere", move: copied},
		"by copying, as another view": {retries: "Winter/A", move: copied},
	} {
		t.Run(what, func(t *testing.T) {
			daemontest.Story(t, shortQuiet+otherRoot, func(t *testing.T, w *daemontest.World) {
				another := test.retries == "Winter/A"
				w.Mkdir("../elsewhere")
				w.Shoot("b", "../elsewhere/Summer/A/1.jpg", "../elsewhere/Summer/A/2.jpg", "../elsewhere/Summer/B/1.jpg")
				w.Shoot("a", "Summer/stays/1.jpg")
				before := w.Published()["Summer/A"]
				w.While(func(d *daemon.Daemon, until daemontest.Await) {
					time.Sleep(10 * time.Second)
					test.move(w)
					moved := func(is func(status.ProductStatus) bool) func([]status.ProductStatus) bool {
						return func(all []status.ProductStatus) bool {
							return slices.ContainsFunc(all, func(p status.ProductStatus) bool { return p.Folder == "Winter/A" && is(p) })
						}
					}
					key := syncstate.Folder{Root: w.Path("../elsewhere")}
					if another {
						key = w.Key("Winter/A")
					}
					if test.retries != "" {
						until(moved(func(p status.ProductStatus) bool { return p.Cause.Is(status.FromEmptied) }))
						order(t, d, daemon.Retry, key)
					}
					until(moved(isPublished))
				})
				if now := w.Record("Winter/A").Product.UUID; (now != before.UUID) != another {
					t.Errorf("product %s became %s", before.UUID, now)
				}
				want := []string{"A", "B", "stays"}
				if another {
					want = []string{"A", "A", "B", "stays"}
				}
				if got := w.Titles(); !slices.Equal(got, want) {
					t.Errorf("on the service: %q, want %q", got, want)
				}
			})
		})
	}
}

// TestViewOfAFolderThatMayBeElsewhere: a person is asked before the view is deleted of a folder that
// may lie where nothing can be read, or where a link in its place leads to.
func TestViewOfAFolderThatMayBeElsewhere(t *testing.T) {
	for what, to := range map[string]string{"its new name is closed": "Summer/new", "its new project is closed": "Winter/new", "a link is left": ""} {
		t.Run(what, func(t *testing.T) {
			daemontest.Story(t, shortQuiet+"on_remove = \"delete\"\n", func(t *testing.T, w *daemontest.World) {
				w.Shoot("a", "Summer/old/1.jpg", "Summer/other/1.jpg")
				w.Published()
				closed := w.Path(to)
				if to == "Winter/new" {
					closed = w.Path("Winter")
				}
				w.Spoil = func(path string) error {
					if to != "" && (path == closed || strings.HasPrefix(path, closed+string(filepath.Separator))) {
						return &fs.PathError{Op: "open", Path: path, Err: os.ErrPermission}
					}
					return nil
				}
				w.While(func(d *daemon.Daemon, until daemontest.Await) {
					time.Sleep(10 * time.Second)
					if to != "" {
						w.Move("Summer/old", to)
					} else {
						w.Move("Summer/old", "../aside")
						daemontest.Must(t, os.Symlink(w.Path("../aside"), w.Path("Summer/old")))
					}
					gone := func(is func(status.ProductStatus) bool) func([]status.ProductStatus) bool {
						return func(all []status.ProductStatus) bool {
							return slices.ContainsFunc(all, func(p status.ProductStatus) bool { return p.Folder == "Summer/old" && is(p) })
						}
					}
					until(gone(func(p status.ProductStatus) bool { return p.DeleteAsked && p.State == status.Attention }))
					if got, want := w.Titles(), []string{"old", "other"}; !slices.Equal(got, want) {
						t.Fatalf("on the service: %q, want %q", got, want)
					}
					time.Sleep(time.Second) // until the question is recorded
					order(t, d, daemon.Retry, w.Key("Summer/old"))
					until(func(all []status.ProductStatus) bool {
						return !gone(func(status.ProductStatus) bool { return true })(all)
					})
				})
				if got, want := w.Titles(), []string{"other"}; !slices.Equal(got, want) {
					t.Errorf("on the service: %q, want %q", got, want)
				}
			})
		})
	}
}

// TestRenamedWithItsPhotos: a studio that corrects an SKU renames the photos with their folder. The
// product stays, and the photos are sent under their new names.
func TestRenamedWithItsPhotos(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/SKU-1_01.jpg", "Summer/SKU-1/SKU-1_02.jpg", "Summer/other/1.jpg")
		before := w.Published()["Summer/SKU-1"]
		w.Move("Summer/SKU-1", "Summer/SKU-2")
		w.Move("Summer/SKU-2/SKU-1_01.jpg", "Summer/SKU-2/SKU-2_01.jpg")
		w.Move("Summer/SKU-2/SKU-1_02.jpg", "Summer/SKU-2/SKU-2_02.jpg")
		after := w.Published()
		frames := w.Record("Summer/SKU-2").Published.Frames
		if after["Summer/SKU-2"].UUID != before.UUID || len(after) != 2 || len(frames) != 2 || frames[0].Name != "SKU-2_01.jpg" {
			t.Errorf("product %s became %+v with %+v, of %q", before.UUID, after, frames, w.Titles())
		}
	})
}

// TestRenamedBelowARootWithAnotherPath: a folder that gets another name before spinsync sees it at the
// new path of its watched folder keeps its view.
func TestRenamedBelowARootWithAnotherPath(t *testing.T) {
	daemontest.Story(t, shortQuiet+otherRoot, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "../elsewhere/Summer/old/1.jpg", "../elsewhere/Summer/old/2.jpg", "Summer/other/1.jpg")
		before := w.Published()["Summer/old"]
		w.Move("../elsewhere", "../other path")
		w.TOML = shortQuiet + strings.Replace(otherRoot, "elsewhere", "other path", 1)
		w.Move("../other path/Summer/old", "../other path/Winter/new")
		if after := w.Published(); after["Winter/new"].UUID != before.UUID {
			t.Errorf("product %s became %+v", before.UUID, after)
		}
		if got, want := w.Titles(), []string{"new", "other"}; !slices.Equal(got, want) {
			t.Errorf("on the service: %q, want %q", got, want)
		}
	})
}

// TestProductOfAnotherRoot: a folder whose product another one has names that one with its root.
func TestProductOfAnotherRoot(t *testing.T) {
	daemontest.Story(t, shortQuiet+otherRoot, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "../elsewhere/Summer/A/1.jpg", "Summer/stays/1.jpg")
		w.Published()
		w.Shoot("b", "Summer/A/1.jpg")
		d, end := w.Open()
		defer end()
		_ = d.Sync(t.Context())
		want := "folder " + filepath.ToSlash(w.Path("../elsewhere")) + "/Summer/A has the product with SKU A and title A already"
		if !slices.ContainsFunc(d.Status().Products, func(p status.ProductStatus) bool { return strings.HasPrefix(p.Reason, want) }) {
			t.Errorf("the status is %+v", d.Status().Products)
		}
	})
}
