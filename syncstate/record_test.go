package syncstate

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// records draws records with every field of every type set, so that a new field that is not stored
// fails a test. File names are any bytes, all other texts valid UTF-8; our own times are those of a
// sane clock.
func records() *rapid.Generator[Record] {
	name := rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 12), func(b []byte) string { return string(b) })
	return rapid.MakeCustom[Record](rapid.MakeConfig{
		Types: map[reflect.Type]*rapid.Generator[any]{
			reflect.TypeFor[string]():      rapid.StringN(0, 12, -1).AsAny(),
			reflect.TypeFor[time.Time]():   instants(0, 4e9).AsAny(),
			reflect.TypeFor[*Cause]():      causes().AsAny(),
			reflect.TypeFor[Phase]():       rapid.SampledFrom(phases).AsAny(),
			reflect.TypeFor[TroubleKind](): rapid.SampledFrom([]TroubleKind{Retried, RetriedAndShown, NeedsPerson}).AsAny(),
			reflect.TypeFor[map[string]map[string]string](): rapid.MapOfN(name,
				rapid.MapOfN(rapid.String(), rapid.String(), 0, 2), 0, 3).AsAny(),
		},
		Fields: map[reflect.Type]map[string]*rapid.Generator[any]{
			reflect.TypeFor[File](): {"Name": name.AsAny(), "ModTime": instants(-1e15, 1e15).AsAny()},
		},
	}).Filter(func(r Record) bool { return r.check() == nil })
}

// TestRecordsThatMakeNoSense: what plan could not act on is neither recorded nor read.
func TestRecordsThatMakeNoSense(t *testing.T) {
	for name, change := range map[string]func(*Record){
		"an unknown phase":             func(r *Record) { r.Run.Phase = "later" },
		"sending without a form":       func(r *Record) { r.Run.Form = nil },
		"making without a create":      func(r *Record) { r.Run.Phase, r.Run.Form = Making, nil },
		"a create of what is made":     func(r *Record) { r.Run.Intent = new(Intent) },
		"collecting what was not seen": func(r *Record) { r.Run.Phase = Collecting },
		"a trouble without an end":     func(r *Record) { r.Trouble = &Trouble{} },
	} {
		s := opened(t, checkedPath(t))
		if err := s.Update(shoe(), func(r *Record) error { *r = running(1); change(r); return nil }); err == nil {
			t.Errorf("%s was recorded", name)
		}
		r := running(1)
		change(&r)
		data, err := json.Marshal(head{Record: r, Run: r.Run})
		must(t, err)
		if _, err := decodeHead(data); err == nil {
			t.Errorf("%s was read", name)
		}
	}
}

// TestRunsThatLoseTheirForm: a run without a form asks for another one before it sends, but not
// once its finish may have arrived. From then on it is bound.
func TestRunsThatLoseTheirForm(t *testing.T) {
	for before, after := range map[Phase]Phase{
		FormWanted: FormWanted, Sending: FormWanted, Finishing: Finishing, Processing: Processing, Collecting: Collecting,
	} {
		run := Run{Phase: before, Form: &Form{}}
		if run.IsBound() != (after != FormWanted) {
			t.Errorf("in %s it is bound: %t", before, run.IsBound())
		}
		run.DropForm()
		if run.Phase != after || run.Form != nil || !run.GivenUp {
			t.Errorf("%s became %s, given up: %t", before, run.Phase, run.GivenUp)
		}
		if run.Unbind(); run.Phase != FormWanted {
			t.Errorf("taken back without a form it is %s", run.Phase)
		}
	}
	if (*Run)(nil).IsBound() {
		t.Error("no run is bound")
	}
}

// TestTries: a next try is waited for, unless it lies farther away than any pause.
func TestTries(t *testing.T) {
	twice := func(n int) (time.Duration, bool) { return time.Duration(n) * time.Minute, n < 2 }
	var tries Tries
	if !tries.Again(noon, twice) || tries != (Tries{N: 1, Next: noon.Add(time.Minute)}) || tries.Again(noon, twice) {
		t.Errorf("after two tries: %+v", tries)
	}
	for left, waits := range map[time.Duration]bool{-1: false, 0: false, 1: true, time.Minute: true, time.Minute + 1: false} {
		if (Tries{Next: noon.Add(left)}).Wait(noon, time.Minute) != waits {
			t.Errorf("%s before it is due, it is waited for: %t", left, !waits)
		}
	}
}

