package plan_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/products"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

func idle(s *plan.Scene) { s.Facts.Snapshot.Idle, s.Facts.Snapshot.Frames = true, nil }

func offline(s *plan.Scene) { s.Around.Offline = status.Because(status.RootOffline) }

func blind(s *plan.Scene) {
	s.Facts.Blind = &plan.Blind{Err: errors.New("input/output error"), Until: plantest.Noon.Add(time.Second)}
}

func titled(s *plan.Scene) { s.Facts.Wanted.Title = "New" }

// running gives the scene a run in this phase, with all of its frames sent.
func running(p syncstate.Phase) func(*plan.Scene) {
	return func(s *plan.Scene) {
		*s = plantest.Running(*s, len(s.Facts.Snapshot.Frames), len(s.Facts.Snapshot.Frames))
		s.Record.Run.Phase = p
	}
}

// cannotRead is the step of a folder that waits for files that the disk does not give.
const cannotRead = "wait: retrying, unreadable, until 1s, due 1s"

// trouble is a failure of noon, tried again after a minute or by a person.
func trouble(kind syncstate.TroubleKind, content string) func(*plan.Scene) {
	return func(s *plan.Scene) {
		s.Record.Trouble = &syncstate.Trouble{
			Kind: kind, Cause: status.Because(status.NoAnswer), Detail: "a request", At: plantest.Noon, Content: content,
			Tries: syncstate.Tries{Next: plantest.Noon.Add(time.Minute)},
		}
	}
}

// TestWhatGoesFirst: of several things that a folder is owed, one at a time is done, in this order.
func TestWhatGoesFirst(t *testing.T) {
	verify := func(s *plan.Scene) { s.Record.Verify = true }
	asleep := func(s *plan.Scene) { s.Record.Expected = 5 }
	unreadable := func(s *plan.Scene) { s.Facts.Snapshot.Err = errors.New("input/output error") }
	unidentified := func(s *plan.Scene) { s.Facts.Unidentified = errors.New("product.toml: line 1") }
	deleted := func(s *plan.Scene) { s.Record.DeleteSent = plantest.Noon }
	const verifies = "verify: processing, looking for view"
	rows{
		"published":                        {view(idle), "idle: published"},
		"of another number":                {view(idle, asleep), "idle: published, other number, 3 of 5"},
		"of another number by its frames":  {view(asleep, turn(4)), "idle: published, other number, 3 of 4"},
		"idle, with a wish":                {view(idle, verify), "idle: published"},
		"idle, and of another title":       {view(idle, titled), "idle: published"},
		"idle, and never published":        {fresh(3, idle), "idle: collecting, no frames"},
		"idle, with a run":                 {view(idle, running(syncstate.FormWanted)), "idle: collecting, no frames left"},
		"to be looked for":                 {view(verify), verifies},
		"to be looked for, and shot again": {view(verify, anew(0)), verifies},
		"to be looked for, with a run":     {view(verify, running(syncstate.Sending)), "finish: uploading, all sent, 01, 02, 03"},
		"to be looked for, and no view":    {fresh(3, verify), "find project: uploading, finding project"},
		"unreadable":                       {view(verify, unreadable), "idle: retrying, unreadable"},
		"unreadable after a delete":        {view(deleted, unreadable), "idle: retrying, unreadable"},
		"deleted":                          {view(verify, deleted), "confirm delete: processing, back, seeking view"},
		"deleted, and not identified":      {view(unidentified, deleted), "confirm delete: processing, back, seeking view"},
		"not identified":                   {view(verify, unidentified), "idle: attention, mistake"},
		"below a root that is away":        {view(offline, titled), "wait: retrying, root offline, until 10s, due 10s"},
		"finished, and gone":               {view(running(syncstate.Processing), gone(1)), "poll: processing, processing, 3 of 0"},
		"sending, and gone":                {view(running(syncstate.Sending), gone(1), lookedFor(0)), "wait: missing, gone with view, until 24h0m0s, due 24h0m0s"},

		"shot again":                 {view(anew(1)), "reupload: uploading, reuploading, 3 images"},
		"touched":                    {view(anew(1), unread, read(1)), "wait: collecting, comparing, 1 of 0, reads 02, digest"},
		"touched, blind":             {view(anew(1), unread, read(1), blind), cannotRead},
		"of another title and texts": {view(titled, textless), "update: processing, updating fields"},
		"with another intent":        {view(textless, func(s *plan.Scene) { s.Record.Updating = true }), "update: processing, updating fields"},
		"with texts to read":         {view(textless), "wait: processing, reading texts, reads 01, reads 02, reads 03, texts"},
		"with texts to read, blind":  {view(textless, blind), cannotRead},
		"with texts to set":          {view(intended), "describe: processing, setting texts, 1 of 0"},

		"to be created": {fresh(3, func(s *plan.Scene) {
			s.Record.Project = syncstate.Project{UUID: "project", Title: s.Facts.Wanted.Project}
		}), "create: uploading, creating, 3 images"},
		"created":             {fresh(3, func(s *plan.Scene) { s.Record.Product.UUID = "product" }), "reupload: uploading, reuploading, 3 images"},
		"with a form of four": {plantest.Running(plantest.AScene(3), 3, 4), "reupload: uploading, reuploading, 3 images"},
		"with a form of four of five": {plantest.With(plantest.Running(plantest.AScene(3), 2, 4), turn(5), changed(0)),
			"upload: uploading, sending, 2 of 5, 03"},
		"unchecked":                   {plantest.With(plantest.Running(plantest.AScene(3), 2, 3), unchecked), "confirm run: uploading, checking upload"},
		"unchecked, and without form": {fresh(3, running(syncstate.FormWanted), unchecked), "reupload: uploading, reuploading, 3 images"},
		"unchecked, and none begun":   {fresh(3, unchecked), "find project: uploading, finding project"},
		"doubted":                     {view(doubted), "reconcile: processing, looking at view"},
		"doubted, one new":            {fresh(3, doubted), "reconcile: processing, looking at view"},
		"doubted, and moving":         {view(doubted, moves(0), anew(1), changed(0)), "wait: collecting, unsettled, 1 parts, quiet at 30s"},
		"doubted, and too few":        {fresh(3, doubted, turn(4)), "reconcile: processing, looking at view"},
		"doubted, and one of 36":      {fresh(1, doubted, turn(36)), "reconcile: processing, looking at view"},
		"doubted, and none":           {fresh(0, doubted, others(1)), "idle: attention, only not taken, 1 parts"},
		"doubted, and not quiet":      {fresh(3, doubted, changed(0)), "wait: collecting, awaits quiet, 3 of 0, for 30s, until 30s, quiet at 30s, due 30s"},
		"doubted, a misfit":           {fresh(3, doubted, adds("FRAME_01.jpg")), "idle: attention, mistake"},
	}.check(t)
}

