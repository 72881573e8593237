// Package renamed finds out which folder a product folder was before: one that is gone from the
// disk, and whose frames it holds. The folder takes over the record of that one, so that spinsync
// uploads nothing again and makes no product twice. This holds for a published product, for an
// upload under way, and for a create whose answer is not known yet. A product stays in the project
// that it was made in, because no request moves it to another project (interface 4.9).
package renamed
