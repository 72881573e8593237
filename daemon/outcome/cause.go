package outcome

import (
	"errors"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/status"
)

// CauseOf is a failure as people see it while it is tried again by itself.
func CauseOf(err error) *status.Cause {
	if o := Of(err); o != nil {
		return o.Cause
	}
	return WithoutRemedy(Explain(err, "").Cause())
}

// WithoutRemedy is a cause without what a person can do about it.
func WithoutRemedy(c *status.Cause) *status.Cause {
	bare := *c
	bare.Remedy = ""
	return &bare
}

// ForGood is a failed request that waits for a person, and a retry.
func ForGood(failed *status.Cause) *status.Cause {
	c := *failed
	c.Kind = status.FailedForGood
	if c.Remedy != "" {
		c.Kind, c.Remedy = status.Refused, c.Remedy+", then "+status.RetryCommand
	}
	return &c
}

// WithPause adds to the cause of a host that asked for a longer pause than it gets.
func WithPause(c *status.Cause, err *apiclient.Error) *status.Cause {
	if err.RetryAfter <= LongestPause {
		return c
	}
	return &status.Cause{Kind: status.PauseCut, For: err.RetryAfter, Parts: []status.Cause{*c}}
}

// DetailOf is the technical detail behind the plain words; empty when no request failed.
func DetailOf(err error) string {
	var remote *apiclient.Error
	switch o := Of(err); {
	case o != nil && o.Detail != "":
		return o.Detail
	case errors.As(err, &remote):
		return remote.Detail()
	}
	return ""
}

// LongestPause is the longest pause that a host gets: a Retry-After beyond it is taken for a
// mistake.
const LongestPause = 24 * time.Hour

// AskedPause is how long a host is left alone because it asked for it.
func AskedPause(err *apiclient.Error) time.Duration { return min(err.RetryAfter, LongestPause) }

// Rejected reports whether the service does not accept the credentials.
func Rejected(err *apiclient.Error) bool { return err.Status == 401 && err.Unauthorized() }

// LongestRetry is the longest pause before a try, jitter included. Status requests have their own.
const LongestRetry = LongestPause + time.Minute
