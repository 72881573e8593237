package daemon

import (
	"fmt"
	"slices"

	"spinsync/daemon/config"
	"spinsync/syncstate"
)

// LeftBehind warns of folders that were published at another address or by another user, as long as
// nothing is recorded for the configured ones: a pass would upload all of them again. It is empty
// when there are none.
func LeftBehind(store *syncstate.Store, service config.Service) (string, error) {
	others, err := store.Elsewhere()
	if err != nil || len(others) == 0 {
		return "", err
	}
	most := slices.MaxFunc(others, func(a, b syncstate.Elsewhere) int { return a.Published - b.Published })
	return fmt.Sprintf("nothing is recorded for %s and user %s, but %s for %s and user %s; "+
		"if that is the same service under another name, run `spinsync rebuild` before run or sync, or all of it is uploaded again",
		service.BaseURL, service.Username, publishedFolders(most.Published), most.BaseURL, most.Username), nil
}

func publishedFolders(n int) string {
	if n == 1 {
		return "1 published folder"
	}
	return fmt.Sprintf("%d published folders", n)
}

// leftBehind is LeftBehind until something is published.
func (d *Daemon) leftBehind(products []ProductStatus) string {
	isPublished := func(p ProductStatus) bool { return p.PublishedAt != nil }
	if d.elsewhere == "" || slices.ContainsFunc(products, isPublished) {
		return ""
	}
	return d.elsewhere
}
