// Package etcd is a fleet's cluster on etcd, 3.5.35 or 3.6.12 and later.
package etcd

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"iter"
	"net"
	"strings"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"

	"spinsync/syncstate/cluster"
)

// Config is how a cluster is reached.
type Config struct {
	Endpoints []string // URLs of its members
	Prefix    string   // of all keys
	Username  string
	Password  string
	TLS       *tls.Config // nil for members on this computer that speak plain HTTP
}

// A Client speaks with a cluster. It is a cluster.Cluster.
type Client struct {
	config clientv3.Config
	prefix string
	mu     sync.Mutex
	made   *clientv3.Client // nil until a member has answered a user

	renewing sync.Mutex
	renewal  *renewal // nil until a lease is renewed, and after a failure
}

const (
	// callTime is the longest that one member is waited for.
	callTime = 5 * time.Second
	// A following that hears nothing asks for a sign of life, and ends without one.
	progressEvery = 10 * time.Second
	silence       = 25 * time.Second
	pageOfKeys    = 1000
)

// reconnecting has a member tried every second for as long as it is away. By itself etcd's client lets up
// to two minutes pass, and a station is back that much later than its cluster.
var reconnecting = grpc.ConnectParams{
	Backoff:           backoff.Config{BaseDelay: time.Second, Multiplier: 1, Jitter: 0.2, MaxDelay: time.Second},
	MinConnectTimeout: callTime,
}

// Dial makes a client. It waits for no member.
func Dial(c Config) (*Client, error) {
	client := &Client{prefix: strings.TrimSuffix(c.Prefix, "/") + "/", config: clientv3.Config{
		Endpoints: c.Endpoints, TLS: c.TLS, Username: c.Username, Password: c.Password,
		DialTimeout: callTime, DialKeepAliveTime: progressEvery, DialKeepAliveTimeout: callTime,
		Logger: zap.NewNop(), DialOptions: []grpc.DialOption{grpc.WithConnectParams(reconnecting)},
	}}
	if c.Username != "" { // etcd's own client asks for a token first
		return client, nil
	}
	_, err := client.etcd()
	return client, err
}

// etcd is etcd's own client.
func (c *Client) etcd() (*clientv3.Client, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made != nil {
		return c.made, nil
	}
	made, err := clientv3.New(c.config)
	if err != nil {
		return nil, c.remedied(err, c.config.Endpoints...)
	}
	c.made = made
	return made, nil
}

// Close lets go of all connections.
func (c *Client) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made == nil {
		return nil
	}
	return c.made.Close()
}

// Read implements cluster.Cluster.
func (c *Client) Read(ctx context.Context, key string) (cluster.Entry, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	etcd, err := c.etcd()
	if err != nil {
		return cluster.Entry{}, err
	}
	answer, err := etcd.Get(ctx, c.prefix+key)
	if err != nil {
		return cluster.Entry{}, c.remedied(err, c.config.Endpoints...)
	}
	return c.first(key, answer.Kvs), nil
}

// ReadAt implements cluster.Cluster.
func (c *Client) ReadAt(ctx context.Context, key string, revision int64) (cluster.Entry, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	etcd, err := c.etcd()
	if err != nil {
		return cluster.Entry{}, err
	}
	answer, err := etcd.Get(ctx, c.prefix+key, clientv3.WithRev(revision))
	if errors.Is(err, rpctypes.ErrCompacted) || errors.Is(err, rpctypes.ErrFutureRev) {
		return cluster.Entry{}, cluster.ErrCompacted
	}
	if err != nil {
		return cluster.Entry{}, remedied(err)
	}
	return c.first(key, answer.Kvs), nil
}

// List implements cluster.Cluster.
func (c *Client) List(ctx context.Context, prefix string) (all []cluster.Entry, revision int64, err error) {
	from, end := c.prefix+prefix, clientv3.GetPrefixRangeEnd(c.prefix+prefix)
	for {
		page, err := c.page(ctx, from, end, revision)
		if err != nil {
			return nil, 0, err
		}
		if revision == 0 { // each page tells the newest one
			revision = page.Header.Revision
		}
		for _, kv := range page.Kvs {
			all = append(all, c.entry(kv))
		}
		if !page.More {
			return all, revision, nil
		}
		from = string(page.Kvs[len(page.Kvs)-1].Key) + "\x00"
	}
}

