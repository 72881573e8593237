// Package publish does the steps of one product folder and records each. A Job belongs to one
// folder, and gives each step to the part that knows it:
//
//	creator     project and product: found, taken over from a renamed folder, or created
//	uploader    the frames of a run, side by side, and its upload form
//	runner      a run on the service: announced, finished, processed, collected
//	describer   alt texts
//	upkeep      the product outside of its runs: its fields, its removal
//	reconciler  a folder that is compared with the service before anything else is done
//
// All parts share a ledger, which records and shows the steps. Most ask the service by way of an
// inquiry. The Publisher is what all jobs share: the files, the service, the records, the
// Neighbours of each folder, and the Display on which people see it.
//
// An upload only starts frames. While they fly, the job takes no other step than to read and to send more,
// and its worker keeps the folder.
//
// A step that succeeds is recorded before the next one is planned. A step never retries: its
// failure is recorded as an outcome, and the next plan waits for what ends it. The program may die
// between any two steps, and at any instant of a step.
package publish
