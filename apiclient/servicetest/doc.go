// Package servicetest is a second hosting service, for tests alone. Call New, and ask Server.Wrong
// afterwards for the requests that the interface does not allow.
//
// It was written from the text of the interface, without the sandbox in sight, so that a
// misreading of the text which the client and the sandbox share comes to light. Two things set it
// apart. It is strict: it takes only what the interface names, refuses everything else, and keeps
// what it refused for Server.Wrong. And it is odd: wherever the interface says "not shown", the
// seed chooses a habit.
//
// It serves the whole interface, but neither media nor the pages behind embed links. It holds
// everything in memory and does nothing in the background. Its journal speaks the types of the
// sandbox, so that one judgement reads both. Network serves any handler in memory.
package servicetest
