// Package syncstate records in one bbolt file the work done for each product folder. So a daemon
// that was killed at any instant knows its outstanding work. It decides nothing, reads no folder
// and speaks to no service.
//
// A change is a closure inside one transaction: when Update returns nil the change is on the disk,
// when it returns any error but ErrUnknown nothing of it is. A failed commit is ambiguous, so after
// ErrUnknown the store refuses all work until Reopen has read the file again.
//
// The package refuses to start afresh over a file it cannot read. A file that is damaged, empty or
// written by another version is reported and left as it is, until Renew makes another in its place:
// an empty start would forget what is paused. The file belongs on a local disk, never on the share with the photos.
//
// # Schema, version 8
//
// A name in angle brackets is any number of entries; NUL is the zero byte. Everything below an
// account belongs to one address and user of the service, so that ids of two services never mix.
//
//	accounts
//	  <base URL NUL user>
//	    folders
//	      <root NUL path> = JSON of Record with Run and Published, without what is listed apart
//	    notes
//	      access key fields = JSON of form fields by upload host, made by the first upload
//	      cluster = JSON of how far the file is a copy of a fleet's cluster; none at a computer alone
//	      delivered = JSON of the times up to which each receiver got all news, by its name
//	      paused = JSON of the time since when everything is paused; a zero time, or no value: it is not
//	    projects
//	      <title> = JSON of ProjectRecord
//	    published
//	      <root NUL path> = Published.Marker and Published.Frames, packed and compressed
//	    roots
//	      <path> = JSON of RootRecord
//	    runs
//	      <root NUL path>
//	        <0> = Run.Marker and Run.Before.Frames, packed; the key is four bytes, big-endian
//	        <number> = RunFrame, packed; the frames are numbered from 1 on
//	meta
//	  account = URL NUL user for whom the file was opened for writing last
//	  begins paused = "true" in a file of Renew where a pause of any account may be lost
//	  renewed = time at which Renew made the file
//	  version = decimal number of this schema
//
// Each value of an account ends in four bytes of a checksum, which covers its key and the names of
// the buckets that it lies in. Those of meta have none, so that every version of the program can
// read which one a file is of.
//
// A value whose checksum is wrong is never acted on: the whole file is refused as ErrDamaged. While
// the owner of one product is unknown, a renamed folder might become another product.
//
// Packed values are fields in the order of the coder in this package, numbers as varints and texts
// behind their lengths, because the names of files are bytes and need not be the valid text that
// JSON wants. All other text must be valid UTF-8, as everything sent to the service must be.
//
// A deleted value stays readable in the file's free pages until they are used again. The signed
// form of a run is one: the file is made with mode 0600 and does not belong in a support bundle.
package syncstate
