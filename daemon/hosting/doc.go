// Package hosting is the hosting service as this program knows it. Call New for its parts: the
// client, and what the answer to one folder means for the requests of all others.
//
//	Breakers     which host is left alone at present, and until when
//	Lists        which products a project holds, as of a moment ago
//	Asked        when the status of each product was asked for last
//	RefusedLists in which projects the user may not list images, so that no run begins
//	AccessKeys   under which form field an upload host takes the access key
//	CreateOnce   a create that never makes a thing twice, on a service without idempotency keys
//
// The package reads and writes no folder's record, and decides nothing about a folder.
package hosting
