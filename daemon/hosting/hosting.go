package hosting

import (
	"log/slog"
	"time"

	"spinsync/apiclient"
	"spinsync/syncstate"
	"spinsync/watcher/clock"
)

// A Service is the hosting service as the work on all folders knows it: its client, with the
// answers and failures that one folder met and that serve the others too.
type Service struct {
	Client     *apiclient.Client
	Memory     *Memory
	Breakers   *Breakers
	AccessKeys *AccessKeys
	Began      time.Time // when the process did
	Renewed    time.Time // when the state file was renewed; zero when it was not
	// FormsFrom is when another station's last request has surely ended: before it no form is asked
	// for in the place of one that the other may have. The zero time at a computer alone.
	FormsFrom time.Time
	// Boot is the clock by which the lists of the service age: others change them while the machine
	// sleeps too.
	Boot func() time.Time
}

// Memory is what was asked and answered in this process.
type Memory struct {
	Lists        Lists
	Asked        Asked
	RefusedLists RefusedLists
	Creating     KeyedLock // one create of a name at a time
}

// New puts the breakers into the client. The field is the access key's, as sync.toml
// names it; empty to find it.
func New(
	client *apiclient.Client, store *syncstate.Store, field string, log *slog.Logger,
	pause func(attempt int) time.Duration, passwordRemedy string,
) (*Service, error) {
	fields, err := newAccessKeys(field, store)
	if err != nil {
		return nil, err
	}
	renewed, err := store.Renewed()
	if err != nil {
		return nil, err
	}
	h := &Service{
		Client: client, Memory: &Memory{}, Breakers: NewBreakers(pause, log, passwordRemedy), AccessKeys: fields,
		Renewed: renewed, Boot: clock.Boot,
	}
	client.Breaker = h.Breakers
	return h, nil
}

// Continue goes on with what another Service knows of the same hosts. The user is another one where
// the memory of the other's answers does not count.
func (h *Service) Continue(before *Service, sameUser bool) {
	h.Client.TakeClock(before.Client)
	h.Breakers.take(before.Breakers)
	if sameUser {
		h.Memory = before.Memory
	}
}

// Rest goes on with what hosts asked for, where others may have been at work since.
func (h *Service) Rest(before *Service) {
	h.Client.TakeClock(before.Client)
	h.Breakers.takeRests(before.Breakers)
}

// Clock is what to add to this computer's time for that of the service.
func (h *Service) Clock() time.Duration {
	offset, _ := h.Client.ClockOffset()
	return offset
}
