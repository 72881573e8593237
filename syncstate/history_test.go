package syncstate

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var noon = time.Date(2027, 1, 2, 12, 0, 0, 0, time.UTC)

// What was added is there after a restart, by time whatever the order, with names that are no text.
func TestHistoryOutlivesARestart(t *testing.T) {
	path := checkedPath(t)
	s := opened(t, path)
	h, err := s.History()
	must(t, err)
	if diff := cmp.Diff(History{}, h); diff != "" {
		t.Error(diff)
	}
	odd := Folder{Root: "/srv/shoots", Path: "Summer/\xff"}
	first := Publication{Folder: odd, Live: noon.Add(1500 * time.Millisecond), LastFrame: noon, Revision: 3, Frames: 36, Bytes: 1 << 40}
	second := Publication{Folder: shoe(), Live: noon.Add(time.Hour), Frames: 1}
	sample := Sample{At: noon, Rate: 1e6, Queue: 2}
	must(t, s.AddHistory(History{Publications: []Publication{second, first}}))
	aside := Aside{Folder: odd, At: noon, Since: noon, Cause: tooFew()}
	must(t, s.AddHistory(History{Samples: []Sample{sample}}))
	must(t, s.AddHistory(History{Asides: []Aside{aside}}))
	must(t, s.Close())
	h, err = opened(t, path).History()
	must(t, err)
	if diff := cmp.Diff(History{Publications: []Publication{first, second}, Samples: []Sample{sample}, Asides: []Aside{aside}}, h); diff != "" {
		t.Error(diff)
	}
}

func TestHistoryForgetsTheOldest(t *testing.T) {
	s := opened(t, checkedPath(t))
	for i := range MostSamples/10 + 2 {
		var h History
		for j := range 10 {
			at := noon.Add(time.Duration(10*i+j) * time.Second)
			h.Samples = append(h.Samples, Sample{At: at, Queue: 10*i + j})
		}
		must(t, s.AddHistory(h))
	}
	h, err := s.History()
	must(t, err)
	if len(h.Samples) != MostSamples || h.Samples[0].Queue != 20 || h.Samples[MostSamples-1].Queue != MostSamples+19 {
		t.Errorf("%d samples are kept, from %d on", len(h.Samples), h.Samples[0].Queue)
	}
	var many History
	for i := range MostPublications + 1 {
		many.Publications = append(many.Publications, Publication{Folder: shoe(), Live: noon.Add(time.Duration(i) * time.Second), Revision: int64(i)})
	}
	must(t, s.AddHistory(many))
	if h, err = s.History(); err != nil || len(h.Publications) != MostPublications+1 {
		t.Errorf("%d publications of one day are kept, %v", len(h.Publications), err)
	}
	must(t, s.AddHistory(History{Publications: []Publication{{Folder: shoe(), Live: noon.AddDate(0, 0, 2)}}}))
	if h, err = s.History(); err != nil || len(h.Publications) != MostPublications || h.Publications[0].Revision != 2 {
		t.Errorf("%d publications are kept, %v", len(h.Publications), err)
	}
}
