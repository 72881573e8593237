package syncstate

import (
	"hash"

	"github.com/zeebo/xxh3"
)

// NewDigest is the hash by which photos are told apart: XXH3 of 128 bits, the same on every
// processor. It costs next to nothing, and two photos of a studio do not get the same by chance.
// It is no safeguard against people who make two files collide: whoever can write into a product
// folder can publish anyway.
func NewDigest() hash.Hash { return xxh3.New128() }
