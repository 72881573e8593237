// Package renamed finds out which folder a product folder was before: one that is gone from the
// disk, and whose frames it holds. A product stays with its photos when their folder gets another
// name.
package renamed
