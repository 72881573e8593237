package inspect

// The limits of Judge. They were set on the first half of the objects in inspecttest: on 669 turns without
// a fault ("clean", 28,752 frames), each also spoilt once in each way. docs/inspect.md has what they find
// on the other half, and the command that measures it again.
const (
	// fewest frames make a turn that is judged by its pictures: each step is held against four others.
	fewest = 8

	// mostGain is how much a flash may differ between two frames without their distance growing. Flashes
	// flicker by 3 % of their light.
	mostGain = 1.07

	// turns is the least step between two frames in which an object shows that it turned. Two photos
	// of one side differ by some 1, from noise and JPEG.
	turns = 5.0

	// stands is the most that a step has of the steps around it, where the table did not turn. Clean: at
	// least 0.22. Where it stood: at most 0.2 in 99.9 %.
	stands = 0.2

	// symmetric is the least distance of the frames beside a step, in steps. Below it the object looks
	// the same before and after the step. Where the table stood it is 0.85 and more in 99 %.
	symmetric = 0.8

	// asymmetric is the same for the order of two frames, which needs more.
	asymmetric = 1.1

	// exchanges is how much nearer both frames come to their neighbours when they are exchanged. Clean:
	// at most 1.06, but for flat objects, which look odd from both narrow sides. Exchanged: at least 1.08
	// in 98 %.
	exchanges = 1.08

	// strange is how much farther a frame is from its neighbours than they are from each other, and
	// than the steps beside it are; unlike is the same for the frame that is nearest of all. Clean: no
	// frame of a closed turn is above 1.12 and 1.05. Of another object: 92 % are above these limits.
	strange = 1.18
	unlike  = 1.05

	// tints is how much farther a frame's colours are from the nearest colours than the steps beside it
	// are, where the frame itself is at least akin from the nearest frame. Clean: no frame is above 1.8
	// and 0.7, but for both narrow sides of one object. Of another object: by this or by the limits above
	// 95 % are found.
	tints = 2.0
	akin  = 0.7

	// changes is how much a step to another shoot has of those beside it, where the step from the last
	// frame to the first has as much; breaks is for a step alone. Clean: one step in a hundred has 1.4.
	changes = 1.4
	breaks  = 1.7

	// closes is how near the end of a turn is to its beginning, in steps, at most. Clean: nineteen steps of
	// twenty have less than 1.25 of those beside them. shortest is how many frames a row of several has.
	closes   = 1.25
	shortest = 12

	// apart is how far the ends of a half turn are from each other, in steps, at least: they show opposite
	// sides.
	apart = 2.0

	// soft is the most sharpness that a blurred frame has of its neighbours'. Clean: at least 0.33.
	// Blurred by 3 pixels of a thumbnail: at most 0.18.
	soft = 0.25

	// flat is the sharpness of a picture of nothing but ground, at most. Ground with much noise has 12.
	// Pictures of objects have 52 and more, but for black ones on black paper.
	flat = 40.0

	// flickers is the most that the ground's brightness changes, as a logarithm. Clean, with flashes that
	// flicker by 3 %: at most 0.029. A third of a stop: at least 0.035.
	flickers = 0.035

	// A ground that is darker than darkGround, or lighter than lightGround, hides such a change.
	darkGround  = 20.0
	lightGround = 247.0

	// late is how much longer than the median an interval with a missing shot is, at least; steady is by
	// how much the others may differ from the median, since people do not turn a table so evenly; pause is
	// what no machine waits.
	late   = 1.7
	steady = 0.15
	pause  = 10.0
)
