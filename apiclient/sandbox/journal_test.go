package sandbox_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
)

// brief is a journal in short: seconds since its begin, effect, revision and number of files.
func brief(journal []sandbox.Entry) []string {
	var lines []string
	for _, e := range journal {
		line := fmt.Sprintf("%v %s %d", e.Time.Sub(journal[0].Time).Seconds(), e.Effect, e.Revision)
		switch e.Effect {
		case sandbox.FileStored:
			line += fmt.Sprintf(" %s %v", e.File.Name, e.Bound)
		case sandbox.Uploaded:
			line += fmt.Sprintf(" %d/%d", len(e.Files), e.Images)
		}
		lines = append(lines, line)
	}
	return lines
}

func TestTheJournalHoldsEveryEffectInItsOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t)
		form := w.product(2)
		w.publish(form, frames(2)...)
		w.must(w.client.FinishUpload(t.Context(), form.UUID)) // repeated: no effect
		time.Sleep(5 * time.Second)
		_, err := w.client.SetAltTexts(t.Context(), w.images(form.UUID)[0].ID, map[string]string{"en": "A shoe"})
		w.must(err)
		title := "Boot"
		again, err := w.client.Reupload(t.Context(), form.UUID, apiclient.ProductUpdate{Title: &title}, 1)
		w.must(err)
		w.publish(again, frames(1)...)
		time.Sleep(time.Second)
		w.publish(w.reupload(form.UUID, 2), frames(1)...) // replaces what is still processing
		time.Sleep(3 * time.Second)
		w.must(w.client.UpdateProduct(t.Context(), form.UUID, apiclient.ProductUpdate{Title: &title})) // the same: no effect
		w.must(w.client.DeleteProduct(t.Context(), form.UUID))
		want := []string{
			"0 project created 0",
			"0 product created 0",
			"0 form issued 0",
			"0 file stored 0 frame_01.jpg true",
			"0 file stored 0 frame_02.jpg true",
			"0 uploaded 0 2/2",
			"5 alt texts set 0",
			"5 product updated 0",
			"5 form issued 1",
			"5 file stored 1 frame_01.jpg true",
			"5 uploaded 1 1/1",
			"6 form issued 2",
			"6 file stored 2 frame_01.jpg true",
			"6 uploaded 2 1/2",
			"9 product deleted 0",
		}
		if got := brief(w.journal()); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("journal:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

func TestRevisionsShowWhichFinished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t)
		form := w.product(1)
		w.publish(form, frames(1)...)
		w.publish(w.reupload(form.UUID, 2), frames(2)...)
		time.Sleep(processed)
		w.publish(w.reupload(form.UUID, 3), frames(3)...)
		var got []string
		for _, r := range w.only().Revisions {
			got = append(got, fmt.Sprint(r.Number, r.Finished, len(r.Files)))
		}
		if want := "0 false 1, 1 true 2, 2 false 3"; strings.Join(got, ", ") != want {
			t.Errorf("revisions %q, want %s", got, want)
		}
		if digest := w.only().Revisions[1].Files[0].SHA256; len(digest) != 64 {
			t.Errorf("digest %q", digest)
		}
	})
}

func TestWithoutAJournalNothingIsKept(t *testing.T) {
	w := open(t, func(o *sandbox.Options) { o.Journal = false })
	w.publish(w.product(1), frames(1)...)
	if journal := w.journal(); len(journal) > 0 {
		t.Errorf("journal %+v", journal)
	}
}
