package daemon

import (
	"math"
	"time"

	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// The log has one line for each event: a folder went live, needs a person, or is gone. Progress and
// pauses show in the status alone.

// headline logs a folder's new state, unless the log has it already.
func (j *job) headline(told ProductStatus) {
	if !j.board.isNews(told) {
		return
	}
	about := []any{"folder", j.key.Path}
	if j.severalRoots {
		about = append(about, "root", j.key.Root)
	}
	switch told.State {
	case Published:
		about = append(about, "frames", told.Frames.Uploaded, "revision", told.Revision)
		if !j.began.IsZero() {
			about = append(about, "upload_to_live_seconds", math.Round(10*time.Since(j.began).Seconds())/10)
		}
		j.log.Info("published", about...)
	case Attention:
		about = append(about, "reason", status.Sentence(told.Cause, j.command))
		if told.Detail != "" {
			about = append(about, "detail", told.Detail)
		}
		j.log.Warn("needs attention", about...)
	case Missing:
		j.log.Info("missing", append(about, "reason", status.Sentence(told.Cause, j.command))...)
	}
}

// isNews reports whether a folder's state differs from its newest log entry: another revision, or a
// stop for another reason.
func (b *board) isNews(told ProductStatus) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	f, ok := b.folders[told.Key()]
	if !ok {
		return false
	}
	before := f.logged
	switch told.State {
	case Published:
		f.logged = loggedOf(told)
		return told.PublishedAt != nil && before.live != *told.PublishedAt
	case Attention, Missing:
		f.logged = loggedOf(told)
		return !f.logged.stop.Same(before.stop)
	}
	return false
}

// logged is the newest log entry about a folder.
type logged struct {
	live time.Time     // when its newest revision was published
	stop *status.Cause // why it stands still; nil after a publication
}

func loggedOf(p ProductStatus) (l logged) {
	if p.PublishedAt != nil {
		l.live = *p.PublishedAt
	}
	if p.State == Attention || p.State == Missing {
		l.stop = p.Cause
	}
	return l
}

// logRush logs that a person gave a folder priority, or took it away.
func (d *Daemon) logRush(key syncstate.Folder, first bool) {
	word := "takes its turn"
	if first {
		word = "goes first"
	}
	d.log.Info(word, "folder", key.Path)
}

// logPause logs that a person paused or resumed a folder, or all.
func (d *Daemon) logPause(key syncstate.Folder, paused bool) {
	word := "resumed"
	if paused {
		word = "paused"
	}
	if key == (syncstate.Folder{}) {
		d.log.Info(word, "folder", "all")
		return
	}
	d.log.Info(word, "folder", key.Path)
}
