package syncstate

import "encoding/json"

// addSum converts schema 1, whose values had no checksums. What it can tell to be damaged it refuses, rather than to make it
// look sound; of packed values nothing can be told.
func addSum(at list, key, value []byte) (newKey, newValue []byte, err error) {
	switch at.name {
	case "folders", "projects", "publications", "roots", "samples":
		if !json.Valid(value) {
			err = errGarbled
		}
	case "published":
		_, err = decompress(value)
	}
	return key, at.seal(key, value), err
}
