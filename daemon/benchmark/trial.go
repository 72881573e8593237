//go:build !windows

package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A trial is one run of one program.
type trial struct {
	wall time.Duration
	cpu  time.Duration // of the program alone, user and system
	peak float64       // resident memory, MB
}

// command is a program with a bare environment, since peers read settings from theirs.
func command(ctx context.Context, argv []string, env ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.TempDir(), "LANG=C.UTF-8"}, env...)
	return c
}

// run starts a program, waits for its end and tells what it took. Its output comes with the error.
func run(ctx context.Context, argv []string, env ...string) (trial, error) {
	var said bytes.Buffer
	c := command(ctx, argv, env...)
	c.Stdout, c.Stderr = &said, &said
	began := time.Now()
	if err := c.Start(); err != nil {
		return trial{}, err
	}
	ended := make(chan struct{})
	peak := make(chan float64)
	go func() { peak <- watchMemory(c.Process.Pid, ended) }()
	err := c.Wait()
	t := trial{wall: time.Since(began)}
	close(ended)
	t.peak = <-peak
	t.cpu = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", strings.Join(argv, " "), err, said.String())
	}
	return t, err
}

// watchMemory looks at a process until it has ended, and returns the most resident memory it had,
// in MB.
func watchMemory(pid int, ended <-chan struct{}) (peak float64) {
	for {
		peak = max(peak, memoryOf(pid, "VmHWM:"))
		select {
		case <-ended:
			return peak
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// memoryOf reads a line of a process's status, in MB. It is 0 for a process that has ended.
func memoryOf(pid int, line string) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), line)
	kilobytes, err := strconv.ParseFloat(cmp.Or(strings.Fields(rest + " 0")[0], "0"), 64)
	if err != nil {
		return 0
	}
	return kilobytes * 1024 / 1e6
}

// A spread is the median of some measurements with the least and the most.
type spread struct{ median, least, most float64 }

func spreadOf(values []float64) spread {
	if len(values) == 0 {
		return spread{math.NaN(), math.NaN(), math.NaN()}
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return spread{(sorted[(n-1)/2] + sorted[n/2]) / 2, sorted[0], sorted[n-1]}
}

func (s spread) String() string {
	return fmt.Sprintf("%s (%s–%s)", digits(s.median), digits(s.least), digits(s.most))
}

// digits shows three digits that count, more for large numbers.
func digits(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return "–"
	case a >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}
