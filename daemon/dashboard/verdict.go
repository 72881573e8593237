package dashboard

import (
	"strings"
	"time"

	"spinsync/daemon"
)

// A verdict is the whole in one word, with a sentence that says more.
type verdict struct {
	Word     string
	Tone     tone
	Sentence string
}

// A tone is the colour of a word. Colour never tells anything that the words do not.
type tone string

const (
	bad   tone = "bad"   // a person is needed
	warn  tone = "warn"  // it goes on by itself, but not well
	busy  tone = "busy"  // work is under way
	good  tone = "good"  // done
	quiet tone = "quiet" // nothing to do
)

// verdict judges the most urgent thing first.
func (m *moment) verdict() verdict {
	c := m.counts
	onTheWay := c[daemon.Uploading] + c[daemon.Processing] + c[daemon.Queued]
	switch {
	case m.status.StateFile != "":
		return verdict{"Stopped", bad, sentence(m.status.StateFile)}
	case c[daemon.Attention] > 0:
		return verdict{"Attention", bad, m.needPerson(c[daemon.Attention])}
	case m.offlineRoots() != "":
		return verdict{"Offline", bad, m.offlineRoots()}
	case m.status.Paused:
		return verdict{"Paused", quiet, m.atRest()}
	case m.status.Service.Trouble != "":
		return verdict{"Waiting", warn, sentence(m.status.Service.Trouble)}
	case onTheWay > 0:
		return verdict{"Publishing", busy, m.onTheWay(onTheWay)}
	case c[daemon.Retrying] > 0:
		return verdict{"Retrying", warn, counted(c[daemon.Retrying], "folder is", "folders are") + " tried again soon"}
	case c[daemon.Collecting] > 0:
		return verdict{"Shooting", busy, "Frames are arriving in " + counted(c[daemon.Collecting], "folder", "folders")}
	case c[daemon.Published] > 0:
		return verdict{"Live", good, m.allLive()}
	case !m.allRead():
		return verdict{"Starting", quiet, "The folders are being read"}
	case c[daemon.Paused] > 0:
		return verdict{"Paused", quiet, counted(c[daemon.Paused], "folder is", "folders are") + " paused"}
	case c[daemon.Missing] > 0:
		return verdict{"Ready", quiet, counted(c[daemon.Missing], "folder is gone; what was published is kept", "folders are gone; what was published is kept")}
	}
	return verdict{"Ready", quiet, "Put the photos of a product into a folder, and its view appears here"}
}

// needPerson counts the folders, and names the root that is away beside them: nothing of it goes on.
func (m *moment) needPerson(folders int) string {
	text := counted(folders, "folder needs", "folders need") + " a person"
	if away := m.offlineRoots(); away != "" {
		return text + "; " + away
	}
	return text
}

// atRest is for a pause of everything, which breaks off no frame.
func (m *moment) atRest() string {
	sending := 0
	for p := range m.products() {
		sending += p.Sending
	}
	if sending == 0 {
		return "Nothing is published"
	}
	return "Nothing is published, " + counted(sending, "frame is", "frames are") + " still on the way"
}

func (m *moment) onTheWay(n int) string {
	text := counted(n, "view is", "views are") + " on the way"
	if rate := m.rate(); rate > 0 {
		text += ", " + bytesText(int64(rate)) + "/s"
		if left := time.Duration(float64(m.unsent()) / rate * float64(time.Second)); left > 5*time.Second {
			text += ", about " + roughly(left)
		}
	}
	return text
}

// unsent is how many bytes the folders on their way still have to send, as far as it is known.
func (m *moment) unsent() (sum int64) {
	for p := range m.products() {
		if p.State == daemon.Uploading || p.State == daemon.Queued {
			sum += max(0, p.TotalBytes-p.SentBytes)
		}
	}
	return sum
}

func (m *moment) allLive() string {
	n := m.counts[daemon.Published]
	text := "All " + counted(n, "view is", "views are") + " live"
	if n == 1 {
		text = "The view is live"
	}
	if rest := m.counts[daemon.Paused]; rest > 0 {
		return text + ", " + counted(rest, "folder is", "folders are") + " paused"
	}
	return text
}

// offlineRoots says which roots cannot be read, or "".
func (m *moment) offlineRoots() string {
	var away []string
	for _, r := range m.status.Roots {
		if r.Offline() {
			away = append(away, r.Path+" "+r.Reason)
		}
	}
	return strings.Join(away, "; ")
}

func (m *moment) allRead() bool {
	for _, r := range m.status.Roots {
		if r.LastRead.IsZero() {
			return false
		}
	}
	return true
}
