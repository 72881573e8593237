package show

import (
	"io"
	"time"

	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon/config"
	"spinsync/daemon/status"
)

// statusJSON is what scripts read.
type statusJSON struct {
	Paused      bool                   `json:"paused"`
	Recovery    string                 `json:"recovery,omitempty"` // of a new, lost or old state file
	Settings    string                 `json:"settings,omitempty"` // settings that do not hold
	UploadLimit *config.HeldLimit      `json:"upload_limit,omitempty"`
	Service     status.ServiceStatus   `json:"service"`
	Roots       []rootJSON             `json:"roots"`
	Products    []status.ProductStatus `json:"products"`
}

type rootJSON struct {
	Path   string    `json:"path"`
	Online bool      `json:"online"`
	Reason string    `json:"reason"`
	Since  time.Time `json:"since,omitzero"` // unknown without a daemon
}

// StatusJSON prints a status for scripts.
func StatusJSON(w io.Writer, s status.Status) error {
	document := statusJSON{
		Paused: s.Paused, Recovery: s.Recovery, Settings: s.Settings, UploadLimit: s.UploadLimit, Service: s.Service,
		Roots: []rootJSON{}, Products: append([]status.ProductStatus{}, s.Products...),
	}
	for _, r := range s.Roots {
		document.Roots = append(document.Roots, rootJSON{r.Path, r.Online, r.Reason, r.Since})
	}
	return terminal.JSON(w, document)
}
