package plan_test

import (
	"errors"
	"testing"
	"time"

	"spinsync/daemon/alttext"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/products"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// TestWhatGoesFirst: of several things that a folder is owed, one at a time is done, in this order.
func TestWhatGoesFirst(t *testing.T) {
	verify := func(s *plan.Scene) { s.Record.Wishes.Verify = true }
	asleep := func(s *plan.Scene) { s.Record.Counts.Expected = 5 }
	unreadable := func(s *plan.Scene) { s.Facts.Snapshot.Err = errors.New("input/output error") }
	unidentified := func(s *plan.Scene) { s.Facts.Unidentified = errors.New("product.toml: line 1") }
	polledUntil := func(at time.Time) func(*plan.Scene) {
		return func(s *plan.Scene) { s.Record.Run.Looks.Next = at }
	}
	deleted := func(s *plan.Scene) { s.Record.Absence.DeleteSent = plantest.Noon }
	const clears = "clear absence: collecting, back"
	const verifies = "verify: processing, looking for view"
	rows{
		"published":                        {view(), "idle: published"},
		"published, and idle":              {view(idle), "idle: published"},
		"published, and changed just now":  {view(changed(0)), "idle: published"},
		"a published video":                {plantest.With(plantest.Published(fresh(0, adds("turn.mp4"))), turn(36)), "idle: published"},
		"of another number":                {view(idle, asleep), "idle: published, other number, 3 of 5"},
		"of another number by its frames":  {view(asleep, turn(4)), "idle: published, other number, 3 of 4"},
		"idle, with a wish":                {view(idle, verify), "idle: published"},
		"idle, and of another title":       {view(idle, titled), "idle: published"},
		"idle, and never published":        {fresh(3, idle), "idle: collecting, no frames"},
		"idle, with a run":                 {view(idle, running(syncstate.FormWanted)), "idle: collecting, no frames left"},
		"to be looked for":                 {view(verify), verifies},
		"to be looked for, and shot again": {view(verify, reshot(0)), verifies},
		"to be looked for, with a run":     {view(verify, running(syncstate.Sending)), "finish: uploading, all sent, 01, 02, 03"},
		"to be looked for, and no view":    {fresh(3, verify), "find project: uploading, finding project"},
		"unreadable":                       {view(verify, unreadable), "idle: retrying, unreadable"},
		"unreadable after a delete":        {view(deleted, unreadable), "idle: retrying, unreadable"},
		"deleted":                          {view(verify, deleted), "confirm delete: processing, back, seeking view"},
		"deleted, and idle":                {view(idle, deleted), "confirm delete: processing, back, seeking view"},
		"deleted, and not identified":      {view(unidentified, deleted), "confirm delete: processing, back, seeking view"},
		"not identified":                   {view(verify, unidentified), "idle: attention, mistake"},
		"on a drive that is away": {view(func(s *plan.Scene) {
			s.Facts.Snapshot.Err = &watcher.MountError{Dir: "/shoots", Why: "lacks its drive"}
		}),
			"idle: retrying, drive away"},
		"back, verified while it was gone": {view(verified), clears},
		"back, asked about":                {view(asked(syncstate.RemovalAsked)), clears},
		"back, asked about at once":        {view(func(s *plan.Scene) { s.Record.Absence.Removal = syncstate.RemovalAsked }), clears},
		"published, and its root away":     {view(offline), "idle: published"},
		"below a root that is away":        {view(offline, titled), "wait: retrying, root offline, until 10s, due 10s"},
		"finishing, and moving":            {fresh(3, running(syncstate.Finishing), moves(0)), "confirm finish: processing, processing, 3 of 0"},
		"finished":                         {fresh(3, running(syncstate.Processing)), "poll: processing, processing, 3 of 0"},
		"finished, and polled":             {fresh(3, running(syncstate.Processing), polledUntil(plantest.Noon.Add(time.Second))), "wait: processing, processing, 3 of 0, until 1s, due 1s"},
		"finished, by a clock of later":    {fresh(3, running(syncstate.Processing), polledUntil(plantest.Noon.AddDate(10, 0, 0))), "poll: processing, processing, 3 of 0"},
		"processed":                        {fresh(3, running(syncstate.Collecting)), "collect: processing, processing, 3 of 0"},
		"finished, and gone":               {view(running(syncstate.Processing), gone(1)), "poll: processing, processing, 3 of 0"},
		"sending, and gone":                {view(running(syncstate.Sending), gone(1), lookedFor(0)), "wait: missing, gone with view, until 24h0m0s, due 24h0m0s"},

		"shot again":                 {view(reshot(1)), "reupload: uploading, reuploading, 3 images"},
		"touched":                    {view(reshot(1), unread, read(1)), "wait: collecting, comparing, 1 of 0, reads 02, digest"},
		"touched, blind":             {view(reshot(1), unread, read(1), blind), cannotRead},
		"of another title and texts": {view(titled, textless), "update: processing, updating fields"},
		"with another intent":        {view(textless, func(s *plan.Scene) { s.Record.Updating = true }), "update: processing, updating fields"},
		"with texts to read":         {view(textless), "wait: processing, reading texts, reads 01, reads 02, reads 03, texts"},
		"with texts to read, blind":  {view(textless, blind), cannotRead},
		"with texts of the folder":   {view(func(s *plan.Scene) { s.Facts.Texts.Said = alttext.Texts{"frame_01.jpg": {"en": {Value: "A shoe"}}} }), "describe: processing, setting texts, 1 of 0"},
		"with texts to set":          {view(intended), "describe: processing, setting texts, 1 of 0"},

		"to be created": {fresh(3, func(s *plan.Scene) {
			s.Record.Project = syncstate.Project{UUID: "project", Title: s.Facts.Wanted.Project}
		}), "create: uploading, creating, 3 images"},
		"in another project":  {fresh(3, func(s *plan.Scene) { s.Record.Project = syncstate.Project{UUID: "project", Title: "Sumer"} }), "find project: uploading, finding project"},
		"created":             {fresh(3, func(s *plan.Scene) { s.Record.Product.UUID = "product" }), "reupload: uploading, reuploading, 3 images"},
		"with a form of four": {plantest.Running(plantest.AScene(3), 3, 4), "reupload: uploading, reuploading, 3 images"},
		"with a form of four of five": {plantest.With(plantest.Running(plantest.AScene(3), 2, 4), turn(5), changed(0)),
			"upload: uploading, sending, 2 of 5, 03"},
		"unchecked":                   {plantest.With(plantest.Running(plantest.AScene(3), 2, 3), unchecked), "confirm run: uploading, checking upload"},
		"unchecked, and without form": {fresh(3, running(syncstate.FormWanted), unchecked), "reupload: uploading, reuploading, 3 images"},
		"unchecked, and none begun":   {fresh(3, unchecked), "find project: uploading, finding project"},
		"doubted":                     {view(doubted), "reconcile: processing, looking at view"},
		"doubted, one new":            {fresh(3, doubted), "reconcile: processing, looking at view"},
		"doubted, and moving":         {view(doubted, moves(0), reshot(1), changed(0)), "wait: collecting, unsettled, 1 parts, quiet at 30s"},
		"doubted, and seen again":     {view(doubted, notSeenStill), "wait: collecting, unsettled, 3 parts, quiet at -59m30s"},
		"found, and one of 36":        {fresh(1, doubted, turn(36), changed(0), func(s *plan.Scene) { s.Record.Product.UUID = "found" }), "wait: collecting, awaits rest, 1 of 36, until 30s, quiet at 30s, due 30s"},
		"doubted, and too few":        {fresh(3, doubted, turn(4)), "reconcile: processing, looking at view"},
		"doubted, and one of 36":      {fresh(1, doubted, turn(36)), "reconcile: processing, looking at view"},
		"one of 36, with lookalikes":  {fresh(1, doubted, turn(36), changed(0), func(s *plan.Scene) { s.Lookalikes = true }), "wait: collecting, awaits rest, 1 of 36, until 30s, quiet at 30s, due 30s"},
		"doubted, and changing":       {view(doubted, changed(0), reshot(1)), "wait: collecting, awaits quiet, 3 of 0, for 30s, until 30s, quiet at 30s, due 30s"},
		"doubted, and none":           {fresh(0, doubted, others(1)), "idle: attention, only not taken, 1 parts"},
		"doubted, and not quiet":      {fresh(3, doubted, changed(0)), "wait: collecting, awaits quiet, 3 of 0, for 30s, until 30s, quiet at 30s, due 30s"},
		"doubted, a misfit":           {fresh(3, doubted, adds("FRAME_01.jpg")), "idle: attention, mistake"},
	}.check(t)
}

// TestWhatAFailureHoldsBack: a failure holds its folder back until its time, or until the content
// changes on which it depends. Meanwhile frames are read.
func TestWhatAFailureHoldsBack(t *testing.T) {
	content := plan.ContentOf(watcher.Snapshot{Present: true}, "")
	written := func(s *plan.Scene) { s.Facts.Row.Err = products.ErrBeingWritten }
	row := func(s *plan.Scene) { s.Facts.Settings = "+row" }
	later := func(s *plan.Scene) { s.Now = plantest.Noon.Add(time.Minute) }
	retriedAt := func(in time.Duration) func(*plan.Scene) {
		return func(s *plan.Scene) { s.Record.Trouble.Tries.Next = plantest.Noon.Add(in) }
	}
	const goesOn = "find project: uploading, finding project"
	const retries = "wait: retrying, no answer, detail a request, until 1m0s, due 1m0s"
	const tells = "wait: attention, no answer, detail a request, until 1m0s, due 1m0s"
	const waits = "idle: attention, no answer, detail a request, until 1m0s"
	rows{
		"a retry":                       {fresh(3, trouble(syncstate.Retried, "")), retries},
		"a retry whose time has come":   {fresh(3, trouble(syncstate.Retried, ""), later), goesOn},
		"a retry after a day's rest":    {fresh(3, trouble(syncstate.Retried, ""), retriedAt(outcome.LongestPause)), "wait: retrying, no answer, detail a request, until 24h0m0s, due 24h0m0s"},
		"a retry in ten years":          {fresh(3, trouble(syncstate.Retried, ""), retriedAt(10*365*24*time.Hour)), goesOn},
		"a retry, the clock set back":   {fresh(3, trouble(syncstate.Retried, ""), func(s *plan.Scene) { s.Now = plantest.Noon.Add(-1) }), goesOn},
		"one that is told":              {fresh(3, trouble(syncstate.RetriedAndShown, content)), tells},
		"one that is told, gone":        {fresh(3, trouble(syncstate.RetriedAndShown, content), gone(1)), tells},
		"one that is told, of another":  {fresh(3, trouble(syncstate.RetriedAndShown, "other")), goesOn},
		"a person's":                    {fresh(3, trouble(syncstate.NeedsPerson, content)), waits},
		"a person's, after an hour":     {fresh(3, trouble(syncstate.NeedsPerson, content), later), waits},
		"a person's, of another":        {fresh(3, trouble(syncstate.NeedsPerson, "other")), goesOn},
		"with a row":                    {fresh(3, trouble(syncstate.NeedsPerson, content+"+row"), row), waits},
		"with another row":              {fresh(3, trouble(syncstate.NeedsPerson, content), row), goesOn},
		"with a row being written":      {fresh(3, trouble(syncstate.NeedsPerson, content+"+row"), written), waits},
		"of another, and being written": {fresh(3, trouble(syncstate.NeedsPerson, "other+row"), written), goesOn},

		"unread frames":                {fresh(2, trouble(syncstate.Retried, ""), unread), "wait: retrying, no answer, detail a request, reads 01, reads 02, until 1m0s, due 1m0s"},
		"one unread frame":             {fresh(1, trouble(syncstate.Retried, ""), unread), "wait: retrying, no answer, detail a request, reads 01, until 1m0s, due 1m0s"},
		"unread frames, after a panic": {fresh(2, trouble(syncstate.Retried, ""), unread, func(s *plan.Scene) { s.Record.Panics = 1 }), retries},
		"unread frames, blind":         {fresh(2, trouble(syncstate.Retried, ""), unread, blind), "wait: retrying, no answer, detail a request, until 1m0s, due 1s"},
		"one unread frame, blind":      {fresh(1, trouble(syncstate.Retried, ""), unread, blind), "wait: retrying, no answer, detail a request, until 1m0s, due 1s"},
		"read frames, blind":           {fresh(2, trouble(syncstate.Retried, ""), blind), retries},
		"frames that are not quiet":    {fresh(2, trouble(syncstate.Retried, ""), changed(0)), "wait: retrying, no answer, detail a request, until 1m0s, due 30s"},
		"frames quiet after the end":   {fresh(2, trouble(syncstate.Retried, ""), changed(0), func(s *plan.Scene) { s.Facts.Rules.Quiet = time.Hour }), retries},
		"a person's, not quiet":        {fresh(2, trouble(syncstate.NeedsPerson, content), changed(0)), "idle: attention, no answer, detail a request, until 1m0s, due 30s"},
		"too few frames":               {fresh(2, trouble(syncstate.Retried, ""), turn(3)), retries},
		"a frame broken for long":      {fresh(2, trouble(syncstate.Retried, ""), broken(0, time.Hour)), retries},
		"unread frames, gone":          {fresh(2, trouble(syncstate.Retried, ""), unread, func(s *plan.Scene) { s.Facts.Snapshot.Present = false }), retries},
		"unread frames, unreadable":    {fresh(2, trouble(syncstate.Retried, ""), unread, func(s *plan.Scene) { s.Facts.Snapshot.Err = errors.New("input/output error") }), retries},
		"unread frames, offline":       {fresh(2, trouble(syncstate.Retried, ""), unread, offline), retries},
		"unread frames, idle":          {fresh(2, trouble(syncstate.Retried, ""), unread, func(s *plan.Scene) { s.Facts.Snapshot.Idle = true }), retries},
	}.check(t)
}
