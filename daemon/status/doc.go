// Package status holds the plain data that people and scripts are told: the state of each product
// folder, the reason for it, and the words for both.
//
// A reason is recorded as a syncstate.Cause, a kind with arguments. Sentence turns it into words
// only where it is shown. Nothing that spinsync does depends on how a sentence reads.
package status
