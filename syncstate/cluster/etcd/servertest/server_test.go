package servertest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"google.golang.org/grpc"

	"spinsync/syncstate/cluster"
	"spinsync/syncstate/cluster/clustertest"
	"spinsync/syncstate/cluster/etcd"
)

// member is a server that can be closed twice.
type member struct {
	*embed.Etcd
	close func()
}

// serve starts a server of one member and returns its address.
func serve(t *testing.T, options ...func(*embed.Config)) (m member, address string) {
	t.Helper()
	cfg := embed.NewConfig()
	cfg.Dir, cfg.LogLevel = t.TempDir(), "fatal"
	local := []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}
	cfg.ListenClientUrls, cfg.ListenPeerUrls = local, local
	cfg.AdvertiseClientUrls, cfg.AdvertisePeerUrls = local, local
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	for _, option := range options {
		option(cfg)
	}
	server, err := embed.StartEtcd(cfg)
	if err != nil {
		t.Fatal(err)
	}
	closing := sync.OnceFunc(server.Close)
	t.Cleanup(closing)
	<-server.Server.ReadyNotify()
	return member{server, closing}, "http://" + server.Clients[0].Addr().String()
}

// TestUser: one who may read and write below the prefix does all that a station does, and the list of
// members needs no more.
func TestUser(t *testing.T) {
	server, address := serve(t)
	root, err := clientv3.New(clientv3.Config{Endpoints: []string{address}})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	ctx := t.Context()
	must := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(root.RoleAdd(ctx, "studio"))
	must(root.RoleGrantPermission(ctx, "studio", "/spinsync/", clientv3.GetPrefixRangeEnd("/spinsync/"),
		clientv3.PermissionType(clientv3.PermReadWrite)))
	for user, role := range map[string]string{"root": "root", "anna": "studio"} {
		must(root.UserAdd(ctx, user, "secret"))
		must(root.UserGrantRole(ctx, user, role))
	}
	must(root.AuthEnable(ctx))
	c, err := etcd.Dial(etcd.Config{Endpoints: []string{address}, Prefix: "/spinsync", Username: "anna", Password: "secret"})
	must(c, err)
	defer c.Close()
	lease, err := cluster.NewLease(ctx, c, time.Minute)
	must(lease, err)
	epoch, err := cluster.Begin(ctx, c, lease, "anna")
	must(epoch, err)
	must(epoch.Commit(ctx, cluster.Transaction{Then: []cluster.Write{{Key: "a", Value: []byte("1"), Lease: lease.ID()}}}))
	must(nil, lease.Renew(ctx))
	if all, _, err := c.List(ctx, ""); err != nil || len(all) != 3 {
		t.Errorf("it lists %v, %v", all, err)
	}
	for _, err := range c.Follow(ctx, "", 1) {
		must(nil, err)
		break
	}
	if s := c.Survey(ctx); len(s.Members) != 1 || s.Worst() != "" || s.Revision == 0 {
		t.Errorf("the survey is %+v", s)
	}
	other, err := etcd.Dial(etcd.Config{Endpoints: []string{address}, Prefix: "/spinsync", Username: "anna", Password: "wrong"})
	must(other, err)
	defer other.Close()
	if _, err := other.Read(ctx, "a"); err == nil || !strings.Contains(err.Error(), "correct username and password_file") {
		t.Errorf("a wrong password: %v", err)
	}
	elsewhere, err := etcd.Dial(etcd.Config{Endpoints: []string{address}, Prefix: "/another", Username: "anna", Password: "secret"})
	must(elsewhere, err)
	defer elsewhere.Close()
	if _, err := elsewhere.Try(ctx); err == nil || !strings.Contains(err.Error(), "readwrite") {
		t.Errorf("a change below another prefix: %v", err)
	}
	if !other.Reached(ctx) {
		t.Error("a server that refuses is not reached")
	}
	server.close()
	if other.Reached(ctx) {
		t.Error("a server that is gone is reached")
	}
}

