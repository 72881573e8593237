package publish

import (
	"spinsync/daemon/plan"
	"spinsync/daemon/reading"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A rest ends the work on a folder for which nothing is owed.
type rest struct {
	record *ledger
	screen *screen
	folder *reading.Folder
	texts  *describer
	views  *Views // nil at a computer alone
}

// settle records that nothing more is owed for this listing, so that the next start need not read
// it.
func (re rest) settle(s plan.Scene, last plan.Step) plan.Step {
	re.texts.logTexts()
	if last.State != status.Published || last.Action != plan.Idle || s.Facts.Snapshot.Err != nil {
		re.screen.show(last, s)
		return last
	}
	last.Cause = s.WithNotes(last.Cause, re.folder.Problems)
	if s.Facts.Texts.Partly && re.folder.TextsPass() {
		re.folder.ForgetTexts()
		last.Action, last.Until = plan.Wait, s.Now.Add(reading.UnreadPause)
		re.screen.show(last, s)
		return last
	}
	re.screen.show(last, s)
	idle := syncstate.Idle{
		Listing:  plan.FingerprintText(re.folder.Snapshot.Fingerprint),
		Settings: re.folder.Root.SettingsOf(s.Facts.Row), Newest: watcher.Newest(s.Facts.Snapshot.Frames),
	}
	if s.Facts.Rules.Fleet {
		idle.Newest = plan.NewestIn(s.Facts.Snapshot)
	}
	if s.Facts.Snapshot.Idle {
		// A folder at rest was judged by the row it had then. A newer row has only been noticed.
		idle.Settings, idle.Newest = s.Record.Idle.Settings, s.Record.Idle.Newest
	}
	if s.Record.Idle != idle || s.Record.Trouble != nil ||
		s.Record.Panics > 0 || s.Record.Wishes.Priority || s.Record.Wishes.AsIs != "" {
		err := re.record.changeWishes(func(r *syncstate.Record) {
			r.Idle, r.Trouble, r.Panics, r.Wishes.AsIs = idle, nil, 0, ""
			// An idle folder was not read since it got priority.
			r.Wishes.Priority = r.Wishes.Priority && s.Facts.Snapshot.Idle
		})
		if err != nil {
			return re.record.notRecorded(err)
		}
	}
	if !s.Facts.Snapshot.Idle { // else by a row that has only been noticed
		re.views.Believe(re.folder.Key)
	}
	re.folder.SetIdle()
	re.folder.LetGo(s.Record.Published != nil)
	return last
}