// page reads some keys at a revision, at the present one for 0.
func (c *Client) page(ctx context.Context, from, end string, revision int64) (*clientv3.GetResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	etcd, err := c.etcd()
	if err != nil {
		return nil, err
	}
	answer, err := etcd.Get(ctx, from, clientv3.WithRange(end), clientv3.WithRev(revision), clientv3.WithLimit(pageOfKeys))
	return answer, remedied(err)
}

// Commit implements cluster.Cluster.
func (c *Client) Commit(ctx context.Context, t cluster.Transaction) (cluster.Outcome, error) {
	var conditions []clientv3.Cmp
	var writes, reads []clientv3.Op
	for _, is := range t.If {
		conditions = append(conditions, clientv3.Compare(clientv3.ModRevision(c.prefix+is.Key), "=", is.Changed))
		if is.Value != nil {
			conditions = append(conditions, clientv3.Compare(clientv3.Value(c.prefix+is.Key), "=", string(is.Value)))
		}
		reads = append(reads, clientv3.OpGet(c.prefix+is.Key))
	}
	for _, w := range t.Then {
		writes = append(writes, c.write(w))
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	etcd, err := c.etcd()
	if err != nil {
		return cluster.Outcome{}, err
	}
	answer, err := etcd.Txn(ctx).If(conditions...).Then(writes...).Else(reads...).Commit()
	if err != nil {
		return cluster.Outcome{}, outcomeOf(err)
	}
	outcome := cluster.Outcome{Done: answer.Succeeded, Revision: answer.Header.Revision}
	for i, r := range answer.Responses {
		if !answer.Succeeded {
			outcome.Found = append(outcome.Found, c.first(t.If[i].Key, r.GetResponseRange().Kvs))
		}
	}
	return outcome, nil
}

func (c *Client) write(w cluster.Write) clientv3.Op {
	if w.Value == nil {
		return clientv3.OpDelete(c.prefix + w.Key)
	}
	return clientv3.OpPut(c.prefix+w.Key, string(w.Value), clientv3.WithLease(clientv3.LeaseID(w.Lease)))
}

// outcomeOf tells a transaction that is surely not done from one that may be. Only what a server says
// about the transaction itself is sure.
func outcomeOf(err error) error {
	var said rpctypes.EtcdError
	if errors.As(rpctypes.Error(err), &said) {
		switch said.Code() {
		case codes.InvalidArgument, codes.NotFound, codes.FailedPrecondition, codes.ResourceExhausted,
			codes.PermissionDenied, codes.Unauthenticated, codes.OutOfRange:
			return leaseError(err)
		}
	}
	return fmt.Errorf("%w: %w", cluster.ErrOpen, remedied(err))
}

func leaseError(err error) error {
	if errors.Is(rpctypes.Error(err), rpctypes.ErrLeaseNotFound) {
		return fmt.Errorf("%w: %w", cluster.ErrExpired, err)
	}
	return remedied(err)
}

// Follow implements cluster.Cluster.
func (c *Client) Follow(ctx context.Context, prefix string, after int64) iter.Seq2[cluster.Changes, error] {
	return func(yield func(cluster.Changes, error) bool) {
		etcd, err := c.etcd()
		if err != nil {
			yield(cluster.Changes{}, err)
			return
		}
		// A watch of its own: signs of life are asked for on its stream.
		watching, stop := context.WithCancel(clientv3.WithRequireLeader(ctx))
		defer stop()
		// The server gives no sign of life to one who waits for a revision that is still to come, so the last
		// known one is asked for again.
		news := etcd.Watch(watching, c.prefix+prefix, clientv3.WithPrefix(), clientv3.WithRev(max(after, 1)))
		progress := time.NewTicker(progressEvery)
		defer progress.Stop()
		silent := time.NewTimer(silence)
		defer silent.Stop()
		for {
			select {
			case answer, open := <-news:
				silent.Reset(silence)
				if !c.yieldAll(answer, open, after, yield) {
					return
				}
			case <-progress.C:
				_ = etcd.RequestProgress(watching) // without an answer the silence ends it
			case <-silent.C:
				yield(cluster.Changes{}, fmt.Errorf("the cluster said nothing for %v", silence))
				return
			case <-ctx.Done():
				yield(cluster.Changes{}, context.Cause(ctx))
				return
			}
		}
	}
}

// yieldAll yields an answer's changes after a revision, those of each revision by themselves.
func (c *Client) yieldAll(answer clientv3.WatchResponse, open bool, after int64, yield func(cluster.Changes, error) bool) bool {
	err := answer.Err()
	switch {
	case errors.Is(err, rpctypes.ErrCompacted):
		return yield(cluster.Changes{}, cluster.ErrCompacted) && false
	case err != nil:
		return yield(cluster.Changes{}, remedied(err)) && false
	case !open:
		return yield(cluster.Changes{}, errors.New("the cluster ended the watch")) && false
	}
	var changes cluster.Changes
	for _, event := range answer.Events {
		if event.Kv.ModRevision <= after {
			continue
		}
		if event.Kv.ModRevision != changes.Revision {
			if changes.Entries != nil && !yield(changes, nil) {
				return false
			}
			changes = cluster.Changes{Revision: event.Kv.ModRevision}
		}
		changes.Entries = append(changes.Entries, c.entry(event.Kv))
	}
	return changes.Entries == nil || yield(changes, nil)
}

// Reached reports whether any member can be connected to, whatever it answers then.
func (c *Client) Reached(ctx context.Context) bool {
	dialer := net.Dialer{Timeout: callTime}
	for _, endpoint := range c.config.Endpoints {
		_, address, _ := strings.Cut(endpoint, "://")
		if conn, err := dialer.DialContext(ctx, "tcp", address); err == nil {
			_ = conn.Close()
			return true
		}
	}
	return false
}

// Grant implements cluster.Cluster.
func (c *Client) Grant(ctx context.Context, ttl time.Duration) (cluster.LeaseID, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	etcd, err := c.etcd()
	if err != nil {
		return 0, err
	}
	answer, err := etcd.Grant(ctx, int64(ttl/time.Second))
	if err != nil {
		return 0, remedied(err)
	}
	return cluster.LeaseID(answer.ID), nil
}

// A renewal is the stream on which a lease is renewed again and again. For each new stream etcd compares
// the user's password, which takes a small server a good part of a second.
type renewal struct {
	stream etcdserverpb.Lease_LeaseKeepAliveClient
	end    context.CancelFunc
}

// Renew implements cluster.Cluster.
func (c *Client) Renew(ctx context.Context, lease cluster.LeaseID) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	etcd, err := c.etcd()
	if err != nil {
		return err
	}
	c.renewing.Lock()
	defer c.renewing.Unlock()
	kept := c.renewal != nil
	seconds, err := c.renewOnce(ctx, etcd, lease)
	if err != nil && kept && ctx.Err() == nil { // the stream was broken
		seconds, err = c.renewOnce(ctx, etcd, lease)
	}
	if err == nil && seconds <= 0 {
		err = rpctypes.ErrLeaseNotFound
	}
	return leaseError(err)
}

