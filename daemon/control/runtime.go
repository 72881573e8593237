package control

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/pprof"
	"strings"
	"time"
)

// Runtime describes the process of a running daemon, for diagnosis.
type Runtime struct {
	Goroutines  int    `json:"goroutines"`
	HeapBytes   uint64 `json:"heap_bytes"`   // in use
	SystemBytes uint64 `json:"system_bytes"` // had from the system
	GCs         uint32 `json:"gcs"`
	// Stacks are the lines where the goroutines stand, equal ones counted. They name
	// functions and lines, and hold no values.
	Stacks []string `json:"stacks"`
}

func ownRuntime() (Runtime, error) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	var stacks strings.Builder
	err := pprof.Lookup("goroutine").WriteTo(&stacks, 1)
	return Runtime{runtime.NumGoroutine(), m.HeapInuse, m.Sys, m.NumGC, strings.Split(stacks.String(), "\n")}, err
}

// profiled is how long the processor's time is watched.
const profiled = 3 * time.Second

// profile writes a profile of this process. It names functions and lines, and holds no values.
func profile(ctx context.Context, kind string, to io.Writer) error {
	switch kind {
	case "cpu":
		if err := pprof.StartCPUProfile(to); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
		select {
		case <-time.After(profiled):
		case <-ctx.Done():
		}
		return ctx.Err()
	case "heap", "goroutine":
		return pprof.Lookup(kind).WriteTo(to, 0)
	}
	return fmt.Errorf("there is no profile %q; ask for cpu, heap or goroutine", kind)
}