func unchecked(s *plan.Scene) { s.Unchecked = true }

func textless(s *plan.Scene) { s.Facts.Texts.Said = nil }

func intended(s *plan.Scene) { s.Record.AltIntent = map[int64]map[string]string{1: {"en": "A shoe"}} }

// read has the frame read again, and found whole.
func read(i int) func(*plan.Scene) { return func(s *plan.Scene) { plantest.MarkRead(s, i) } }

// TestWhatAFailureHoldsBack: a failure holds its folder back until its time, or until the content
// changes on which it depends. Meanwhile frames are read.
func TestWhatAFailureHoldsBack(t *testing.T) {
	content := plan.ContentOf(watcher.Snapshot{Present: true}, "")
	written := func(s *plan.Scene) { s.Facts.Row.Err = products.ErrBeingWritten }
	row := func(s *plan.Scene) { s.Facts.Settings = "+row" }
	later := func(s *plan.Scene) { s.Now = plantest.Noon.Add(time.Minute) }
	const goesOn = "find project: uploading, finding project"
	const retries = "wait: retrying, no answer, detail a request, until 1m0s, due 1m0s"
	const tells = "wait: attention, no answer, detail a request, until 1m0s, due 1m0s"
	const waits = "idle: attention, no answer, detail a request, until 1m0s"
	rows{
		"a retry":                       {fresh(3, trouble(syncstate.Retried, "")), retries},
		"a retry whose time has come":   {fresh(3, trouble(syncstate.Retried, ""), later), goesOn},
		"one that is told":              {fresh(3, trouble(syncstate.RetriedAndTold, content)), tells},
		"one that is told, gone":        {fresh(3, trouble(syncstate.RetriedAndTold, content), gone(1)), tells},
		"one that is told, of another":  {fresh(3, trouble(syncstate.RetriedAndTold, "other")), goesOn},
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

// TestWhatStaysOnDisplay: people see the earlier reason while a failed step is tried again, and while
// the same frames are looked at again.
func TestWhatStaysOnDisplay(t *testing.T) {
	again := func(s *plan.Scene) {
		trouble(syncstate.RetriedAndTold, "")(s)
		s.Record.Trouble.Content = plan.ContentOf(s.Facts.Snapshot, s.Facts.Settings)
		s.Now = plantest.Noon.Add(time.Minute)
	}
	retried := func(s *plan.Scene) { again(s); s.Record.Trouble.Kind = syncstate.Retried }
	few := &status.Cause{Kind: status.TooFew, Count: 3, Of: 4}
	sending := func(changes ...func(*plan.Scene)) plan.Scene {
		return plantest.With(plantest.Running(plantest.AScene(3), 2, 3), changes...)
	}
	published := func(s *plan.Scene) {
		s.Record.Shown = syncstate.Shown{State: string(status.Published), Content: plan.ContentOf(s.Facts.Snapshot, s.Facts.Settings)}
	}
	shotAgain := func(s *plan.Scene) { s.Facts.Snapshot.Fingerprint[0]++ }
	for name, test := range map[string]struct {
		scene plan.Scene
		want  string
	}{
		"an upload":                  {sending(again), "attention, no answer, a request"},
		"an upload after a wait":     {sending(retried), "uploading, sending, "},
		"a reading":                  {fresh(1, again, unread), "attention, no answer, a request"},
		"a look":                     {sending(again, unchecked), "attention, no answer, a request"},
		"another step":               {fresh(3, again), "attention, no answer, a request"},
		"another set":                {fresh(3, again, shotAgain), "uploading, finding project, "},
		"a rest":                     {fresh(0, again), "collecting, no frames, "},
		"frames read again":          {fresh(3, told(few), unread), "attention, too few, a request"},
		"frames seen again":          {fresh(3, told(few), moves(2), changed(0)), "attention, too few, a request"},
		"frames that are not quiet":  {fresh(3, told(few), changed(0)), "attention, too few, a request"},
		"others that are not quiet":  {fresh(0, others(1), told(few), changed(0)), "attention, too few, a request"},
		"a file that is written":     {fresh(3, told(few), func(s *plan.Scene) { s.Facts.Unidentified = products.ErrBeingWritten }), "attention, too few, a request"},
		"new frames":                 {fresh(3, told(few), unread, shotAgain), "collecting, checking, "},
		"frames by other rules":      {fresh(3, told(few), unread, func(s *plan.Scene) { s.Facts.Settings = "others" }), "collecting, checking, "},
		"frames that are enough now": {fresh(3, told(few)), "uploading, finding project, "},
		"frames that cannot be read": {fresh(3, told(few), unread, blind), "retrying, unreadable, "},
		"a view read again":          {view(published, textless), "published, , "},
		"a view with new frames":     {view(published, shotAgain, anew(1), unread), "collecting, checking, "},
		"a first upload, unread":     {sending(told(few), turn(3), moves(0), unsentFrom(1)), "uploading, sending, "},
		"a first upload, seen again": {sending(told(few), moves(0)), "attention, too few, a request"},
		"a pause":                    {fresh(1, told(few), unread, func(s *plan.Scene) { s.Record.Paused = plantest.Noon }), "attention, too few, a request"},
		"a pause over a call":        {fresh(3, told(few), func(s *plan.Scene) { s.Record.Paused = plantest.Noon }), "attention, too few, a request"},
		"a pause over another set":   {fresh(3, told(few), shotAgain, func(s *plan.Scene) { s.Record.Paused = plantest.Noon }), "queued, resumed, "},
		"a root that is away, and trouble": {plantest.With(fresh(1, told(few)), func(s *plan.Scene) {
			s.Facts.Snapshot = watcher.Snapshot{}
			trouble(syncstate.NeedsPerson, plan.ContentOf(s.Facts.Snapshot, s.Facts.Settings))(s)
		}), "attention, no answer, a request"},
		"a root that is away": {plantest.With(fresh(1, told(few)), func(s *plan.Scene) { s.Facts.Snapshot = watcher.Snapshot{} }), "attention, too few, a request"},
	} {
		shown := test.scene.Shown(plan.Next(plantest.Judged(test.scene)))
		kind := status.Kind("")
		if shown.Cause != nil {
			kind = shown.Cause.Kind
		}
		if got := fmt.Sprintf("%s, %s, %s", shown.State, kind, shown.Detail); got != test.want {
			t.Errorf("%s: %s; want %s", name, got, test.want)
		}
	}
}

// TestWhatAPauseLeaves: a paused folder is read, waits as before, and sends nothing.
func TestWhatAPauseLeaves(t *testing.T) {
	paused := func(s *plan.Scene) { s.Record.Paused = plantest.Noon }
	rows{
		"read":         {fresh(1, paused, unread), "wait: collecting, checking, 1 of 0, reads 01"},
		"blind":        {fresh(1, paused, unread, blind), "wait: retrying, unreadable, until 1s, due 1s"},
		"texts":        {view(paused, textless), "wait: processing, reading texts, reads 01, reads 02, reads 03, texts"},
		"a step":       {fresh(1, paused), "idle: paused, folder paused"},
		"a retry":      {fresh(1, paused, trouble(syncstate.Retried, "")), "wait: retrying, no answer, detail a request, until 1m0s, due 1m0s"},
		"not quiet":    {fresh(1, paused, changed(0)), "wait: collecting, awaits quiet, 1 of 0, for 30s, until 30s, quiet at 30s, due 30s"},
		"a told retry": {fresh(3, paused, trouble(syncstate.RetriedAndTold, plan.ContentOf(watcher.Snapshot{Present: true}, ""))), "wait: attention, no answer, detail a request, until 1m0s, due 1m0s"},
		"gone":         {view(paused, gone(1)), "idle: missing, gone with view"},
		"a rename":     {view(paused, gone(2), deleting, func(s *plan.Scene) { s.Around.MaybeMoved = true }), "wait: missing, gone or renamed, until 5s, due 5s"},
	}.check(t)
}

// TestFolderThatCannotBeRead: a person is called to the directory that this account may not read,
// once, and a published folder below it stays published.
func TestFolderThatCannotBeRead(t *testing.T) {
	denied := func(path string) func(*plan.Scene) {
		return func(s *plan.Scene) {
			s.Facts.Snapshot.Err = &watcher.AccessError{Path: path, Err: errors.New("permission denied")}
		}
	}
	was := func(s *plan.Scene) { s.Record.State = string(status.Published) }
	unidentified := func(err error) func(*plan.Scene) { return func(s *plan.Scene) { s.Facts.Unidentified = err } }
	patient := func(s *plan.Scene) { s.Facts.Rules.Settle = 0 }
	rows{
		"itself":                   {view(denied("/shoots/SKU-1")), "idle: attention, no access"},
		"itself, published":        {view(was, denied("/shoots/SKU-1")), "idle: attention, no access"},
		"a directory above":        {view(denied("/shoots")), "idle: retrying, no access"},
		"above a published one":    {view(was, denied("/shoots")), "idle: published, no access"},
		"of a name that begins so": {view(denied("/shoots/SKU-10")), "idle: retrying, no access"},
		"a file in it":             {view(denied("/shoots/SKU-1/frame_01.jpg")), "idle: attention, no access"},
		"a file of a view":         {view(was, denied("/shoots/SKU-1/frame_01.jpg")), "idle: published, no access"},
		"for another reason":       {view(was, func(s *plan.Scene) { s.Facts.Snapshot.Err = errors.New("input/output error") }), "idle: retrying, unreadable"},

		"a file being written": {fresh(3, unidentified(products.ErrBeingWritten)), "wait: collecting, awaits file, until 5s, due 5s"},
		"the same, at once":    {fresh(3, patient, unidentified(products.ErrBeingWritten)), "wait: collecting, awaits file, until 1s, due 1s"},
		"a file":               {fresh(3, unidentified(plan.UnreadError{Err: errors.New("input/output error")})), "wait: retrying, unreadable, until 20s, due 20s"},
		"a forbidden file": {fresh(3, unidentified(plan.UnreadError{Err: &watcher.AccessError{Path: "/shoots/products.csv", Err: errors.New("permission denied")}})),
			"wait: attention, no access, until 20s, due 20s"},
		"a wrong file": {fresh(3, unidentified(errors.New("line 1"))), "idle: attention, mistake"},
	}.check(t)
}

// TestStepsThatArePutOff: a step that cannot be done yet waits as what it is.
func TestStepsThatArePutOff(t *testing.T) {
	step := plan.Step{Action: plan.Upload, State: status.Uploading, Cause: status.Because(status.AllSent), Count: 3}
	if got, want := inShort(step.PutOff(plantest.Noon.Add(time.Second))), "wait: uploading, all sent, until 1s, due 1s"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := inShort(plan.Again(plantest.Noon.Add(time.Second))), "wait: queued, until 1s, due 1s"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestWhatCannotBeRead: a folder that waits for unreadable files shows why. It calls a person only where
// the account lacks a right. A folder that waits for something else shows that.
func TestWhatCannotBeRead(t *testing.T) {
	failed := func(err error) func(*plan.Scene) {
		return func(s *plan.Scene) { s.Facts.Blind = &plan.Blind{Err: err, Until: plantest.Noon.Add(time.Second)} }
	}
	denied := &watcher.AccessError{Path: "/shoots/SKU-1/frame_01.jpg", Dir: "/shoots", Err: errors.New("denied")}
	held := outcome.Later(plantest.Noon.Add(time.Second), status.List(status.Unsettled, []status.Cause{{Kind: status.Temporary}}), nil)
	rows{
		"by the disk":        {fresh(1, unread, blind), cannotRead},
		"for want of rights": {fresh(1, unread, failed(denied)), "wait: attention, no access, until 1s, due 1s"},
		"as it is held":      {fresh(1, unread, failed(held)), "wait: retrying, unsettled, 1 parts, until 1s, due 1s"},
		"beside read frames": {fresh(3, blind), "find project: uploading, finding project"},
		"beside a wait":      {fresh(1, unread, blind, trouble(syncstate.Retried, "")), "wait: retrying, no answer, detail a request, until 1m0s, due 1s"},
	}.check(t)
}
