// Package status is what people and scripts are told, as plain data: the state of each product
// folder, why it is in that state, and the words for it.
//
// A reason is recorded as a syncstate.Cause, a kind with arguments. Sentence makes the words of it,
// and only where they are shown: nothing that spinsync does depends on how a sentence reads.
package status
