package plan

// An Action is one thing that a product folder may need. The map Actions holds its traits, and
// package publish does it.
type Action string

// The actions that wait. Idle in the state published records the folder as judged, so that its
// listing is not judged again. A folder that must stay unjudged waits, without Until if only news
// of it can lead on. The other actions are in the order in which a folder usually meets them.
const (
	Idle Action = "idle" // nothing is owed until something changes
	Wait Action = "wait" // nothing is owed before Step.Until, or before news if that is zero
)

const (
	FindProject   Action = "find project"   // find the project, or create it
	Create        Action = "create"         // find the product, or create it
	Reupload      Action = "reupload"       // ask for a new upload form of an existing product
	ConfirmRun    Action = "confirm run"    // find out whether a run of an earlier process is valid
	Upload        Action = "upload"         // send frames
	EndForm       Action = "end form"       // drop an upload form too old for the frames left
	Finish        Action = "finish"         // read the folder again, then send the finish request
	ConfirmFinish Action = "confirm finish" // find out whether a finish without an answer arrived
	Poll          Action = "poll"           // ask whether processing has finished
	Collect       Action = "collect"        // read the published images back
	Note          Action = "note"           // files were touched, their content is as published
	Update        Action = "update"         // change title, sku, manufacturer, year
	Describe      Action = "describe"       // set alt texts
	Abandon       Action = "abandon"        // find out whether an unwanted product was created
	Verify        Action = "verify"         // ask whether the service still knows the product
	Ask           Action = "ask"            // note that a person must confirm deleting the view
	ClearAbsence  Action = "clear absence"  // drop the notes about the absence of a folder
	Remove        Action = "remove"         // delete the product
	Reconcile     Action = "reconcile"      // compare a folder in doubt with its view, or find the view
	ConfirmDelete Action = "confirm delete" // find out whether a delete without an answer arrived
	Forget        Action = "forget"         // drop the record of a folder that came to nothing
)

// A breaker is the circuit breaker that an action passes before its first request.
type breaker int

const (
	noBreaker      breaker = iota // it sends nothing
	ServiceBreaker                // the hosting service, with the password
	StatusBreaker                 // the status (interface 4.14), which needs no password
	UploadBreaker
)

// A forecast is the line of a dry run about an action.
type forecast int

const (
	asState   forecast = iota // the state of the step
	asUpload                  // the number of frames to upload, and their target
	asFinish                  // an upload under way would be finished
	asItself                  // the action's own name
	asNothing                 // nothing would be done
	asFollows                 // what comes after it, for a folder that is gone
)

// traits are the properties of an action.
type traits struct {
	Passes   breaker
	asks     func(Scene) bool // does it begin with a status request? nil: no
	looks    bool             // it only checks the folder
	Ends     bool             // it drops the record, so that no other step follows
	forecast forecast
}

func always(Scene) bool { return true }

// Actions has the traits of every action.
var Actions = map[Action]traits{
	Idle:          {},
	Wait:          {},
	FindProject:   {Passes: ServiceBreaker, forecast: asUpload},
	Create:        {Passes: ServiceBreaker, forecast: asUpload},
	Reupload:      {Passes: ServiceBreaker, asks: Scene.BeginsReupload, forecast: asUpload},
	ConfirmRun:    {Passes: ServiceBreaker, asks: always, looks: true},
	Upload:        {Passes: UploadBreaker, forecast: asUpload},
	EndForm:       {},
	Finish:        {Passes: ServiceBreaker, forecast: asFinish},
	ConfirmFinish: {Passes: ServiceBreaker, asks: always, forecast: asFinish},
	Poll:          {Passes: StatusBreaker, asks: always, forecast: asFinish},
	Collect:       {Passes: ServiceBreaker, forecast: asFinish},
	Note:          {forecast: asNothing},
	Update:        {Passes: ServiceBreaker, forecast: asItself},
	Describe:      {Passes: ServiceBreaker, forecast: asItself},
	Abandon:       {Passes: ServiceBreaker},
	Verify:        {Passes: ServiceBreaker, asks: always, looks: true, forecast: asFollows},
	Ask:           {forecast: asFollows},
	ClearAbsence:  {},
	Remove:        {Passes: ServiceBreaker, Ends: true, forecast: asItself},
	Reconcile:     {Passes: ServiceBreaker, asks: always, forecast: asItself},
	ConfirmDelete: {Passes: ServiceBreaker, asks: always},
	Forget:        {Ends: true},
}

// AsksStatus reports whether an action begins with a status request. Without a product there is no
// status to ask for.
func (s Scene) AsksStatus(a Action) bool {
	asks := Actions[a].asks
	return asks != nil && s.Record.Product.UUID != "" && asks(s)
}
