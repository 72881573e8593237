package daemon

import (
	"errors"
	"strconv"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/metrics"
)

// countedRequests are breakers that count the requests which pass them.
type countedRequests struct {
	*hosting.Breakers
	metrics *metrics.Metrics
}

// Leave implements apiclient.Breaker.
func (c countedRequests) Leave(host, op string, err error) {
	c.metrics.Request(op, statusOfRequest(err))
	c.Breakers.Leave(host, op, err)
}

// statusOfRequest is how a request ended.
func statusOfRequest(err error) string {
	var remote *apiclient.Error
	switch {
	case err == nil:
		return "ok"
	case !errors.As(err, &remote):
		return "given up"
	case remote.Local():
		return "file failed"
	case remote.Status == 0:
		return "none"
	}
	return strconv.Itoa(remote.Status)
}
