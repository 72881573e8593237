package processtest

import (
	"path/filepath"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
)

// A text that was set by a request whose answer was lost, because the program was killed, is known
// as ours: it follows when the folder has another text later.
func TestTextsFollowAfterAKill(t *testing.T) {
	t.Parallel()
	for _, later := range []string{"the second text", "the first text", ""} {
		t.Run("then "+later, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			path := filepath.Join(t.TempDir(), "shoots")
			folder := newShoot(t, newRandom(t), path, "A", 0)
			folder.shootAll(2)
			i := install(t, s.url, root{path, `quiet = "200ms"`})
			p := i.start("run")
			published(t, i, s, []*shoot{folder}, time.Minute)

			die := func(c *sandbox.Call) sandbox.Fault {
				if c.Op != sandbox.SetAltTexts {
					return sandbox.Fault{}
				}
				_ = p.Process.Kill()
				return sandbox.Fault{DropAfter: true}
			}
			s.spoil.Store(&die)
			folder.say("the first text")
			<-p.ended
			s.busy.Wait()

			s.heal()
			folder.say(later)
			i.start("run")
			published(t, i, s, []*shoot{folder}, time.Minute)
		})
	}
}
