package syncstate

import (
	"path/filepath"
	"testing"

	bolt "go.etcd.io/bbolt"
)

// filled is a store of published folders with 36 frames each.
func filled(b *testing.B, n int) *Store {
	s := opened(b, filepath.Join(b.TempDir(), "state.db"))
	s.current.Load().db.NoSync = true
	for i := range n {
		set(b, s, folder(i), finished(36))
	}
	must(b, s.Reopen())
	return s
}

func BenchmarkUpdate(b *testing.B) {
	s := filled(b, 1000)
	n := 0
	for b.Loop() {
		n++
		must(b, s.Update(folder(n%1000), func(r *Record) error { r.Counts.Settled = n; return nil }))
	}
}

func BenchmarkUpdateByMany(b *testing.B) {
	s := filled(b, 1000)
	b.SetParallelism(50)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for n := 0; pb.Next(); n++ {
			if err := s.Update(folder(n%1000), func(r *Record) error { r.Counts.Settled++; return nil }); err != nil {
				b.Error(err)
			}
		}
	})
}

func BenchmarkMarkUploaded(b *testing.B) {
	s := filled(b, 1000)
	r := running(36)
	set(b, s, shoe(), r)
	n := 0
	for b.Loop() {
		n++
		frame := r.Run.Frames[n%36]
		frame.Size = int64(n)
		must(b, s.MarkUploaded(shoe(), n%36, frame))
	}
}

func BenchmarkRecord(b *testing.B) {
	s := filled(b, 1000)
	n := 0
	for b.Loop() {
		n++
		_, err := s.Record(folder(n % 1000))
		must(b, err)
	}
}

// BenchmarkHeads lists 10,000 folders.
func BenchmarkHeads(b *testing.B) {
	s := filled(b, 10_000)
	for b.Loop() {
		n := 0
		for range s.Heads() {
			n++
		}
		if n != 10_000 {
			b.Fatal(n)
		}
	}
	var size int64
	must(b, s.current.Load().db.View(func(tx *bolt.Tx) error { size = tx.Size(); return nil }))
	b.ReportMetric(float64(size)/10_000/36, "file-B/frame")
}

// BenchmarkOpen opens, checks and closes a file of 10,000 folders.
func BenchmarkOpen(b *testing.B) {
	s := filled(b, 10_000)
	for b.Loop() {
		must(b, s.Reopen())
	}
}