// renewOnce returns the seconds that a lease has from now on. A stream without an answer is given up, so
// that no late one is taken for the next.
func (c *Client) renewOnce(ctx context.Context, etcd *clientv3.Client, lease cluster.LeaseID) (seconds int64, err error) {
	defer func() {
		if err != nil && c.renewal != nil {
			c.renewal.end()
			c.renewal = nil
		}
	}()
	if c.renewal == nil {
		if err := c.openRenewal(ctx, etcd); err != nil {
			return 0, err
		}
	}
	defer context.AfterFunc(ctx, c.renewal.end)()
	_ = c.renewal.stream.Send(&etcdserverpb.LeaseKeepAliveRequest{ID: int64(lease)}) // Recv tells why it failed
	answer, err := c.renewal.stream.Recv()
	if err != nil {
		return 0, err
	}
	return answer.TTL, nil
}

// openRenewal opens a stream that outlasts the call. It waits for a member that is away, as etcd's own calls do.
func (c *Client) openRenewal(ctx context.Context, etcd *clientv3.Client) error {
	streaming, end := context.WithCancel(context.Background())
	defer context.AfterFunc(ctx, end)()
	stream, err := etcdserverpb.NewLeaseClient(etcd.ActiveConnection()).LeaseKeepAlive(streaming, grpc.WaitForReady(true))
	if err != nil {
		end()
		return err
	}
	c.renewal = &renewal{stream, end}
	return nil
}

func (c *Client) entry(kv *mvccpb.KeyValue) cluster.Entry {
	e := cluster.Entry{Key: strings.TrimPrefix(string(kv.Key), c.prefix), Changed: kv.ModRevision}
	if kv.Version > 0 { // of a key that was removed it is 0
		e.Value = append([]byte{}, kv.Value...)
	}
	return e
}

// first is the entry of a key by an answer that may have none.
func (c *Client) first(key string, kvs []*mvccpb.KeyValue) cluster.Entry {
	if len(kvs) == 0 {
		return cluster.Entry{Key: key}
	}
	return c.entry(kvs[0])
}
