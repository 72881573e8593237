package publish

import "time"

const (
	// An upload that the state file does not know is processed by then, or was never finished. A view
	// that may be another folder's has its folder by then.
	unknownPatience = 10 * time.Minute
	// A request whose answer was lost may still arrive for this long.
	deletePatience = 2 * time.Minute
	// Alt texts that were read this long ago may have been changed by others since.
	freshList = 10 * time.Second
	// So many alt texts follow from one list at most: fewer lists cost the service less, more lists
	// lose less of what others write.
	changesPerList = 250
	// A product that belongs to another folder may get another SKU or title, for instance because
	// that one was renamed.
	ownerPause = time.Minute
	// A list of images that contradicts the manifest gets this many looks before a person is asked.
	wrongLists = 5
)
