package control

import (
	"runtime"
	"runtime/pprof"
	"strings"
)

// Runtime describes the process of a running daemon, for diagnosis.
type Runtime struct {
	Goroutines  int    `json:"goroutines"`
	HeapBytes   uint64 `json:"heap_bytes"`   // in use
	SystemBytes uint64 `json:"system_bytes"` // had from the system
	GCs         uint32 `json:"gcs"`
	// Stacks lists where the goroutines stand, equal ones counted. It names functions and lines,
	// and holds no values.
	Stacks string `json:"stacks"`
}

func ownRuntime() (Runtime, error) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	var stacks strings.Builder
	err := pprof.Lookup("goroutine").WriteTo(&stacks, 1)
	return Runtime{runtime.NumGoroutine(), m.HeapInuse, m.Sys, m.NumGC, stacks.String()}, err
}
