package daemon

import (
	"context"
	"time"

	"spinsync/apiclient"
	"spinsync/syncstate"
)

// An action is one thing that a product folder may need. The map actions holds its traits, the map
// deeds its deed.
type action string

// The actions that wait. The others stand in the order in which a folder usually meets them.
const (
	rest action = "rest" // nothing is owed until something changes
	wait action = "wait" // nothing is owed before step.until
)

const (
	read          action = "read"           // read frames: whether they are whole, their digest
	readTexts     action = "read texts"     // read sidecars
	findProject   action = "find project"   // find the project, or create it
	create        action = "create"         // look for the product, or create it
	reupload      action = "reupload"       // ask for a new upload form of an existing product
	resume        action = "resume"         // check whether a run of an earlier process stands
	upload        action = "upload"         // send frames
	endForm       action = "end form"       // drop an upload form too old for the frames left
	finish        action = "finish"         // look once more, then send the finish request
	confirmFinish action = "confirm finish" // find out whether a finish without an answer arrived
	poll          action = "poll"           // ask whether processing has finished
	collect       action = "collect"        // read the published images back
	note          action = "note"           // files were touched, their content is as published
	update        action = "update"         // change title, sku, manufacturer, year
	describe      action = "describe"       // set alt texts
	abandon       action = "abandon"        // find out whether an unwanted product was created
	verify        action = "verify"         // ask whether the service still knows the product
	ask           action = "ask"            // note that a person must confirm deleting the view
	welcome       action = "welcome"        // drop the notes about a folder that was gone
	remove        action = "remove"         // delete the product
	reconcile     action = "reconcile"      // compare an unreconciled folder with the service, or look for its view
	reclaim       action = "reclaim"        // check whether a returned folder lost its product
	forget        action = "forget"         // drop the record of a folder that came to nothing
)

// A breaker is the circuit breaker that an action passes before its first request.
type breaker int

const (
	noBreaker     breaker = iota // it sends nothing
	service                      // the hosting service, with the password
	serviceStatus                // the status of 4.14, which needs no password
	uploadHost
)

// A forecast is the line of a dry run about an action.
type forecast int

const (
	asState   forecast = iota // the state of the step
	asUpload                  // the number of frames to upload, and their target
	asFinish                  // an upload under way would be finished
	asItself                  // the action's own name
	asNothing                 // nothing would be done
	asMissing                 // the folder is gone
)

// traits are the properties of an action.
type traits struct {
	passes   breaker
	asks     func(scene) bool // does it begin with a status request? nil: no
	looks    bool             // it only finds out how a folder stands
	ends     bool             // it drops the record, so that no other step follows
	forecast forecast
}

func always(scene) bool { return true }

// actions has the traits of every action.
var actions = map[action]traits{
	rest:          {},
	wait:          {},
	read:          {looks: true},
	readTexts:     {looks: true},
	findProject:   {passes: service, forecast: asUpload},
	create:        {passes: service, forecast: asUpload},
	reupload:      {passes: service, asks: scene.beginsReupload, forecast: asUpload},
	resume:        {passes: service, asks: always, looks: true},
	upload:        {passes: uploadHost, forecast: asUpload},
	endForm:       {},
	finish:        {passes: service, forecast: asFinish},
	confirmFinish: {passes: service, asks: always, forecast: asFinish},
	poll:          {passes: serviceStatus, asks: always, forecast: asFinish},
	collect:       {passes: service, forecast: asFinish},
	note:          {forecast: asNothing},
	update:        {passes: service, forecast: asItself},
	describe:      {passes: service, forecast: asItself},
	abandon:       {passes: service},
	verify:        {passes: service, asks: always, looks: true, forecast: asMissing},
	ask:           {forecast: asMissing},
	welcome:       {},
	remove:        {passes: service, ends: true, forecast: asItself},
	reconcile:     {passes: service, asks: always, forecast: asItself},
	reclaim:       {passes: service, asks: always},
	forget:        {ends: true, forecast: asNothing},
}

// A deed does a step and records it.
type deed func(*job, context.Context, scene, step) error

// deeds holds the deed of every action that does not wait.
var deeds = map[action]deed{
	read:          (*job).doRead,
	readTexts:     (*job).doReadTexts,
	findProject:   withScene((*job).findProject),
	create:        (*job).doCreate,
	reupload:      (*job).doReupload,
	resume:        withScene((*job).resumeRun),
	upload:        (*job).doUpload,
	endForm:       (*job).doEndForm,
	finish:        (*job).doFinish,
	confirmFinish: withScene((*job).confirmFinish),
	poll:          withScene((*job).pollStatus),
	collect:       withScene((*job).collectImages),
	note:          (*job).doNote,
	update:        withScene((*job).updateProduct),
	describe:      withScene((*job).describeImages),
	abandon:       withScene((*job).abandonCreate),
	verify:        withScene((*job).verifyProduct),
	ask:           (*job).doAsk,
	welcome:       (*job).doWelcome,
	remove:        withScene((*job).removeProduct),
	reconcile:     withScene((*job).reconcile),
	reclaim:       withScene((*job).reclaimProduct),
	forget:        (*job).doForget,
}

// withScene adapts a method that does not use the step.
func withScene(do func(*job, context.Context, scene) error) deed {
	return func(j *job, ctx context.Context, s scene, _ step) error { return do(j, ctx, s) }
}

func (j *job) doRead(ctx context.Context, _ scene, next step) error {
	return j.readFrames(ctx, next.frames, next.digest)
}

func (j *job) doReadTexts(ctx context.Context, s scene, next step) error {
	err := j.readTexts(ctx, s, next.frames)
	j.warnOfTexts()
	return err
}

func (j *job) doCreate(ctx context.Context, s scene, next step) error {
	return j.createProduct(ctx, s, next.count)
}

func (j *job) doReupload(ctx context.Context, s scene, next step) error {
	return j.startReupload(ctx, s, next.count)
}

func (j *job) doUpload(ctx context.Context, s scene, next step) error {
	return j.uploadFrames(ctx, s, next.frames)
}

func (j *job) doEndForm(_ context.Context, s scene, _ step) error { return j.dropForm(s, nil) }

func (j *job) doFinish(ctx context.Context, s scene, next step) error {
	return j.finishUpload(ctx, s, next.frames)
}

func (j *job) doNote(_ context.Context, s scene, _ step) error { return j.noteTouched(s) }

func (j *job) doAsk(context.Context, scene, step) error {
	return j.update(func(r *syncstate.Record) error { r.Removal = syncstate.RemovalAsked; return nil })
}

func (j *job) doWelcome(context.Context, scene, step) error {
	return j.update(func(r *syncstate.Record) error { r.Removal, r.Verified = "", time.Time{}; return nil })
}

func (j *job) doForget(context.Context, scene, step) error { return j.forgetFolder() }

// breakerOf is the breaker that a step passes, and the operation if the breaker depends on it. It
// is nil for steps that send nothing.
func (j *job) breakerOf(s scene, a action) (of *gate, op string) {
	switch actions[a].passes {
	case service:
		return j.service.breakers.of(""), ""
	case serviceStatus:
		return j.service.breakers.of(""), apiclient.OpStatus
	case uploadHost:
		return j.service.breakers.of(s.record.Run.Form.Hostname), apiclient.OpUpload
	}
	return nil, ""
}

// asksStatus reports whether an action begins with a status request.
func (s scene) asksStatus(a action) bool {
	asks := actions[a].asks
	return asks != nil && asks(s)
}
