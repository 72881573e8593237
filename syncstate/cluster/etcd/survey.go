package etcd

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"

	"spinsync/syncstate/cluster"
)

// A Survey is how a cluster does. Its troubles have the remedy, and are empty while all is well.
type Survey struct {
	Members  []Member `json:"members"`
	Revision int64    `json:"revision"` // that of the member that is ahead
	Bytes    int64    `json:"bytes"`    // in use there
	Trouble  string   `json:"trouble"`  // what keeps the whole cluster from serving a fleet, or soon will
}

// A Member is how one server of the cluster is.
type Member struct {
	Address string `json:"address"`
	Version string `json:"version"`
	Trouble string `json:"trouble"`
}

// keptChanges is more than happens in a fleet between two compactions. A cluster that still has as many
// is never compacted, and fills its disk.
const keptChanges = 20_000

const (
	rememberCompaction = "run etcd with --auto-compaction-mode=periodic --auto-compaction-retention=5m"
	makeRoom           = "docs/fleet.md says how to make room"
	full               = "the cluster is full, and takes no change; " + makeRoom
)

// Survey asks each server that is named how it is.
func (c *Client) Survey(ctx context.Context) (s Survey) {
	answered, first := false, error(nil)
	for _, address := range c.config.Endpoints {
		m := Member{Address: address}
		is, err := c.statusOf(ctx, address)
		if err != nil {
			err = c.remedied(err, address)
			m.Trouble, first = err.Error(), cmp.Or(first, err)
		} else {
			answered = true
			m.Version, m.Trouble = is.Version, versionTrouble(is.Version)
			s.Trouble = cmp.Or(s.Trouble, troubleOf(is), m.Trouble)
			if is.Header.Revision > s.Revision {
				s.Revision, s.Bytes = is.Header.Revision, is.DbSizeInUse
			}
		}
		s.Members = append(s.Members, m)
	}
	if !answered {
		s.Trouble = unserved(first)
	}
	if s.Trouble == "" && s.Revision > keptChanges {
		if _, err := c.ReadAt(ctx, "", s.Revision-keptChanges); err == nil {
			s.Trouble = fmt.Sprintf("the cluster keeps all changes, and fills its disk; %s", rememberCompaction)
		}
	}
	return s
}

// unserved is why no member serves this station.
func unserved(err error) string {
	if errors.Is(err, cluster.ErrRefused) {
		return err.Error()
	}
	return "the cluster does not answer: " + err.Error()
}

// Worst is the trouble of the whole cluster, else that of a member.
func (s Survey) Worst() string {
	worst := s.Trouble
	for _, m := range s.Members {
		if m.Trouble != "" {
			worst = cmp.Or(worst, m.Address+" does not serve the fleet: "+m.Trouble)
		}
	}
	return worst
}

func (c *Client) statusOf(ctx context.Context, address string) (*clientv3.StatusResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	etcd, err := c.etcd()
	if err != nil {
		return nil, err
	}
	return etcd.Status(ctx, address)
}

// troubleOf is what a server tells of the whole cluster.
func troubleOf(is *clientv3.StatusResponse) string {
	const most = 80 // percent
	switch {
	case slices.ContainsFunc(is.Errors, func(e string) bool { return strings.Contains(e, "NOSPACE") }):
		return full
	case is.Leader == 0:
		return "the cluster has no leader; start the other members"
	case len(is.Errors) > 0:
		return strings.Join(is.Errors, "; ") + "; see the log of etcd"
	case is.DbSizeQuota > 0 && is.DbSize > is.DbSizeQuota/100*most:
		return fmt.Sprintf("the cluster uses %d %% of its room; %s", is.DbSize*100/is.DbSizeQuota, makeRoom)
	}
	return ""
}

func versionTrouble(version string) string {
	if serves(version) {
		return ""
	}
	return "etcd " + version + " has faults that a fleet cannot bear; install 3.6.12 or later, or 3.5.35"
}

