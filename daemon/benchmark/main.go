//go:build !windows

package main

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"spinsync/apiclient/certificate"
	"spinsync/daemon/benchmark/bed"
)

// A bench is one run of the benchmarks.
type bench struct {
	tools, work, self string
	settle            time.Duration
	rounds            int
	only              []string
	peers             string
	report            report
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := start(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "benchmark:", err)
		os.Exit(1)
	}
}

func start(ctx context.Context, args []string) error {
	var b bench
	var only, serve, store, pem, admin, docs string
	var processing time.Duration
	flags := flag.NewFlagSet("benchmark", flag.ContinueOnError)
	flags.StringVar(&b.tools, "tools", "", "directory of the measuring tools")
	flags.StringVar(&b.work, "work", filepath.Join(os.TempDir(), "spinsync-benchmark"), "scratch directory; 10 GB are used and kept for the next time")
	flags.StringVar(&docs, "docs", "", "directory of performance.md, to write the results into; empty prints them only")
	flags.IntVar(&b.rounds, "rounds", 3, "how often each program is run")
	flags.DurationVar(&b.settle, "settle", 100*time.Millisecond, "settle in the configuration of spinsync, but for the streamed shoot")
	flags.StringVar(&only, "only", "", "scenarios to run, separated by commas; empty runs all: "+strings.Join(names(), ", "))
	flags.StringVar(&b.peers, "peers", "", "a regular expression for the programs to compare; empty compares all")
	flags.StringVar(&serve, "serve", "", "internal: be the hosting service at this address")
	flags.StringVar(&store, "store", "", "internal: the upload host it names")
	flags.StringVar(&pem, "certificate", "", "internal: where it writes what clients must trust")
	flags.StringVar(&admin, "admin", "", "internal: the socket on which it is told to forget everything")
	flags.DurationVar(&processing, "processing", 0, "internal: how long it processes")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if serve != "" {
		s := bed.New(bed.Options{Store: store, Processing: processing, Log: os.Stdout})
		return errors.Join(forgetAt(admin, s), serveAt(ctx, serve, s, pem, os.Stdout))
	}
	if only != "" {
		b.only = strings.Split(only, ",")
	}
	return b.run(ctx, docs)
}

// run runs the scenarios that are asked for and prints what came out. One that fails keeps no other
// from being run.
func (b *bench) run(ctx context.Context, docs string) error {
	if err := b.build(ctx); err != nil {
		return err
	}
	var failed []error
	for _, s := range scenarios {
		if ctx.Err() != nil || len(b.only) > 0 && !slices.Contains(b.only, s.name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "%s %s: %s\n", time.Now().Format(time.TimeOnly), s.name, s.about)
		if err := s.run(ctx, b); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", s.name, err))
			fmt.Fprintln(os.Stderr, "  failed:", err)
		}
	}
	b.report.print(os.Stdout)
	if docs != "" && ctx.Err() == nil {
		failed = append(failed, b.report.write(docs))
	}
	return errors.Join(append(failed, ctx.Err())...)
}

// forgetAt lets the service forget everything at a request to a socket.
func forgetAt(socket string, s *bed.Service) error {
	os.Remove(socket)
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	go http.Serve(listener, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { s.Forget() }))
	return nil
}

// certified makes a certificate for one address, and writes what a client must trust to a file.
func certified(address, file string) (tls.Certificate, error) {
	made, err := certificate.Make("benchmark", []string{address}, time.Now().Add(24*time.Hour))
	if err != nil {
		return tls.Certificate{}, err
	}
	if err := os.WriteFile(file, made.Authority, 0o644); err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(made.Certificate, made.Key)
}

// serveAt serves until ctx ends. A line on ready says that the address is open.
func serveAt(ctx context.Context, address string, s *bed.Service, pem string, ready io.Writer) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	own, err := certified(host, pem)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	fmt.Fprintln(ready, "ready")
	server := &http.Server{Handler: s.Handler(), TLSConfig: &tls.Config{Certificates: []tls.Certificate{own}}}
	ended := context.AfterFunc(ctx, func() { server.Close() })
	defer ended()
	if err := server.ServeTLS(listener, "", ""); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
