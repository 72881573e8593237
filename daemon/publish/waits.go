package publish

import "time"

const (
	// An upload that the state file does not know is processed by then, or was never finished. A
	// view that may be another folder's mostly has its folder by then.
	foreignPatience = 10 * time.Minute
	// From then on such a view is downloaded once a day: the drive of its folder may have been away.
	lateOwnerPause = 24 * time.Hour
	// A request whose answer was lost may still arrive for this long.
	deletePatience = 2 * time.Minute
	// Alt texts that were read this long ago may have been changed by others since.
	freshList = 10 * time.Second
	// So many alt texts follow from one list at most: fewer lists cost the service less, more lists
	// lose less of what others write.
	changesPerList = 250
	// A product that belongs to another folder may get another SKU or title, for instance because
	// that one was renamed. That comes soon, or a person takes long.
	ownerPause        = time.Minute
	longestOwnerPause = 10 * time.Minute
	// A page about maintenance that redirects is over after so many tries in a row. What leads
	// elsewhere for longer needs a person.
	mostRedirects = 6
	// A redirect, or something else in place of an answer, comes from a log-in page or from
	// maintenance. After so many tries in a row, which take some half an hour, a person is called.
	mostAstray = 20
	// From then on the pauses double, up to about this one. A download that always breaks off costs much
	// each time; maintenance that ends is still noticed within the hour or so.
	longestAstray = time.Hour
	// While a person is waited for because of a run, or of a project, the service is asked this seldom
	// in the end.
	personPause = 10 * time.Minute
	// A failure that may pass by itself gets this many tries in a row before a person is asked.
	mostTries = 3
	// After so many failed requests for alt texts the others wait for a later try.
	mostFailures = 3
)
