//go:build !linux

package service

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"time"
)

// awaitFindings reads the report as soon as it is there, which is when the trial has ended.
func awaitFindings(ctx context.Context, report string) (found Findings, err error) {
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for {
		data, err := os.ReadFile(report)
		if err == nil {
			err = json.Unmarshal(data, &found)
			return found, err
		}
		if !errors.Is(err, os.ErrNotExist) {
			return found, err
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return found, errors.New(
				"the check inside the service did not end; a drive or the network does not answer")
		}
	}
}