// serves reports whether a version of etcd is 3.5.35 or later of that line, or 3.6.12 or later.
func serves(version string) bool {
	var major, minor, patch int
	if n, _ := fmt.Sscanf(version, "%d.%d.%d", &major, &minor, &patch); n < 3 {
		return false
	}
	switch {
	case major != 3:
		return major > 3
	case minor == 5:
		return patch >= 35
	case minor == 6:
		return patch >= 12
	}
	return minor > 6
}

// Try finds out how long a change takes and whether the user may make one. It changes nothing: its
// condition never holds.
func (c *Client) Try(ctx context.Context) (took time.Duration, err error) {
	const key = "check"
	began := time.Now()
	_, err = c.Commit(ctx, cluster.Transaction{
		If: []cluster.Condition{{Key: key, Changed: -1}}, Then: []cluster.Write{{Key: key, Value: []byte("{}")}},
	})
	return time.Since(began), err
}

// remedied is remedied with what keeps a connection from being made: of that etcd's own client tells
// nothing.
func (c *Client) remedied(err error, addresses ...string) error {
	if _, is := errors.AsType[helped](err); is || !errors.Is(err, context.DeadlineExceeded) {
		return remedied(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), reachTime)
	defer cancel()
	for _, address := range addresses {
		cause := c.reach(ctx, address)
		if cause == nil {
			return remedied(err)
		}
		err = errors.Join(cause, err)
	}
	return remedied(plainly{err})
}

// reachTime is the longest that a connection is tried for, to tell what is wrong with it.
const reachTime = time.Second

// plainly says only the first of joined errors, the one that is put in plain words.
type plainly struct{ error }

func (p plainly) Error() string { first, _, _ := strings.Cut(p.error.Error(), "\n"); return first }
func (p plainly) Unwrap() error { return p.error }

// reach makes a connection to a member, and lets go of it.
func (c *Client) reach(ctx context.Context, address string) error {
	at, err := url.Parse(address)
	if err != nil {
		return err
	}
	dial := (&net.Dialer{}).DialContext
	if at.Scheme == "https" {
		dial = (&tls.Dialer{Config: c.config.TLS}).DialContext
	}
	conn, err := dial(ctx, "tcp", at.Host)
	if _, plain := errors.AsType[tls.RecordHeaderError](err); plain || errors.Is(err, io.EOF) {
		return errors.New("it speaks http, and not https")
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("nothing listens at %s", at.Host)
	}
	if err != nil {
		return err
	}
	defer conn.Close()
	// A certificate that the server does not take it refuses after the handshake only.
	_ = conn.SetReadDeadline(time.Now().Add(reachTime / 4))
	if _, err = conn.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
		return nil
	}
	return err
}

// A helped error has what helps against it.
type helped struct{ error }

func (h helped) Unwrap() error { return h.error }

func help(format string, args ...any) error { return helped{fmt.Errorf(format, args...)} }

// remedied adds to an error of a call what helps against it, once.
func remedied(err error) error {
	has := func(is error) bool { return errors.Is(rpctypes.Error(err), is) }
	_, is := errors.AsType[helped](err)
	switch {
	case err == nil, is, errors.Is(err, context.Canceled):
		return err
	case has(rpctypes.ErrAuthFailed), has(rpctypes.ErrUserEmpty), has(rpctypes.ErrUserNotFound), has(rpctypes.ErrInvalidAuthToken):
		return help("%w: %w; correct username and password_file in [fleet], and restart spinsync", cluster.ErrRefused, err)
	case has(rpctypes.ErrPermissionDenied):
		return help("%w: %w; give the user readwrite for all keys below prefix of [fleet]", cluster.ErrRefused, err)
	case has(rpctypes.ErrNoSpace):
		return helped{plainly{errors.Join(errors.New(full), cluster.ErrRefused, err)}}
	case strings.Contains(err.Error(), "tls:"), strings.Contains(err.Error(), "x509:"):
		return help("%w; correct ca_file, cert_file and key_file in [fleet], and restart spinsync", err)
	}
	var said rpctypes.EtcdError
	if errors.As(rpctypes.Error(err), &said) && said.Code() != codes.Unavailable {
		return err
	}
	return help("%w; start its members, and see etcd in [fleet]", err)
}
