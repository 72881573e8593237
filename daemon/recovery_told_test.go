package daemon

import (
	"strings"
	"testing"

	"spinsync/daemon/status"
)

// The comparison with the service is told as long as a folder is still to be compared.
func TestRecoveryIsToldUntilItsEnd(t *testing.T) {
	compared := status.ProductStatus{State: status.Published}
	waiting := status.ProductStatus{State: status.Queued, Unreconciled: true}
	if told := recoveryTold([]status.ProductStatus{compared, waiting}, false); !strings.Contains(told, "1 of 2 product folders") {
		t.Errorf("told %q", told)
	}
	if told := recoveryTold([]status.ProductStatus{compared}, false); told != "" {
		t.Errorf("told at its end: %q", told)
	}
}
