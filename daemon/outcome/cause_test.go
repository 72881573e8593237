package outcome

import (
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/status"
)

// A host that asks for more than the longest pause is told as one. Any other pause is none of a
// person's business.
func TestPauseThatIsCut(t *testing.T) {
	failed := status.Because(status.Failed)
	for asked, cut := range map[time.Duration]bool{0: false, LongestPause: false, LongestPause + 1: true} {
		told := WithPause(failed, &apiclient.Error{RetryAfter: asked})
		if told.Is(status.PauseCut) != cut || cut && (told.For != asked || !told.Parts[0].Is(status.Failed)) {
			t.Errorf("a pause of %s is told as %+v", asked, told)
		}
	}
}
