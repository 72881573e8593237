// Package status holds the data that people and scripts see: the state of each product folder, the
// reason for it, and the words for both. Call Sentence to put a reason into words, and SetState to
// record a state.
//
// A reason is recorded as a syncstate.Cause, a kind with arguments. Sentence turns it into words
// only where it is shown. Nothing that spinsync does depends on how a sentence reads.
package status
