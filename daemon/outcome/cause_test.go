package outcome

import (
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/status"
)

// A host that asks for more than the longest pause gets a cause of its own. Any other pause does not
// concern a person.
func TestPauseThatIsCut(t *testing.T) {
	failed := status.Because(status.Failed)
	for asked, cut := range map[time.Duration]bool{0: false, LongestPause: false, LongestPause + 1: true} {
		got := WithPause(failed, &apiclient.Error{RetryAfter: asked})
		if got.Is(status.PauseCut) != cut || cut && (got.For != asked || !got.Parts[0].Is(status.Failed)) {
			t.Errorf("a pause of %s has the cause %+v", asked, got)
		}
	}
}
