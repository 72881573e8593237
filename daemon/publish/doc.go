// Package publish does the steps of one product folder and records each. A Job belongs to one
// folder; the Publisher is what all jobs share: the files, the service, the records, and the Board
// on which people see each folder.
//
// A step that succeeds is recorded before the next one is planned. A step never retries: its
// failure is recorded as an outcome, and the next plan waits for what ends it. The program may die
// between any two steps, and at any instant of a step.
package publish
