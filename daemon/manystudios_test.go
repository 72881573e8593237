package daemon_test

import (
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/config"
	"spinsync/daemon/daemontest"
)

var (
	studios = flag.Int("studios", 12, "how many studios wait for a service that is away")
	outage  = flag.Duration("outage", 20*time.Minute, "how long it is away")
)

// TestManyStudiosAndOneService: a service is away, and in all studios products are shot at the same
// moment. Once it is back, they do not come to it together. With -v it prints the requests of each
// second, for docs/performance.md.
func TestManyStudiosAndOneService(t *testing.T) {
	daemontest.Story(t, "", func(t *testing.T, w *daemontest.World) {
		w.Settle, w.Log = "5s", slog.New(slog.NewTextHandler(io.Discard, nil))
		var all []*daemontest.World
		for range *studios {
			studio := w.Beside()
			c := studio.Config()
			c.Poll = config.Poll{First: 2 * time.Second, Max: time.Minute}
			d, end := studio.OpenWith(daemon.Options{Config: c}, daemontest.Committing)
			defer end()
			defer daemontest.Start(t, d)()
			all = append(all, studio)
		}
		shoot := func(take string) {
			for i, studio := range all {
				for sku := range 4 {
					folder := fmt.Sprintf("Studio %d/%s-%d", i, take, sku)
					studio.Shoot(folder, folder+"/1.jpg", folder+"/2.jpg", folder+"/3.jpg", folder+"/4.jpg")
				}
			}
		}
		shoot("before")
		time.Sleep(10 * time.Minute)
		w.Calls.Spoil(func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{Status: http.StatusServiceUnavailable} })
		time.Sleep(*outage / 2)
		shoot("meanwhile")
		time.Sleep(*outage / 2)
		seconds := map[int]map[string]int{} // the requests of each, by operation
		back := time.Now()
		w.Calls.Spoil(func(c *sandbox.Call) sandbox.Fault {
			second := int(time.Since(back) / time.Second)
			if seconds[second] == nil {
				seconds[second] = map[string]int{}
			}
			seconds[second][c.Op]++
			return sandbox.Fault{}
		})
		time.Sleep(15 * time.Minute)
		w.Calls.Spoil(nil)
		products, total, busiest := 4*len(all), 0, 0
		for _, second := range slices.Sorted(maps.Keys(seconds)) {
			creates := seconds[second][sandbox.CreateProduct]
			total, busiest = total+creates, max(busiest, creates)
			t.Log(second, seconds[second])
		}
		if total != products || busiest > total/4 {
			t.Errorf("of %d products %d were made, %d of them in one second", products, total, busiest)
		}
	})
}
