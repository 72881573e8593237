// Package rootlock keeps two programs with state files of their own from publishing one watched
// folder on one computer, or a folder and one below it: each would make every product, and they
// would take turns replacing the images. Call Lock.Take for each folder before publishing it.
//
// A lock is a name that the whole computer shares, never a file below the folder, and ends with the
// process that holds it, however that ends. Of each folder two names are held, that of its path and
// that of the directory itself, which is the same for all spellings, links and mounts of it. A
// program whose folder lies below one that is held gives way: it checks the folders above before its
// start and at each survey of the folder. Then it also checks whether its locks are still the ones
// that others find.
//
// A folder that is missing when the program starts is known by its path alone. A folder on a
// network drive can still be watched by another computer, or by way of another mount of the share
// that has a device number of its own; a container has names of its own.
package rootlock

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
)

var (
	// ErrHeld is in the error of Take for a folder that another program publishes, or that lies
	// below one.
	ErrHeld = errors.New("published by another program with a state file of its own")
	// ErrTwice is in the error of Take for a folder that was taken before, or that lies above or
	// below a folder taken before.
	ErrTwice = errors.New("each folder can be watched once")
)

// A Lock is on the folders that were taken.
type Lock struct {
	State string // path of the state file, which others see
	// Fleet is that of the program; empty for none. Programs of one fleet may have the same folders,
	// since they take turns.
	Fleet string

	mu     sync.Mutex // a check may outlast the watcher, where a drive does not answer
	places []place
	held   []heldName
}

// A heldName is a name that this program holds.
type heldName struct {
	name, folder string
	release      func() error
	lost         func() bool // whether others can hold the name too; nil = never
	mate         bool        // a program of the same fleet holds it
}

// Take locks a folder, which need not be there. It returns ErrHeld or ErrTwice for a folder that
// may not be published, and another error when the system has no way to know.
func (l *Lock) Take(folder string) error {
	p := placeOf(folder, ask)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.twice(p); err != nil {
		return err
	}
	l.places = append(l.places, p)
	for _, name := range p.names() {
		h, _, err := l.hold(name, folder)
		if err != nil {
			return err
		}
		l.held = append(l.held, h)
	}
	// Names are taken before the folders above are checked: of two programs that start at the same
	// time each finds the other.
	return l.heldAbove(p)
}

// Check returns ErrHeld when another program publishes a folder that was taken, or a directory above
// it, because the system lost the lock. It looks the directories up again, since links and mounts
// change.
func (l *Lock) Check(folder string) error {
	p := placeOf(folder, ask)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.regain(); err != nil {
		return err
	}
	return l.heldAbove(p)
}

// regain holds the names that were lost. One that cannot be held now is tried again at the next
// check.
func (l *Lock) regain() error {
	for i, h := range l.held {
		if h.lost == nil || !h.lost() {
			continue
		}
		again, by, err := l.hold(h.name, h.folder)
		if h.mate && by == (holder{}) && errors.Is(err, ErrHeld) {
			return nil // the other program of the fleet is stopped, and says nothing; neither would it about its other names
		}
		if errors.Is(err, ErrHeld) {
			return err
		}
		if err == nil {
			_ = h.release()
			l.held[i] = again
		}
	}
	return nil
}

func (l *Lock) hold(name, folder string) (h heldName, by holder, err error) {
	h, by, err = hold(name, holder{PID: os.Getpid(), State: l.State, Fleet: l.Fleet})
	h.name, h.folder = name, folder
	if errors.Is(err, ErrHeld) && l.Fleet != "" && by.Fleet == l.Fleet { // until that program ends
		h.release, h.lost, h.mate = func() error { return nil }, func() bool { return true }, true
		return h, by, nil
	}
	if errors.Is(err, ErrHeld) {
		return h, by, heldBy(folder, by)
	}
	if err != nil {
		return h, by, fmt.Errorf("lock %s: %w", folder, err)
	}
	return h, by, nil
}

// Held returns ErrHeld if another program publishes a folder, as Take would for one of a fleet, else nil. It
// takes nothing.
func Held(folder, fleet string) error {
	p := placeOf(folder, ask)
	for _, name := range p.names() {
		if by, held := find(name); held && (fleet == "" || by.Fleet != fleet) {
			return heldBy(folder, by)
		}
	}
	return new(Lock).heldAbove(p)
}

func heldBy(folder string, by holder) error {
	return fmt.Errorf("%s is %w%s; stop that one, or remove the folder from one of the two", folder, ErrHeld, by)
}

func (l *Lock) heldAbove(p place) error {
	for _, dir := range p.above {
		if slices.ContainsFunc(l.places, func(own place) bool { return own.id == dir.id }) {
			continue
		}
		if by, held := find("id-" + dir.id); held {
			return fmt.Errorf("%s lies below %s, which is %w%s; stop that one, or remove one of the two folders",
				p.folder, dir.path, ErrHeld, by)
		}
	}
	return nil
}

// twice finds a folder of this Lock that shares directories with another one.
func (l *Lock) twice(p place) error {
	for _, other := range l.places {
		switch {
		case p.real == other.real, p.id != "" && p.id == other.id:
			return fmt.Errorf("%s and %s are the same folder; %w", other.folder, p.folder, ErrTwice)
		case p.below(other):
			return fmt.Errorf("%s lies below %s; %w", p.folder, other.folder, ErrTwice)
		case other.below(p):
			return fmt.Errorf("%s lies below %s; %w", other.folder, p.folder, ErrTwice)
		}
	}
	return nil
}

// Release gives all folders free.
func (l *Lock) Release() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var errs []error
	for _, h := range l.held {
		errs = append(errs, h.release())
	}
	l.places, l.held = nil, nil
	return errors.Join(errs...)
}

// systemName is how the system knows a name of ours.
func systemName(name string) string {
	sum := sha256.Sum256([]byte(name))
	return "spinsync-root-" + hex.EncodeToString(sum[:12])
}

// A holder is the program that holds a name, as far as it is known. Do not trust its own words: any
// program may hold a name of this kind.
type holder struct {
	PID   int    `json:"pid,omitempty"`
	State string `json:"state"`
	Fleet string `json:"fleet,omitempty"`
}

// cardSize bounds the card that is read from a holder, in bytes.
const cardSize = 16 << 10

func (h holder) card() []byte {
	card, err := json.Marshal(h)
	if err != nil {
		panic(err) // a number and texts
	}
	return card
}

// readCard returns an empty holder when the card cannot be read.
func readCard(card []byte) (h holder) {
	_ = json.Unmarshal(card, &h)
	return h
}

func (h holder) String() string {
	var known []string
	if h.PID > 0 {
		known = append(known, fmt.Sprintf("process %d", h.PID))
	}
	if h.State != "" {
		known = append(known, fmt.Sprintf("state file %q", h.State))
	}
	if len(known) == 0 {
		return ""
	}
	return " (" + strings.Join(known, ", ") + ")"
}
