package browsertest

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestThousandsOfFolders opens the page of a paused daemon that watches 5,000 product folders.
// How long the first paint took is logged, and depends on the machine.
func TestThousandsOfFolders(t *testing.T) {
	browser(t)
	dir := t.TempDir()
	shoots, photo := filepath.Join(dir, "shoots"), filepath.Join(dir, "photo.jpg")
	var file bytes.Buffer
	if err := shoot.WriteFrame(&file, 0, time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(photo, file.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(shoots, 0o755); err != nil {
		t.Fatal(err)
	}
	page := studio(t, dir, onLoopback)
	pause := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/pause", strings.NewReader("all=yes"))
	pause.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer := httptest.NewRecorder()
	if page.ServeHTTP(answer, pause); answer.Code != http.StatusSeeOther {
		t.Fatalf("pause: %d %s", answer.Code, answer.Body)
	}
	for i := range 5000 {
		folder := filepath.Join(shoots, "Summer", fmt.Sprintf("SKU-%04d", i))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Link(photo, filepath.Join(folder, shoot.Name(0))); err != nil {
			t.Fatal(err)
		}
	}
	drive(t, "thousands.mjs", page, "SHOOTS="+shoots, "PHOTO="+photo)
}
