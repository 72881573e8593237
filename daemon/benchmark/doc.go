//go:build !windows

// Command benchmark compares spinsync with its peers on this machine, and measures what has no
// peer:
//
//	cd daemon/benchmark
//	go run . -tools DIR                # everything, some 40 minutes; root, for the emulated lines
//	go run . -tools DIR -only lan,loss # some of it
//	go run . -tools DIR -docs ../../docs  # and writes docs/performance.md with its plots
//	go test -bench .                   # whole trees, without any tools
//
// It is a module of its own, so that what it needs never becomes part of spinsync.
//
// Each comparison is one run: the programs take turns, A B C A B C, so that whatever else the
// machine does falls on all of them, and what is reported is the median with the least and the
// most.
//
// The upload host, the lines with delay and loss, the bare uploader and the camera are tools of
// their own, which are built and run where they stand (-tools). Peers are taken from the PATH; one
// that is missing is left out. The hosting service is a small one of this program that answers at
// once, because what is measured is the uploader and not the service.
package main
