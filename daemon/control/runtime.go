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
	// Stacks are the lines that tell where the goroutines stand, equal ones counted. They name
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
