package processtest

import (
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
)

// canary is the password, which must show nowhere.
const canary = "canary-0ab4711f"

// A service is a hosting service in the test's own process.
type service struct {
	*sandbox.Server
	url   string
	spoil atomic.Pointer[func(*sandbox.Call) sandbox.Fault] // nil spoils nothing
	busy  sync.WaitGroup                                    // calls under way
	calls atomic.Int64

	mayDelete bool // folders take their products with them
}

// newService serves a sandbox behind these fronts.
func newService(t *testing.T, fronts ...func(http.Handler) http.Handler) *service {
	s := &service{}
	box, err := sandbox.New(sandbox.Options{
		Dir: t.TempDir(), Users: []sandbox.User{{Name: "studio", Password: canary, CanEdit: true}},
		Processing: 200 * time.Millisecond, Journal: true, NoSync: true, Intercept: s.intercept,
	})
	must(t, err)
	s.Server = box
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	s.url = "http://" + listener.Addr().String()
	handler := http.Handler(box)
	for _, front := range fronts {
		handler = front(handler)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.busy.Add(1)
		defer s.busy.Done()
		handler.ServeHTTP(w, r)
	})}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Close()
		<-served
		s.busy.Wait()
		must(t, box.Close())
	})
	return s
}

func (s *service) intercept(c *sandbox.Call) sandbox.Fault {
	s.calls.Add(1)
	if spoil := s.spoil.Load(); spoil != nil {
		return (*spoil)(c)
	}
	return sandbox.Fault{}
}

// effects counts the effects of a kind so far.
func (s *service) effects(t *testing.T, effect sandbox.Effect) (n int) {
	t.Helper()
	journal, err := s.Journal()
	must(t, err)
	for _, e := range journal {
		if e.Effect == effect {
			n++
		}
	}
	return n
}

func (s *service) heal() { s.spoil.Store(nil) }

// loseAnswers spoils one call in so many, in all the ways that leave open whether it was served.
func (s *service) loseAnswers(random *rand.Rand, oneIn int) {
	var mu sync.Mutex
	spoil := func(c *sandbox.Call) sandbox.Fault {
		mu.Lock()
		defer mu.Unlock()
		if random.IntN(oneIn) > 0 {
			return sandbox.Fault{}
		}
		switch random.IntN(7) {
		case 0:
			return sandbox.Fault{DropBefore: true}
		case 1:
			return sandbox.Fault{CutBody: 1 + random.IntN(40)}
		case 2:
			return sandbox.Fault{Status: http.StatusBadGateway, Process: true, Body: "<html>bad gateway</html>"}
		case 3:
			return sandbox.Fault{Status: http.StatusOK, Process: true, Body: "<html>please log in</html>"}
		case 4:
			return sandbox.Fault{Delay: time.Duration(random.IntN(500)) * time.Millisecond}
		}
		return sandbox.Fault{DropAfter: true}
	}
	s.spoil.Store(&spoil)
}
