package dashboard

import (
	"slices"
	"strings"
	"time"

	"spinsync/daemon/status"
)

// A verdict is the whole in one word, and in a sentence.
type verdict struct {
	Word     string
	Tone     tone
	Sentence string
	Detail   string // the technical cause, or ""
}

// A tone is the colour of a word. Colour adds nothing to the words.
type tone string

const (
	bad   tone = "bad"   // a person is needed
	warn  tone = "warn"  // it goes on by itself, but not well
	busy  tone = "busy"  // work is under way
	good  tone = "good"  // done
	quiet tone = "quiet" // nothing to do
)

// verdict is the worst of the verdicts.
func (m *moment) verdict() verdict { return m.verdicts()[0] }

// verdicts are all verdicts that hold, the worst first: troubles that hold up everything, folders
// that need a person, work under way. If no other verdict holds, the only one is idle.
func (m *moment) verdicts() (all []verdict) {
	add := func(word string, t tone, sentence string) {
		all = append(all, verdict{Word: word, Tone: t, Sentence: sentence})
	}
	s, c := m.status, m.sure
	if s.StateFile != "" {
		add("Stopped", bad, sentence(s.StateFile))
	}
	if away := s.OfflineRoots(); len(away) > 0 {
		add("Offline", bad, sentence(strings.Join(away, "; ")))
	}
	if f := s.Fleet; f != nil && f.Trouble != "" {
		add("Waiting", warn, sentence(f.Line()))
	} else if f != nil && f.Cluster != "" {
		add("Attention", bad, sentence(f.Cluster))
	}
	if s.Service.Trouble != "" {
		word := "Waiting"
		if s.Service.State == status.Attention {
			word = "Attention"
		}
		all = append(all, verdict{word, toneOf(s.Service.State), sentence(s.Service.Trouble), s.Service.Detail})
	}
	if s.Fleet != nil && s.Fleet.Differs != nil {
		add("Attention", bad, sentence(s.Fleet.OtherSettings()))
	}
	if s.Paused {
		add("Paused", quiet, m.paused())
	}
	if n := c[status.Attention]; n > 0 {
		add("Attention", bad, counted(n, "folder needs", "folders need")+" attention")
	}
	switch f := s.Fleet; { // only the active station knows more
	case f == nil || !f.IsStandby():
	case f.Trouble != "":
		return all
	default:
		return append(all, m.standingBy())
	}
	if m.comparing > 0 {
		add("Comparing", busy, foldersAre(m.comparing, "compared with the service"))
	}
	if n := c[status.Uploading] + c[status.Processing] + c[status.Queued]; n > 0 {
		add("Publishing", busy, m.onTheWay(n))
	}
	if n := c[status.Retrying]; n > 0 {
		add("Retrying", warn, foldersAre(n, "tried again soon"))
	}
	if n := m.unsureOfShare(); n > 0 {
		add("Starting", busy, counted(n, "folder waits", "folders wait")+" up to 90s, until the share surely shows what is there")
	}
	if n := m.collecting(); n > 0 {
		add("Collecting", busy, foldersAre(n, "not complete yet"))
	}
	if all == nil {
		add(m.idle())
	}
	return all
}

// standingBy is the verdict at a standby of a fleet, which knows what is published.
func (m *moment) standingBy() verdict {
	live := counted(m.counts[status.Published], "view is", "views are") + " live"
	if active := m.status.Fleet.Active; active != "" {
		return verdict{Word: "Standby", Tone: quiet, Sentence: "Station " + active + " shows what needs a person; " + live}
	}
	return verdict{Word: "Standby", Tone: warn, Sentence: "No station publishes at present; " + live}
}

// readOnly reports whether a page offers no verbs: a person wants none there, or a standby would refuse them.
func (m *moment) readOnly(wanted bool) bool {
	return wanted || m.status.Fleet != nil && m.status.Fleet.IsStandby()
}

// unsureOfShare counts the folders that an active station of a fleet does not act on yet. Most have all their
// frames, and many are live.
func (m *moment) unsureOfShare() (n int) {
	for _, p := range m.status.Products {
		if p.State == status.Collecting && p.Cause.Is(status.ViewSettles) {
			n++
		}
	}
	return n
}

// notArriving are the reasons of folders that have no frame, or of which it is not known how many are missing.
var notArriving = []status.Kind{status.ViewSettles, status.NotSeen, status.NoFrames, status.NoFramesLeft, status.NoneTaken}

// collecting counts the folders that have frames, and not all of them.
func (m *moment) collecting() (n int) {
	for _, p := range m.status.Products {
		if p.State == status.Collecting && !p.IsBeingCompared() && !slices.ContainsFunc(notArriving, p.Cause.Is) {
			n++
		}
	}
	return n
}

// idle is the verdict while the daemon is idle.
func (m *moment) idle() (word string, t tone, sentence string) {
	c := m.counts
	switch {
	case c[status.Published] > 0:
		return "Published", good, m.allLive()
	case !m.allRead():
		return "Starting", quiet, "The folders are being read"
	case c[status.Paused] > 0:
		return "Paused", quiet, foldersAre(c[status.Paused], "paused")
	case c[status.Missing] > 0:
		return "Ready", quiet, foldersAre(c[status.Missing], "gone; what was published is kept")
	}
	return "Ready", quiet, "Put the photos of a product into a folder, and its view appears here"
}

// foldersAre is a sentence about n folders that have something in common.
func foldersAre(n int, what string) string {
	return counted(n, "folder is", "folders are") + " " + what
}

// paused is for a pause of everything, which breaks off no frame.
func (m *moment) paused() string {
	sending := 0
	for p := range m.products() {
		sending += p.Sending
	}
	if sending == 0 {
		return "Nothing new is published"
	}
	return "Nothing new is published, " + counted(sending, "frame is", "frames are") + " still on the way"
}

func (m *moment) onTheWay(n int) string {
	text := counted(n, "view is", "views are") + " on the way"
	if sending := m.sending(); sending.Total > 0 {
		text += ", " + sending.Text()
	}
	return text
}

// sending sums up the transfers of all folders that upload or wait for their upload.
func (m *moment) sending() transfer {
	all := transfer{Rate: m.rate()}
	for p := range m.products() {
		if p.State == status.Uploading || p.State == status.Queued {
			all.Sent += min(p.SentBytes, p.TotalBytes)
			all.Total += p.TotalBytes
		}
	}
	return all
}

// A transfer is how far an upload has come.
type transfer struct {
	Sent, Total int64   // bytes
	Rate        float64 // bytes a second
}

// Text has the bytes, the rate and the remaining time, as far as they are known.
func (t transfer) Text() string {
	text := status.Size(t.Sent) + " of " + status.Size(t.Total)
	if t.Rate > 0 {
		text += ", " + status.Size(int64(t.Rate)) + "/s"
		if left := time.Duration(float64(t.Total-t.Sent) / t.Rate * float64(time.Second)); left > 5*time.Second {
			text += ", about " + roughly(left) + " left"
		}
	}
	return text
}

func (m *moment) allLive() string {
	n := m.counts[status.Published]
	text := "All " + counted(n, "view is", "views are") + " live"
	if n == 1 {
		text = "The view is live"
	}
	if rest := m.counts[status.Paused]; rest > 0 {
		text += ", " + foldersAre(rest, "paused")
	}
	return text
}

func (m *moment) allRead() bool {
	for _, r := range m.status.Roots {
		if r.LastRead.IsZero() {
			return false
		}
	}
	return true
}
