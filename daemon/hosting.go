package daemon

import (
	"log/slog"
	"time"

	"spinsync/apiclient"
	"spinsync/syncstate"
)

// A hostingService is the hosting service as the work on all folders knows it: its client, with the
// answers and failures that one folder met and that serve the others too.
type hostingService struct {
	*apiclient.Client
	breakers    *gates
	lists       rosters
	permissions permissions
	accessKeys  *accessKeyFields
	creating    keyedLock // one create of a name at a time
}

// newHostingService puts the breakers into the client. The field is the access key's, as sync.toml
// names it; empty when it is to be found.
func newHostingService(
	client *apiclient.Client, store *syncstate.Store, field string, log *slog.Logger,
	pause func(attempt int) time.Duration, password string,
) (*hostingService, error) {
	fields, err := newAccessKeyFields(field, store)
	if err != nil {
		return nil, err
	}
	h := &hostingService{Client: client, breakers: newGates(pause, log, password), accessKeys: fields}
	client.Breaker = h.breakers
	return h, nil
}

// clock is what to add to this computer's time for that of the service.
func (h *hostingService) clock() time.Duration {
	offset, _ := h.ClockOffset()
	return offset
}
