package syncstate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// values are one folder's record as it is stored, before compression. Nil is no value.
type values struct {
	head      []byte // the record with Run and Published, without what the other values hold
	published []byte
	run       [][]byte // marker and carried alt texts, then one value for each frame
}

func (v values) equal(w values) bool {
	return bytes.Equal(v.head, w.head) && bytes.Equal(v.published, w.published) &&
		slices.EqualFunc(v.run, w.run, bytes.Equal)
}

// head is the JSON form of a record. It shows which other values there are, so that a lost one is
// noticed.
type head struct {
	Record
	Run       *Run       `json:"run,omitempty"`
	Published *Published `json:"published,omitempty"`
	RunFrames int        `json:"run_frames,omitempty"` // how many
}

// decodeHead reads a head. Its run and its publication are without what the other values hold.
func decodeHead(data []byte) (h head, err error) {
	if err := json.Unmarshal(data, &h); err != nil {
		return head{}, err
	}
	h.Record.Run, h.Record.Published = h.Run, h.Published
	return h, h.Record.check()
}

// encode refuses a record that could not be read again.
func encode(r Record) (v values, err error) {
	if err := r.check(); err != nil {
		return values{}, err
	}
	h := head{Record: r, Run: r.Run, Published: r.Published}
	if r.Published != nil {
		v.published = pack((*coder).published, r.Published)
	}
	if r.Run != nil {
		v.encodeRun(r.Run)
		h.RunFrames = len(r.Run.Frames)
	}
	v.head, err = json.Marshal(h)
	return v, err
}

// again are the values of the record once it was read from these: then what is empty is not there.
func (v values) again() (values, error) {
	h, err := decodeHead(v.head)
	if err == nil {
		err = errors.Join(h.fillRun(v), h.fillPublished(v))
	}
	if err != nil {
		return values{}, err
	}
	return encode(h.Record)
}

func (v *values) encodeRun(run *Run) {
	v.run = append(v.run, pack((*coder).beside, run))
	for i := range run.Frames {
		v.run = append(v.run, pack((*coder).runFrame, &run.Frames[i]))
	}
}

// fillPublished adds the marker and the frames.
func (h head) fillPublished(v values) error {
	switch {
	case h.Published == nil:
		return nil
	case v.published == nil:
		return errors.New("the published frames are missing")
	}
	if err := unpack((*coder).published, v.published, h.Published); err != nil {
		return fmt.Errorf("published frames: %w", err)
	}
	return nil
}

// fillRun adds the marker, the carried alt texts and the frames.
func (h head) fillRun(v values) error {
	switch {
	case h.Run == nil:
		return nil
	case len(v.run) == 0, 1+h.RunFrames != len(v.run):
		return fmt.Errorf("%d of %d values of the run are there", len(v.run), 1+h.RunFrames)
	}
	if err := unpack((*coder).beside, v.run[0], h.Run); err != nil {
		return fmt.Errorf("marker and carried alt texts: %w", err)
	}
	h.Run.Frames = make([]RunFrame, h.RunFrames)
	for i, data := range v.run[1:] {
		if err := unpack((*coder).runFrame, data, &h.Run.Frames[i]); err != nil {
			return fmt.Errorf("frame %d of the run: %w", i, err)
		}
	}
	return nil
}
