package syncstate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// values are one folder's record as it is stored, before compression. Nil stands for no value.
type values struct {
	head      []byte // the record with Run and Published, without what the other values hold
	carry     []byte
	published []byte
	run       [][]byte // one value for each frame
}

func (v values) equal(w values) bool {
	return bytes.Equal(v.head, w.head) && bytes.Equal(v.carry, w.carry) &&
		bytes.Equal(v.published, w.published) && slices.EqualFunc(v.run, w.run, bytes.Equal)
}

func encode(r Record) (values, error) {
	data, err := json.Marshal(head{Record: r, Run: r.Run, Published: r.Published})
	v := values{head: data}
	if r.Published != nil {
		v.published = pack((*coder).published, r.Published)
	}
	if r.Run == nil {
		return v, err
	}
	if len(r.Run.Carry) > 0 || r.Run.Marker != (File{}) {
		v.carry = pack((*coder).carry, r.Run)
	}
	for i := range r.Run.Frames {
		v.run = append(v.run, pack((*coder).runFrame, &r.Run.Frames[i]))
	}
	return v, err
}

// record is the opposite of encode. Values that were not read leave their fields empty.
func (v values) record() (Record, error) {
	if v.head == nil {
		return Record{}, nil
	}
	r, err := decodeHead(v.head)
	if err != nil {
		return Record{}, err
	}
	if v.published != nil && r.Published != nil {
		if err := unpack((*coder).published, v.published, r.Published); err != nil {
			return Record{}, fmt.Errorf("published frames: %w", err)
		}
	}
	if r.Run == nil {
		return r, nil
	}
	return r, v.fill(r.Run)
}

func (v values) fill(run *Run) error {
	if v.carry != nil {
		if err := unpack((*coder).carry, v.carry, run); err != nil {
			return fmt.Errorf("marker and carried alt texts: %w", err)
		}
	}
	run.Frames = make([]RunFrame, len(v.run))
	for i, data := range v.run {
		if err := unpack((*coder).runFrame, data, &run.Frames[i]); err != nil {
			return fmt.Errorf("frame %d of the run: %w", i, err)
		}
	}
	return nil
}
