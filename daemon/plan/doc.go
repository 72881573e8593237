// Package plan decides the next thing that a product folder is owed. Judge makes a Set of what is
// known of its frames, and Next turns a Scene, which holds everything that matters at one instant,
// into a Step. Both are pure: they read no clock, no disk and no service, so that a dry run is the
// same decision and a test is a table.
//
// A Scene that is not complete yet asks for what it lacks: a Step has a Need of frames or texts to
// read. Actions has the traits of each action; package publish does them. Shown is what people see
// during a step.
package plan
