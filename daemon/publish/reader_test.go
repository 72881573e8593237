package publish

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spinsync/daemon/metrics"
	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/reading"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A folder during whose reading two processes in a row died waits for a person, once its run is
// through. When that is recorded, the mark ends.
func TestDeadlyFolderIsLeftToAPerson(t *testing.T) {
	root := t.TempDir()
	photo(t, filepath.Join(root, "SKU-1", "1.jpg"))
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	marks := map[string]any{"Boot": strings.TrimSpace(string(boot)), "Marks": []any{
		map[string]any{"Root": []byte(root), "Path": []byte("SKU-1"), "Listing": [16]byte{}, "Deaths": 1, "Reading": true},
	}}
	path := filepath.Join(t.TempDir(), "state.db.reading")
	data, err := json.Marshal(marks)
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	p := &Publisher{
		Neighbours: shown{}, Keeper: shown{}, Display: shown{}, Metrics: metrics.New(), Log: slog.New(slog.DiscardHandler),
		Records: NewRecords(plantest.Store(t)),
	}
	p.Files = reading.Files{Watcher: watching(t, root), Marks: reading.NewMarks(path)}
	p.Files.Marks.Open()
	j := NewJob(p, syncstate.Folder{Root: root, Path: "SKU-1"}, &reading.Root{Readers: make(chan struct{}, 1)})
	finished := plan.Scene{Record: syncstate.Record{Run: &syncstate.Run{Phase: syncstate.Processing}}}
	if stop := j.reader.read(t.Context(), finished, plan.Step{Need: plan.Need{Texts: true}}); stop != nil {
		t.Errorf("beside a run that is processed it ends with %+v", stop)
	}
	if r, err := p.Records.Store.Record(j.record.key); err != nil || r.Trouble != nil {
		t.Errorf("a run that is processed is held up by %+v, %v", r.Trouble, err)
	}
	if stop := j.reader.read(t.Context(), plan.Scene{}, plan.Step{Need: plan.Need{Texts: true}}); stop != nil {
		t.Errorf("it ends with %+v", stop)
	}
	r, err := p.Records.Store.Record(j.record.key)
	if err != nil || r.Trouble == nil || r.Trouble.Kind != syncstate.NeedsPerson || !r.Trouble.Cause.Is(status.Deadly) {
		t.Errorf("recorded is %+v, %v", r.Trouble, err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the file says so still: %v", err)
	}
}
