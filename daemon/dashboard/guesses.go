package dashboard

import (
	"log/slog"
	"net/netip"
	"slices"
	"sync"
	"time"
)

const (
	// mostGuesses is how many wrong passwords an address may send within a guessSpan.
	mostGuesses = 10
	guessSpan   = time.Minute
	// mostGuessers bounds the memory.
	mostGuessers = 10_000
)

// guesses counts the wrong passwords of each address, so that a list of passwords cannot be tried.
type guesses struct {
	log *slog.Logger

	mu sync.Mutex
	of map[netip.Prefix][]time.Time // wrong passwords within the guessSpan, the oldest first
}

// judge reports whether a password is right, and how long the address has to wait when it sent too
// many wrong ones. Until then not even the right password counts, or guessing could go on.
func (g *guesses) judge(address string, right func() bool) (ok bool, wait time.Duration) {
	from, now := guesser(address), time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	if wrong := g.of[from]; len(wrong) == mostGuesses {
		if wait := guessSpan - now.Sub(wrong[0]); wait > 0 {
			return false, wait
		}
	}
	if right() {
		return true, 0
	}
	g.note(from, now)
	return false, 0
}

func (g *guesses) note(from netip.Prefix, now time.Time) {
	if _, known := g.of[from]; !known && len(g.of) >= mostGuessers {
		g.forgetOld(now)
	}
	wrong := slices.DeleteFunc(g.of[from], func(t time.Time) bool { return now.Sub(t) >= guessSpan })
	g.of[from] = append(wrong, now)
	if len(g.of[from]) == mostGuesses {
		g.log.Warn("an address sent too many wrong passwords for the page, and has to wait", "address", from.Addr())
	}
}

// forgetOld drops the addresses that need not wait. When all of them have to, it drops them too: so
// many addresses are no studio.
func (g *guesses) forgetOld(now time.Time) {
	for from, wrong := range g.of {
		if now.Sub(wrong[len(wrong)-1]) >= guessSpan {
			delete(g.of, from)
		}
	}
	if len(g.of) >= mostGuessers {
		clear(g.of)
	}
}

// guesser is the address of a request. One computer may have many addresses of IPv6, so its network
// stands for it. A request without an address counts as one of the address zero.
func guesser(address string) netip.Prefix {
	bits := 64
	at, _ := netip.ParseAddrPort(address)
	addr := at.Addr().Unmap().WithZone("")
	if addr.Is4() {
		bits = 32
	}
	network, _ := addr.Prefix(bits)
	return network
}
