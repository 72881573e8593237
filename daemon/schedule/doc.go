// Package schedule decides which product folder is next, and how fast its frames go out. Call
// NewQueue, NewSlots, NewThrottle and PollPause:
//
//	Queue      which folder a free worker takes
//	Slots      which folder sends the next frame, and how many frames are in flight
//	Throttle   how many bytes a second leave
//	PollPause  when the service is asked for its status
//
// Queue and Slots share one order, which Class names. An item of either is the key of a folder,
// never the folder itself: the package knows neither photos nor records.
package schedule