func instants(from, to int64) *rapid.Generator[time.Time] {
	return rapid.Custom(func(t *rapid.T) time.Time {
		if rapid.IntRange(0, 3).Draw(t, "unset") == 0 {
			return time.Time{}
		}
		return time.Unix(rapid.Int64Range(from, to).Draw(t, "s"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).UTC()
	})
}

func folders() *rapid.Generator[Folder] {
	return rapid.Custom(func(t *rapid.T) Folder {
		return Folder{
			Root: rapid.SampledFrom([]string{"/srv/shoots", "/srv/shoots-2", `\\nas\shoots`}).Draw(t, "root"),
			Path: rapid.SampledFrom([]string{"a", "a/b", "a/\xff", "Ä\x01", ""}).Draw(t, "path"),
		}
	})
}

// TestStoreIsAMap runs random calls against a store and a map: whatever is recorded is read back,
// before and after the file was opened again, and nothing else changes.
func TestStoreIsAMap(t *testing.T) {
	path := checkedPath(t)
	s := opened(t, path)
	rapid.Check(t, func(rt *rapid.T) {
		s.current.Load().db.NoSync = true // no power fails here, and it is much faster
		for folder := range s.Heads() {
			must(rt, s.Delete(folder))
		}
		want := map[Folder]Record{}
		rt.Repeat(map[string]func(*rapid.T){
			"": func(rt *rapid.T) {
				folder := folders().Draw(rt, "looked at")
				wantRecord(rt, s, folder, want[folder])
			},
			"update": func(rt *rapid.T) {
				folder, r := folders().Draw(rt, "folder"), records().Draw(rt, "record")
				set(rt, s, folder, r)
				want[folder] = r
			},
			"mark": func(rt *rapid.T) { mark(rt, s, want) },
			"move": func(rt *rapid.T) { move(rt, s, want) },
			"delete": func(rt *rapid.T) {
				folder := folders().Draw(rt, "folder")
				must(rt, s.Delete(folder))
				delete(want, folder)
			},
		})
		if rapid.IntRange(0, 9).Draw(rt, "opened again") == 0 {
			must(rt, s.Reopen())
		}
		wantAll(rt, s, want)
	})
}

func mark(t *rapid.T, s *Store, want map[Folder]Record) {
	folder := folders().Draw(t, "folder")
	run := want[folder].Run
	if run == nil || len(run.Frames) == 0 {
		if s.MarkUploaded(folder, 0, RunFrame{}) == nil {
			t.Fatalf("marked a frame of %s, which has none", folder)
		}
		return
	}
	i := rapid.IntRange(0, len(run.Frames)-1).Draw(t, "index")
	f := run.Frames[i]
	f.Digest = []byte("digest")
	must(t, s.MarkUploaded(folder, i, f))
	f.Uploaded = true
	run.Frames[i] = f
}

func move(t *rapid.T, s *Store, want map[Folder]Record) {
	from, to := folders().Draw(t, "from"), folders().Draw(t, "to")
	moved, known := want[from]
	replaced := want[to]
	taken := replaced.Product.UUID != "" || replaced.Run != nil
	err := s.Move(from, to, nil)
	if refused := from != to && (!known || taken); refused != (err != nil) {
		t.Fatalf("move %s to %s: %v", from, to, err)
	}
	if err == nil && known && from != to {
		delete(want, from)
		moved.Idle.Listing = ""
		moved.Wishes.Paused, moved.Wishes.Priority = earliest(moved.Wishes.Paused, replaced.Wishes.Paused), moved.Wishes.Priority || replaced.Wishes.Priority
		want[to] = moved
	}
}

func wantAll(t *rapid.T, s *Store, want map[Folder]Record) {
	heads := maps.Collect(s.Heads())
	must(t, s.Err())
	if len(heads) != len(want) {
		t.Fatalf("%d heads, want %d", len(heads), len(want))
	}
	for folder, r := range want {
		wantRecord(t, s, folder, r)
		head, err := s.Head(folder)
		must(t, err)
		if r.Published != nil {
			p := *r.Published
			p.Marker, p.Frames = File{}, nil
			r.Published = &p
		}
		for _, got := range []Record{head, heads[folder]} {
			if diff := cmp.Diff(r, got, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("head of %s (-want +got):\n%s", folder, diff)
			}
		}
	}
}

// causes gives none, or one with arguments and parts.
func causes() *rapid.Generator[*Cause] {
	return rapid.Custom(func(t *rapid.T) *Cause {
		parts := rapid.IntRange(-1, 2).Draw(t, "parts")
		if parts < 0 {
			return nil
		}
		c := &Cause{
			Kind: Kind(rapid.StringN(0, 12, -1).Draw(t, "kind")), Name: rapid.StringN(0, 12, -1).Draw(t, "name"),
			Count: rapid.Int().Draw(t, "count"), For: time.Duration(rapid.Int64().Draw(t, "for")),
		}
		for range parts {
			c.Parts = append(c.Parts, Cause{Kind: "part", Text: rapid.StringN(0, 12, -1).Draw(t, "text")})
		}
		return c
	})
}

// Each field makes a cause another one.
func TestSameCause(t *testing.T) {
	for i := range reflect.TypeFor[Cause]().NumField() {
		var other Cause
		switch field := reflect.ValueOf(&other).Elem().Field(i); field.Kind() {
		case reflect.String:
			field.SetString("x")
		case reflect.Slice:
			field.Set(reflect.ValueOf([]Cause{{}, {Kind: "part"}}))
		default:
			field.SetInt(1)
		}
		equal := other
		equal.Parts = slices.Clone(other.Parts)
		if other.Same(&Cause{Parts: make([]Cause, 2)}) || other.Same(&Cause{}) || other.Same(nil) || !other.Same(&equal) {
			t.Errorf("%+v differs from itself, or equals an empty one", other)
		}
	}
}

func TestSameFile(t *testing.T) {
	f := File{Name: "1.jpg", Size: 3, ModTime: noon, ID: "7"}
	zoned := f
	if zoned.ModTime = noon.In(time.FixedZone("", 3600)); !f.Same(zoned) {
		t.Error("the zone of a time counts")
	}
	for _, g := range []File{
		{"2.jpg", 3, noon, "7"}, {"1.jpg", 4, noon, "7"}, {"1.jpg", 3, noon.Add(1), "7"}, {"1.jpg", 3, noon, "8"},
	} {
		if f.Same(g) {
			t.Errorf("%+v is taken for %+v", g, f)
		}
	}
}
