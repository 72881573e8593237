package apiclient

import (
	"bufio"
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/apiclient/nettest"
)

// farAway is how long a connection to the service below takes.
const farAway = 100 * time.Millisecond

// A farService is an HTTP service at the end of a far line in memory, which notes what each
// connection carried.
type farService struct {
	*nettest.Network
	server http.Server

	mu      sync.Mutex
	dialled int
	carried map[net.Conn][]string // by connection: what it carried
	open    map[net.Conn]bool
}

type connKey struct{}

// serveFar runs a service in a bubble. Looks take as long as a connection does.
func serveFar(t *testing.T) *farService {
	s := &farService{Network: nettest.New(), carried: map[net.Conn][]string{}, open: map[net.Conn]bool{}}
	s.server = http.Server{
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, conn)
		},
		ConnState: s.noteState,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			conn := r.Context().Value(connKey{}).(net.Conn)
			s.mu.Lock()
			s.carried[conn] = append(s.carried[conn], r.Method)
			s.mu.Unlock()
			if r.Method == http.MethodGet {
				time.Sleep(farAway)
				answeringJSON(`[]`)(w, r)
				return
			}
			answeringJSON(`{"uuid":"j-1","title":"Summer"}`)(w, r)
		}),
	}
	go s.server.Serve(s)
	t.Cleanup(func() { s.server.Close() })
	return s
}

func (s *farService) noteState(conn net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[conn] = state != http.StateClosed
}

func (s *farService) dial(ctx context.Context, network, address string) (net.Conn, error) {
	s.mu.Lock()
	s.dialled++
	s.mu.Unlock()
	time.Sleep(farAway)
	return s.Network.Dial(ctx, network, address)
}

// dials counts the connections that were asked for.
func (s *farService) dials() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dialled
}

// unused are the open connections that carried nothing yet.
func (s *farService) unused() (unused []net.Conn) {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	for conn, open := range s.open {
		if open && len(s.carried[conn]) == 0 {
			unused = append(unused, conn)
		}
	}
	return unused
}

func (s *farService) client(t *testing.T) *Client {
	return newClient(t, Options{BaseURL: "http://localhost", Username: testUser, DialContext: s.dial})
}

// look looks for projects, and may say that a create is likely to follow.
func look(t *testing.T, ctx context.Context, c *Client) {
	t.Helper()
	if _, err := c.Projects(ctx); err != nil {
		t.Fatal(err)
	}
}

// makeProject creates one and tells how long that took.
func makeProject(t *testing.T, c *Client) time.Duration {
	t.Helper()
	begun := time.Now()
	if _, err := c.CreateProject(t.Context(), "Summer"); err != nil {
		t.Fatal(err)
	}
	return time.Since(begun)
}

// A create after a look need not wait for its connection, and has it for itself all the same.
func TestACreateFindsItsConnectionReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serveFar(t)
		c := s.client(t)
		look(t, BeforeCreate(t.Context()), c)
		if took := makeProject(t, c); took != 0 {
			t.Errorf("it waited for %s", took)
		}
		if took := makeProject(t, c); took != farAway {
			t.Errorf("the next one took %s, and had no connection of its own to wait for", took)
		}
		look(t, t.Context(), c)
		for conn, carried := range s.carried {
			if len(carried) > 1 && carried[0] != http.MethodGet {
				t.Errorf("connection %v carried %v", conn.RemoteAddr(), carried)
			}
		}
		if got := s.dials(); got != 3 {
			t.Errorf("%d connections were made, want one for the looks and one for each create", got)
		}
	})
}

// A create that comes while its connection is still being made takes that one.
func TestACreateAwaitsItsConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serveFar(t)
		c := s.client(t)
		look(t, t.Context(), c)
		var looking sync.WaitGroup
		looking.Go(func() { look(t, BeforeCreate(t.Context()), c) })
		time.Sleep(farAway / 4)
		if took := makeProject(t, c); took != farAway*3/4 {
			t.Errorf("it took %s", took)
		}
		looking.Wait()
		if got := s.dials(); got != 2 {
			t.Errorf("%d connections were made, want 2", got)
		}
	})
}

func TestNoConnectionIsMadeAheadOfNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serveFar(t)
		c := s.client(t)
		look(t, t.Context(), c)
		if got := s.dials(); got != 1 {
			t.Errorf("%d connections were made for a look", got)
		}
		c.Breaker = closedGate{}
		if _, err := c.Projects(BeforeCreate(t.Context())); err == nil {
			t.Fatal("the gate was passed")
		}
		synctest.Wait()
		if got := s.dials(); got != 1 {
			t.Errorf("a connection was made to a host that is to be left alone")
		}
	})
}

// closedGate lets nothing through.
type closedGate struct{}

func (closedGate) Enter(string, string) error  { return errors.New("closed") }
func (closedGate) Leave(string, string, error) {}

// What no create takes is not kept, and looks that follow each other have no more than one
// connection made.
func TestAWarmConnectionIsNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serveFar(t)
		c := s.client(t)
		for range 3 {
			look(t, BeforeCreate(t.Context()), c)
		}
		if got := s.unused(); len(got) != 1 {
			t.Errorf("%d connections stand by, want 1", len(got))
		}
		time.Sleep(warmLife)
		if got := s.unused(); len(got) != 0 {
			t.Errorf("%d connections still stand by", len(got))
		}
		if took := makeProject(t, c); took != farAway {
			t.Errorf("the create took %s", took)
		}
		look(t, BeforeCreate(t.Context()), c)
		c.CloseIdle()
		if got := s.unused(); len(got) != 0 {
			t.Errorf("%d connections stand by after CloseIdle", len(got))
		}
	})
}

// A warm connection that the service closed is none: the create goes over a new one, and its
// outcome is as clear as ever.
func TestAClosedWarmConnectionIsNotUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serveFar(t)
		c := s.client(t)
		look(t, BeforeCreate(t.Context()), c)
		time.Sleep(farAway)
		for _, conn := range s.unused() {
			conn.Close()
		}
		synctest.Wait()
		if took := makeProject(t, c); took != farAway {
			t.Errorf("the create took %s, want one on a new connection", took)
		}
		creates := 0
		for _, carried := range s.carried {
			for _, method := range carried {
				if method == http.MethodPost {
					creates++
				}
			}
		}
		if creates != 1 {
			t.Errorf("the service saw %d creates", creates)
		}
	})
}

// A create that is given up before it is sent leaves no connection behind, be it that stands by or
// that is still being made.
func TestACreateThatIsGivenUpLeavesNoWarmConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serveFar(t)
		c := s.client(t)
		look(t, t.Context(), c)
		over, cancel := context.WithCancel(t.Context())
		cancel()
		for range 20 { // what is chosen of an open connection and an end is chance
			look(t, BeforeCreate(t.Context()), c)
			_, err := c.CreateProject(over, "Summer")
			if e := failure(t, err); e.MayHaveTakenEffect() {
				t.Errorf("got %v", e)
			}
		}
		if got := s.unused(); len(got) != 0 {
			t.Errorf("%d connections stand by", len(got))
		}
		var looking sync.WaitGroup
		looking.Go(func() { look(t, BeforeCreate(t.Context()), c) })
		time.Sleep(farAway / 4)
		if _, err := c.CreateProject(over, "Summer"); err == nil {
			t.Error("it was sent")
		}
		looking.Wait()
		if got := s.unused(); len(got) != 0 {
			t.Errorf("%d connections that were being made stand by", len(got))
		}
	})
}

// A service that closes the connection just as the create arrives may have heard it: nothing below
// sends it again, and the error says so.
func TestACreateOnAWarmConnectionIsNeverRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := nettest.New()
		var mu sync.Mutex
		seen := map[string]int{}
		go func() {
			for {
				conn, err := network.Accept()
				if err != nil {
					return
				}
				go func() {
					defer conn.Close()
					in := bufio.NewReader(conn)
					for {
						r, err := http.ReadRequest(in)
						if err != nil {
							return
						}
						mu.Lock()
						seen[r.Method]++
						mu.Unlock()
						if r.Method == http.MethodPost {
							return
						}
						conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]"))
					}
				}()
			}
		}()
		defer network.Close()
		c := newClient(t, Options{BaseURL: "http://localhost", Username: testUser, DialContext: network.Dial})
		look(t, BeforeCreate(t.Context()), c)
		_, err := c.CreateProject(t.Context(), "Summer")
		if e := failure(t, err); !e.MayHaveTakenEffect() || !e.Temporary() {
			t.Errorf("got %v", e)
		}
		if seen[http.MethodPost] != 1 {
			t.Errorf("the service saw %d creates", seen[http.MethodPost])
		}
	})
}