// TestRenewalsOfAUser cost the server no comparison of the password each: that is made to take long.
func TestRenewalsOfAUser(t *testing.T) {
	var compared atomic.Int32
	count := func(ctx context.Context, call any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		if strings.HasSuffix(info.FullMethod, "/Authenticate") {
			compared.Add(1)
		}
		return next(ctx, call)
	}
	_, address := serve(t, func(c *embed.Config) {
		c.GRPCAdditionalServerOptions = []grpc.ServerOption{grpc.ChainUnaryInterceptor(count)}
	})
	must := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	root, err := clientv3.New(clientv3.Config{Endpoints: []string{address}})
	must(root, err)
	defer root.Close()
	must(root.UserAdd(t.Context(), "root", "secret"))
	must(root.UserGrantRole(t.Context(), "root", "root"))
	must(root.AuthEnable(t.Context()))
	c, err := etcd.Dial(etcd.Config{Endpoints: []string{address}, Username: "root", Password: "secret"})
	must(c, err)
	defer c.Close()
	lease, err := c.Grant(t.Context(), 2*time.Second)
	must(lease, err)
	compared.Store(0)
	for range 10 {
		must(nil, c.Renew(t.Context(), lease))
	}
	if n := compared.Load(); n > 1 { // for the stream
		t.Errorf("the password is compared %d times", n)
	}
	late, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Renew(late, lease); err == nil {
		t.Error("a renewal without time succeeds")
	}
	must(nil, c.Renew(t.Context(), lease)) // after one that came to nothing
	for err = nil; err == nil; err = c.Renew(t.Context(), lease) {
		time.Sleep(5 * time.Second)
	}
	if !errors.Is(err, cluster.ErrExpired) {
		t.Errorf("a lease that is over is renewed with %v", err)
	}
}

// TestRenewalWaitsForItsMember: one that is away for a moment, as it is started again, costs no renewal. In the time
// until the next one the lease could end.
func TestRenewalWaitsForItsMember(t *testing.T) {
	_, address := serve(t)
	line := &line{to: strings.TrimPrefix(address, "http://")}
	line.open(t, "127.0.0.1:0")
	c := dial(t, "http://"+line.at)
	lease, err := c.Grant(t.Context(), 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second one when there is no stream
		if err := c.Renew(t.Context(), lease); err != nil {
			t.Fatal(err)
		}
		line.cut()
		time.Sleep(100 * time.Millisecond)
		time.AfterFunc(time.Second, func() { line.open(t, line.at) })
		if err := c.Renew(t.Context(), lease); err != nil {
			t.Error("its member was away for a second:", err)
		}
	}
	line.cut()
}

// A line leads to a server, and can be cut.
type line struct {
	at, to string
	mu     sync.Mutex
	parts  []io.Closer
}

func (l *line) open(t *testing.T, at string) {
	listener, err := net.Listen("tcp", at)
	if err != nil {
		t.Error(err)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at, l.parts = listener.Addr().String(), append(l.parts, listener)
	go func() {
		for {
			here, err := listener.Accept()
			if err != nil {
				return
			}
			there, err := net.Dial("tcp", l.to)
			if err != nil {
				_ = here.Close()
				continue
			}
			l.mu.Lock()
			l.parts = append(l.parts, here, there)
			l.mu.Unlock()
			go func() { _, _ = io.Copy(here, there) }()
			go func() { _, _ = io.Copy(there, here) }()
		}
	}()
}

func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, part := range l.parts {
		_ = part.Close()
	}
	l.parts = nil
}

// TestSurvey finds what keeps a cluster from serving, and changes nothing.
func TestSurvey(t *testing.T) {
	_, address := serve(t, func(c *embed.Config) { c.UnsafeNoFsync, c.QuotaBackendBytes = true, 40<<20 })
	c := dial(t, address)
	writer, err := clientv3.New(clientv3.Config{Endpoints: []string{address}})
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	put := func(n int, value string) (err error) {
		for range n {
			_, e := writer.Put(t.Context(), "/spinsync/a", value)
			err = errors.Join(err, e)
		}
		return err
	}
	wants := func(what, trouble string) {
		t.Helper()
		before := c.Survey(t.Context())
		if before.Trouble != before.Worst() || (before.Trouble == "") != (trouble == "") || !strings.Contains(before.Trouble, trouble) {
			t.Errorf("%s: %+v, want %q", what, before, trouble)
		}
		if _, err := c.Try(t.Context()); err != nil && trouble == "" {
			t.Errorf("%s: %v", what, err)
		}
		if after := c.Survey(t.Context()); after.Revision != before.Revision {
			t.Errorf("%s: asking made a change", what)
		}
	}
	wants("at first", "")
	var writing sync.WaitGroup
	for range 50 {
		writing.Go(func() { _ = put(410, "1") })
	}
	writing.Wait()
	wants("never compacted", "--auto-compaction-mode=periodic")
	if _, err := writer.Compact(t.Context(), c.Survey(t.Context()).Revision); err != nil {
		t.Fatal(err)
	}
	wants("compacted", "")
	fill := func(until string) {
		t.Helper()
		for n := 0; n < 100 && !strings.Contains(c.Survey(t.Context()).Trouble, until); n++ {
			_ = put(1, strings.Repeat("1", 1<<20)) // it is refused once there is no room
		}
		wants("filled", until)
	}
	fill("of its room")
	fill("the cluster is full")
}

