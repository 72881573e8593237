package daemon

import (
	"strings"
	"testing"

	"spinsync/daemon/status"
)

// The comparison with the service is told as long as a folder is still to be compared.
func TestRecoveryIsToldUntilItsEnd(t *testing.T) {
	compared := status.ProductStatus{State: status.Published}
	waiting := status.ProductStatus{State: status.Queued, Doubted: true}
	if told := stillDoubted([]status.ProductStatus{compared, waiting}); !strings.Contains(told, "1 of 2 product folders") {
		t.Errorf("told %q", told)
	}
	if told := stillDoubted([]status.ProductStatus{compared}); told != "" {
		t.Errorf("told at its end: %q", told)
	}
}
