package dashboard

import (
	"log/slog"
	"net/netip"
	"sync"
	"time"
)

const (
	// mostGuesses is how many wrong passwords an address may send in each guessSpan.
	mostGuesses = 10
	guessSpan   = time.Minute
	// mostGuessers bounds the memory.
	mostGuessers = 10_000
)

// guesses counts the wrong passwords of each address, so that a list of passwords cannot be tried.
type guesses struct {
	log *slog.Logger

	mu    sync.Mutex
	since time.Time            // when the counts began
	wrong map[netip.Prefix]int // since then
}

// judge reports whether a password is right, and how long the address has to wait when it sent too
// many wrong ones. Until then not even the right password counts, or guessing could go on.
func (g *guesses) judge(address string, right func() bool) (ok bool, wait time.Duration) {
	from, now := guesser(address), time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	if now.Sub(g.since) >= guessSpan || len(g.wrong) == mostGuessers { // so many addresses are no studio
		g.since, g.wrong = now, map[netip.Prefix]int{}
	}
	if g.wrong[from] == mostGuesses {
		return false, guessSpan - now.Sub(g.since)
	}
	if right() {
		return true, 0
	}
	if g.wrong[from]++; g.wrong[from] == mostGuesses {
		g.log.Warn("an address sent too many wrong passwords for the page, and has to wait", "address", from.Addr())
	}
	return false, 0
}

// guesser is the address of a request. One computer may have many addresses of IPv6, so its network
// stands for it. A request without an address counts as one of the address zero.
func guesser(address string) netip.Prefix {
	bits := 64
	at, _ := netip.ParseAddrPort(address)
	addr := at.Addr().Unmap()
	if addr.Is4() {
		bits = 32
	}
	network, _ := addr.Prefix(bits)
	return network
}