func dial(t *testing.T, address string) *etcd.Client {
	t.Helper()
	c, err := etcd.Dial(etcd.Config{Endpoints: []string{address}, Prefix: "/spinsync"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// pair is a real cluster and its model. Revisions differ, and are compared by their order.
type pair struct {
	real, model   cluster.Cluster
	fromReal      map[int64]int64 // revisions
	leases        [][2]cluster.LeaseID
	conditionRand *rand.Rand
}

// TestModelIsLikeTheServer does random transactions on both and compares the answers, the lists and
// what is followed.
func TestModelIsLikeTheServer(t *testing.T) {
	_, address := serve(t)
	const seed = 7
	t.Log("seed", seed)
	p := &pair{
		real: dial(t, address), model: clustertest.NewModel(),
		fromReal: map[int64]int64{0: 0}, conditionRand: rand.New(rand.NewPCG(seed, 1)),
	}
	p.grant(t)
	for range 400 {
		p.commit(t)
	}
	p.compareLists(t)
	p.compareFollowing(t)
	p.compareEarlier(t)
}

// compareEarlier reads what was there at each revision, and at one that is still to come.
func (p *pair) compareEarlier(t *testing.T) {
	t.Helper()
	for real, model := range p.fromReal {
		if real == 0 {
			continue
		}
		for i := range 5 {
			key := fmt.Sprint("key", i)
			a, errA := p.real.ReadAt(t.Context(), key, real)
			b, errB := p.model.ReadAt(t.Context(), key, model)
			if errA != nil || errB != nil {
				t.Fatal(errA, errB)
			}
			p.compareEntry(t, a, b)
		}
	}
	_, errA := p.real.ReadAt(t.Context(), "key1", 1<<40)
	_, errB := p.model.ReadAt(t.Context(), "key1", 1<<40)
	if !errors.Is(errA, cluster.ErrCompacted) || !errors.Is(errB, cluster.ErrCompacted) {
		t.Errorf("a revision to come: %v, %v", errA, errB)
	}
}

func (p *pair) grant(t *testing.T) {
	t.Helper()
	r, err := p.real.Grant(t.Context(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	m, err := p.model.Grant(t.Context(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	p.leases = append(p.leases, [2]cluster.LeaseID{}, [2]cluster.LeaseID{r, m})
}

// commit does one transaction on both. Half of its conditions hold.
func (p *pair) commit(t *testing.T) {
	t.Helper()
	ctx, r := t.Context(), p.conditionRand
	var real, model cluster.Transaction
	for i := range r.IntN(3) {
		key := fmt.Sprint("key", i+r.IntN(2)*3)
		inReal, err := p.real.Read(ctx, key)
		if err != nil {
			t.Fatal(err)
		}
		inModel, err := p.model.Read(ctx, key)
		if err != nil {
			t.Fatal(err)
		}
		p.compareEntry(t, inReal, inModel)
		off := int64(r.IntN(4) / 3)
		a := cluster.Condition{Key: key, Changed: inReal.Changed + off}
		b := cluster.Condition{Key: key, Changed: inModel.Changed + off}
		if r.IntN(2) == 0 && inReal.Value != nil {
			a.Value, b.Value = inReal.Value, inReal.Value
		}
		real.If, model.If = append(real.If, a), append(model.If, b)
	}
	for _, key := range r.Perm(5)[:1+r.IntN(3)] {
		w := cluster.Write{Key: fmt.Sprint("key", key)}
		lease := p.leases[r.IntN(len(p.leases))]
		if r.IntN(3) > 0 {
			w.Value = fmt.Append(nil, r.IntN(100))
		} else {
			lease = [2]cluster.LeaseID{}
		}
		w.Lease = lease[0]
		real.Then = append(real.Then, w)
		w.Lease = lease[1]
		model.Then = append(model.Then, w)
	}
	if again := real.Then[0]; again.Value != nil && r.IntN(20) == 0 {
		real.Then, model.Then = append(real.Then, again), append(model.Then, model.Then[0])
	}
	a, errA := p.real.Commit(ctx, real)
	b, errB := p.model.Commit(ctx, model)
	if (errA == nil) != (errB == nil) || a.Done != b.Done || len(a.Found) != len(b.Found) {
		t.Fatalf("%+v: the server answers %+v, %v, the model %+v, %v", real, a, errA, b, errB)
	}
	if a.Done {
		p.fromReal[a.Revision] = b.Revision
	}
	for i := range a.Found {
		p.compareEntry(t, a.Found[i], b.Found[i])
	}
}

func (p *pair) compareEntry(t *testing.T, real, model cluster.Entry) {
	t.Helper()
	real.Changed = p.fromReal[real.Changed]
	if !reflect.DeepEqual(real, model) {
		t.Fatalf("the server has %+v, the model %+v", real, model)
	}
}

func (p *pair) compareLists(t *testing.T) {
	t.Helper()
	real, _, err := p.real.List(t.Context(), "key")
	if err != nil {
		t.Fatal(err)
	}
	model, _, err := p.model.List(t.Context(), "key")
	if err != nil || len(real) != len(model) {
		t.Fatalf("the server lists %v, the model %v, %v", real, model, err)
	}
	for i := range real {
		p.compareEntry(t, real[i], model[i])
	}
}

func (p *pair) compareFollowing(t *testing.T) {
	t.Helper()
	real, model := followed(t, p.real, len(p.fromReal)-1), followed(t, p.model, len(p.fromReal)-1)
	if len(real) != len(model) || len(real) < 100 {
		t.Fatalf("the server had %d changes, the model %d", len(real), len(model))
	}
	for i := range real {
		if len(real[i].Entries) != len(model[i].Entries) {
			t.Fatalf("the server had the changes %+v, the model %+v", real[i], model[i])
		}
		byKey := map[string]cluster.Entry{}
		for _, e := range model[i].Entries {
			byKey[e.Key] = e
		}
		for _, e := range real[i].Entries {
			p.compareEntry(t, e, byKey[e.Key])
		}
	}
}

// followed are the first changes of a cluster that changed anything.
func followed(t *testing.T, c cluster.Cluster, most int) (all []cluster.Changes) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Second)
	defer stop()
	for changes, err := range c.Follow(ctx, "key", 1) {
		if err != nil {
			break
		}
		if all = append(all, changes); len(all) == most {
			break
		}
	}
	return all
}

// TestListOfSeveralPages is of one revision, and names it, while others write.
func TestListOfSeveralPages(t *testing.T) {
	_, address := serve(t)
	c, writer := dial(t, address), dial(t, address)
	key := func(i int) string { return fmt.Sprintf("key%04d", i) }
	write := func(ctx context.Context, keys ...int) error {
		var all []cluster.Write
		for _, i := range keys {
			all = append(all, cluster.Write{Key: key(i), Value: []byte("1")})
		}
		_, err := writer.Commit(ctx, cluster.Transaction{Then: all})
		return err
	}
	const last = 2499
	for i := range last {
		if err := write(t.Context(), i, last); err != nil {
			t.Fatal(err)
		}
	}
	writing, stop := context.WithCancel(t.Context())
	var beside sync.WaitGroup
	beside.Go(func() {
		for write(writing, 0, last) == nil {
		}
	})
	defer beside.Wait()
	defer stop()
	time.Sleep(100 * time.Millisecond)
	for range 20 {
		all, revision, err := c.List(t.Context(), "key")
		if err != nil || len(all) != last+1 {
			t.Fatalf("it lists %d, %v", len(all), err)
		}
		is, err := c.ReadAt(t.Context(), key(0), revision)
		if err != nil {
			t.Fatal(err)
		}
		if all[0].Changed != all[last].Changed || all[0].Changed != is.Changed {
			t.Fatalf("it lists revision %d, with the first key of %d and the last of %d; the first was of %d then",
				revision, all[0].Changed, all[last].Changed, is.Changed)
		}
	}
}

// TestLeaseEnds shows that a key goes with its lease, and what a transaction with such a lease gets.
func TestLeaseEnds(t *testing.T) {
	_, address := serve(t)
	c := dial(t, address)
	lease, err := c.Grant(t.Context(), 2*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	write := cluster.Transaction{Then: []cluster.Write{{Key: "key", Value: []byte("1"), Lease: lease}}}
	done, err := c.Commit(t.Context(), write)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Renew(t.Context(), lease); err != nil {
		t.Fatal(err)
	}
	for changes, err := range c.Follow(t.Context(), "key", done.Revision) {
		if err != nil || changes.Entries[0].Value != nil {
			t.Fatalf("%+v, %v: the key should go", changes, err)
		}
		break
	}
	if err := c.Renew(t.Context(), lease); !errors.Is(err, cluster.ErrExpired) {
		t.Errorf("a lease that is over is renewed with %v", err)
	}
	if _, err := c.Commit(t.Context(), write); !errors.Is(err, cluster.ErrExpired) || errors.Is(err, cluster.ErrOpen) {
		t.Errorf("a transaction with a lease that is over ends with %v", err)
	}
}

// TestCompacted shows what a station gets that was away for too long.
func TestCompacted(t *testing.T) {
	server, address := serve(t)
	c := dial(t, address)
	var revision int64
	for range 3 {
		done, err := c.Commit(t.Context(), cluster.Transaction{Then: []cluster.Write{{Key: "key", Value: []byte("1")}}})
		if err != nil {
			t.Fatal(err)
		}
		revision = done.Revision
	}
	_, err := server.Server.Compact(t.Context(), &etcdserverpb.CompactionRequest{Revision: revision})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.ReadAt(t.Context(), "key", 1); !errors.Is(err, cluster.ErrCompacted) {
		t.Errorf("what was there before ends with %v", err)
	}
	for _, err := range c.Follow(t.Context(), "", 1) {
		if !errors.Is(err, cluster.ErrCompacted) {
			t.Errorf("the changes that are gone end with %v", err)
		}
		return
	}
}

// TestQuietCluster is no cluster that is lost: who follows it from its last change hears of none, and of no
// fault, for longer than the silence that counts as one.
func TestQuietCluster(t *testing.T) {
	t.Parallel()
	_, address := serve(t)
	c := dial(t, address)
	var last int64
	for range 2 {
		done, err := c.Commit(t.Context(), cluster.Transaction{Then: []cluster.Write{{Key: "key", Value: []byte("1")}}})
		if err != nil {
			t.Fatal(err)
		}
		last = done.Revision
	}
	ctx, stop := context.WithTimeout(t.Context(), 28*time.Second)
	defer stop()
	for changes, err := range c.Follow(ctx, "", last) {
		if ctx.Err() == nil {
			t.Errorf("a quiet cluster is followed with %+v, %v", changes, err)
		}
	}
}

// TestOutcomeIsOpen shows that a transaction without an answer counts as open.
func TestOutcomeIsOpen(t *testing.T) {
	server, address := serve(t)
	c := dial(t, address)
	if _, err := c.Read(t.Context(), "key"); err != nil {
		t.Fatal(err)
	}
	server.close()
	ctx, stop := context.WithTimeout(t.Context(), time.Second)
	defer stop()
	_, err := c.Commit(ctx, cluster.Transaction{Then: []cluster.Write{{Key: "key", Value: []byte("1")}}})
	if !errors.Is(err, cluster.ErrOpen) {
		t.Errorf("a transaction without an answer ends with %v", err)
	}
}

// TestEpochOnTheServer has two stations become active one after the other.
func TestEpochOnTheServer(t *testing.T) {
	_, address := serve(t)
	anna, bert := dial(t, address), dial(t, address)
	ctx := t.Context()
	lease, err := cluster.NewLease(ctx, anna, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	first, err := cluster.Begin(ctx, anna, lease, "anna")
	if err != nil {
		t.Fatal(err)
	}
	other, err := cluster.NewLease(ctx, bert, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cluster.Begin(ctx, bert, other, "bert"); !errors.Is(err, cluster.ErrTaken) {
		t.Fatalf("a second station becomes active with %v", err)
	}
	if _, err := first.Commit(ctx, cluster.Transaction{Then: []cluster.Write{{Key: "key", Value: []byte("1")}}}); err != nil {
		t.Fatal(err)
	}
	if err := first.End(ctx); err != nil {
		t.Fatal(err)
	}
	second, err := cluster.Begin(ctx, bert, other, "bert")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.Commit(ctx, cluster.Transaction{}); !errors.Is(err, cluster.ErrLost) {
		t.Errorf("a transaction after its epoch ends with %v", err)
	}
	if counter, _ := second.Counter(); counter.N != 4 {
		t.Errorf("the counter is %d after 4 transactions", counter.N)
	}
}
