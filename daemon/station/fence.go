package station

import (
	"errors"

	"spinsync/syncstate/cluster"
)

var (
	errStandby = errors.New("this station is a standby of its fleet")
	errOver    = errors.New("the fleet's cluster does not answer this station, and another one may be at work by now")
	errLate    = errors.New("the fleet's cluster does not answer this station")
)

// A Fence is the time for which a station may send. It is an apiclient.Fence.
type Fence struct {
	epoch *cluster.Epoch  // nil at a standby
	over  <-chan struct{} // closed when the epoch has ended, or must
}

// Holds implements apiclient.Fence.
func (f Fence) Holds() error {
	if f.epoch == nil {
		return errStandby
	}
	select {
	case <-f.over:
		return errOver
	default:
	}
	if f.epoch.Left() == 0 {
		return errOver
	}
	return nil
}

// HasTime implements apiclient.Fence.
func (f Fence) HasTime() error {
	if err := f.Holds(); err != nil {
		return err
	}
	if !f.epoch.HasTime() {
		return errLate
	}
	return nil
}
