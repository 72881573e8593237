package reading

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"sync"

	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// Marks name in a file the folders that are being read, for the next process: what a folder holds may
// end this one, and would end each that follows. A folder during whose reading two processes in a row
// died is left to a person. One during whose reading a process died is read while no other such of its
// root is, so that it is known which of them it was.
//
// The file is written for each reading, and is not waited for: it outlasts the process, and need not
// outlast a power failure.
type Marks struct {
	path string
	boot string // of the machine; empty where that is not known

	mu     sync.Mutex
	marked map[syncstate.Folder]mark // nil before Open
	lonely map[string]chan struct{}  // by root: held by the one suspect that is read
}

// A mark is what is known of a folder.
type mark struct {
	Listing watcher.Fingerprint
	Deaths  int  // of processes, one after the other, that read this listing
	Reading bool // this process reads it
}

// marksFile is the content of the file. Names are bytes, and need not be the text that JSON wants.
type marksFile struct {
	Boot  string
	Marks []namedMark
}

type namedMark struct {
	Root, Path []byte
	mark
}

// mostDeaths is how many processes may die over a folder.
const mostDeaths = 2

// NewMarks are marks in a file. Nothing is marked before Open.
func NewMarks(path string) *Marks {
	return &Marks{path: path, boot: bootID(), lonely: map[string]chan struct{}{}}
}

// Open reads the marks of the process before. A machine that was started since has none.
func (m *Marks) Open() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.marked = map[syncstate.Folder]mark{}
	var before marksFile
	data, err := os.ReadFile(m.path)
	if err != nil || json.Unmarshal(data, &before) != nil || before.Boot != m.boot {
		return
	}
	for _, was := range before.Marks {
		if was.Reading {
			was.Deaths, was.Reading = was.Deaths+1, false
		}
		m.marked[syncstate.Folder{Root: string(was.Root), Path: string(was.Path)}] = was.mark
	}
}

// bootID identifies one start of a Linux machine.
func bootID() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}

// errDeadly is for a folder that is left to a person.
var errDeadly = outcome.Person(status.Because(status.Deadly))

// begin marks a folder that is about to be read. Whoever read it to an end calls done.
func (m *Marks) begin(ctx context.Context, key syncstate.Folder, listing watcher.Fingerprint) (done func(), err error) {
	deaths, lonely, open := m.suspicion(key, listing)
	switch {
	case !open:
		return func() {}, nil
	case deaths >= mostDeaths:
		return nil, errDeadly
	case deaths > 0:
		select {
		case lonely <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	m.note(func() { m.marked[key] = mark{listing, deaths, true} })
	return func() {
		m.forget(key)
		if deaths > 0 {
			<-lonely
		}
	}, nil
}

// suspicion is how many processes died over a folder, and what the one suspect of its root holds that
// is read. A suspect on a drive that hangs does not hold up another root.
func (m *Marks) suspicion(key syncstate.Folder, listing watcher.Fingerprint) (deaths int, lonely chan struct{}, open bool) {
	if m == nil {
		return 0, nil, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lonely[key.Root] == nil {
		m.lonely[key.Root] = make(chan struct{}, 1)
	}
	if was := m.marked[key]; was.Listing == listing {
		deaths = was.Deaths
	}
	return deaths, m.lonely[key.Root], m.marked != nil
}

// forget drops the mark of a folder.
func (m *Marks) forget(key syncstate.Folder) {
	if m != nil {
		m.note(func() { delete(m.marked, key) })
	}
}

// End is for a process that ends as it should: what it reads still is not why.
func (m *Marks) End() {
	m.note(func() {
		for key, is := range m.marked {
			if is.Reading {
				delete(m.marked, key)
			}
		}
	})
}

// note changes the marks, and the file with them. What cannot be written is not missed, but where a
// folder ends the process.
func (m *Marks) note(change func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.marked == nil {
		return
	}
	change()
	if len(m.marked) == 0 {
		_ = os.Remove(m.path)
		return
	}
	now := marksFile{Boot: m.boot}
	for key, is := range m.marked {
		now.Marks = append(now.Marks, namedMark{[]byte(key.Root), []byte(key.Path), is})
	}
	if data, err := json.Marshal(now); err == nil {
		_ = os.WriteFile(m.path, data, 0o600)
	}
}
