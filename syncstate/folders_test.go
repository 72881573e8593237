package syncstate

import (
	"testing"
)

// TestWishesOutlastAMove: what a person wished for a folder before it took over the record of
// another one stays, and so does what stood in that, but for its rest: the product gets another
// name.
func TestWishesOutlastAMove(t *testing.T) {
	s := opened(t, checkedPath(t))
	for _, test := range []struct{ moved, own, want Record }{
		{Record{}, Record{Wishes: Wishes{Priority: true}}, Record{Wishes: Wishes{Priority: true}}},
		{Record{Wishes: Wishes{Priority: true}}, Record{Wishes: Wishes{Paused: noon}}, Record{Wishes: Wishes{Priority: true, Paused: noon}}},
		{Record{Wishes: Wishes{Paused: noon}}, Record{Counts: FrameCounts{Settled: 3}}, Record{Wishes: Wishes{Paused: noon}}},
		{Record{Idle: Idle{Listing: "as it was"}}, Record{}, Record{}},
	} {
		test.moved.Product.UUID, test.want.Product.UUID = "product", "product"
		set(t, s, folder(0), test.moved)
		set(t, s, folder(1), test.own)
		must(t, s.Move(folder(0), folder(1), nil))
		wantRecord(t, s, folder(1), test.want)
		must(t, s.Delete(folder(1)))
	}
}
