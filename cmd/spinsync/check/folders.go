package check

import (
	"context"
	"errors"
	"fmt"

	"spinsync/daemon/config"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/watcher"
)

// examineFolders checks whether layout and products file fit the folders of a root. Plan and status
// show what else is wrong with a folder.
func examineFolders(ctx context.Context, w config.Watch, r *Report) {
	all, err := List(ctx, w)
	if err != nil {
		r.fail("folders", err)
		return
	}
	examineLayout(all, w, r)
	examineProducts(all, w, r)
}

func examineLayout(all Listing, w config.Watch, r *Report) {
	const what = "folders"
	fitting := 0
	var misfit error // the first one
	for _, f := range all {
		_, err := w.Layout.Match(f.Path)
		switch {
		case err == nil:
			fitting++
		case misfit == nil:
			misfit = explainMisfit(f.Path, w, err)
		}
	}
	counted := status.Counted(len(all), "folder")
	switch {
	case len(all) == 0:
		r.ok(what, "no photos yet")
	case misfit == nil:
		r.ok(what, counted+" with photos, all where they belong")
	case fitting == 0:
		r.fail(what, fmt.Errorf("no folder with photos is where it belongs; %w; %s", misfit, layoutRemedy(all)))
	default:
		r.warn(what, fmt.Sprintf("%d of %s with photos are where they belong; spinsync uploads nothing from the others; %v",
			fitting, counted, misfit))
	}
}

// explainMisfit is why a folder does not fit the layout. A wrong depth has the daemon's words.
func explainMisfit(folder string, w config.Watch, err error) error {
	if watcher.Level(folder) == w.Layout.Depth() {
		return fmt.Errorf("%s: %w", folder, err)
	}
	return errors.New(plan.WrongDepth(w.Path, folder, w.Layout))
}

func layoutRemedy(all Listing) string {
	if suggested := all.Layout(); suggested != "" {
		return fmt.Sprintf("layout = %q would fit most", suggested)
	}
	return "give each product a folder of its own"
}
