// Package publish does the steps of one product folder and records each. A Job belongs to one
// folder, and gives each step to the part that knows it:
//
//	heir           the record of another folder: that it was before, or below a root of before
//	projectFinder  the project: found, or made
//	productFinder  the product: found by its name
//	creator        the product: made once
//	starter        a run: announced, compared, started over
//	uploadStep     the frames of a run: uploader sends them side by side, frameSender each
//	forms          an upload form that does not serve any more
//	finisher       a run: finished
//	poller         a run: processed
//	collector      a run: collected
//	describer      alt texts
//	upkeep         the product outside of its runs: its fields, whether it is there
//	remover        the product of a folder that is gone or came back
//	reconciler     a folder in doubt: a comparer compares it with its view,
//	               a viewFinder searches for that one, also among lookalikes
//
// Others do what no action is: a gate holds a step back before it is taken, a reader reads the
// files that one needs, conclusions draw the consequence of how one ended, and a rest ends the
// work.
//
// A part names what it uses. Most have the ledger, which records a step, and the screen of the
// ledger shows it; most ask the service about the folder's product by way of requests. The
// Publisher is what all jobs share: the files, the service, the records, the Neighbours of each
// folder, the Keeper that has all of them in memory, and the Display on which people see them.
//
// An upload only starts frames. While they fly, the job takes no other step than to read and to
// send more, and its worker keeps the folder.
//
// A step that succeeds is recorded before the next one is planned. A step never retries: its
// failure is recorded as an outcome, and the next plan waits for what ends it. The program may die
// between any two steps, and at any instant of a step.
package publish
