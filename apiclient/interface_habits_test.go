package apiclient_test

import (
	"fmt"
	"path"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/servicetest"
)

// However the strict service does what the interface leaves open, a reupload ends with its own images.
func Test_3_AReuploadEndsWithItsImagesUnderEveryHabit(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := strictWith(t, servicetest.Options{Seed: seed})
				form := s.create(2)
				s.publish(form, frames("b.jpg", "a.jpg")...)
				first := s.status(form.UUID)
				images := s.publish(s.reupload(form.UUID, 3), frames("b.jpg", "a.jpg", "c.jpg")...)
				second := s.status(form.UUID)
				if second.SourceRevision <= first.SourceRevision || !second.Finished() || len(images) != 3 {
					t.Fatalf("%+v became %+v with %+v", first, second, images)
				}
				for _, i := range images {
					if !i.MediaReady || i.SourceRevision != second.SourceRevision {
						t.Errorf("image %+v is not one of the reupload", i)
					}
				}
				shows := s.memory.(*servicetest.Server).ShowsNames()
				if named := path.Base(images[0].Source) == "a.jpg"; named != shows {
					t.Errorf("a.jpg is stored as %s, and its name is listed: %v", images[0].Source, shows)
				}
			})
		})
	}
}

// The lists of the strict service follow a change after the lag of its kind.
func Test_4_8_ListsOfTheStrictServiceAreLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := strictWith(t, servicetest.Options{ListLag: time.Minute, RemovedLag: time.Hour})
		form := s.create(1)
		listed := func(want bool) {
			t.Helper()
			projects, err := s.client.Projects(t.Context())
			s.must(err)
			products, err := s.client.Products(t.Context(), apiclient.Filter{})
			s.must(err)
			if len(projects) > 0 != want || s.find(products, form.UUID) != nil != want {
				t.Errorf("listed are %+v and %+v, want them: %v", projects, products, want)
			}
		}
		for _, wait := range []struct {
			lag           time.Duration
			before, after bool
			change        func() error
		}{
			{time.Minute, false, true, func() error { return nil }},
			{time.Hour, true, false, func() error { return s.memory.RemoveProject(s.project.UUID) }},
		} {
			s.must(wait.change())
			time.Sleep(wait.lag - time.Nanosecond)
			listed(wait.before)
			time.Sleep(time.Nanosecond)
			listed(wait.after)
		}
	})
}
