package apiclient

import (
	"errors"
	"strings"
	"testing"
)

const (
	ourUUID   = "1b4e28ba-2fa1-41d2-883f-0016d3cca427"
	theirUUID = "6fa459ea-ee8a-4ca4-894e-db77e160355e"
)

// formOf is the answer to a create.
func formOf(uuid, title, path string) string {
	return `{"uuid":"` + uuid + `","title":"` + title + `","path":"` + path +
		`","policy":"p","signature":"s","hostname":"up.example.com","access_key_id":"k","acl":"private"}`
}

// An answer that something between mixed up with another one is never taken for the product's.
func TestAnswersToAnotherRequest(t *testing.T) {
	long := "Ladies' shoe, red leather, size thirty-eight, of the summer collection"
	for _, test := range []struct {
		name, asked, answer string
		other               bool
	}{
		{"as asked", "Shoe", formOf(ourUUID, "Shoe", ourUUID+"/rotation/0/1"), false},
		{"without a title", "Shoe", formOf(ourUUID, "", ourUUID+"/rotation/0/1"), false},
		{"tidied up", " Röd  Shoe & <Boot>", formOf(ourUUID, "Röd shoe &amp; &lt;Boot&gt;", ourUUID+"/1/1"), false},
		{"signs replaced", "Shoe: 1/2", formOf(ourUUID, "Shoe_ 1_2", ourUUID+"/1/1"), false},
		{"cut short", long, formOf(ourUUID, long[:50]+"…", ourUUID+"/1/1"), false},
		{"another spelling of the UUID", "Shoe", formOf(ourUUID, "Shoe", "/"+strings.ToUpper(strings.ReplaceAll(ourUUID, "-", ""))+"/1/1/"), false},
		{"below the account", "Shoe", formOf(ourUUID, "Shoe", theirUUID+"/"+ourUUID+"/1/1"), false},
		{"a path of another kind", "Shoe", formOf(ourUUID, "Shoe", "uploads/2027/1"), false},
		{"another title", "Shoe", formOf(ourUUID, "Boot", ourUUID+"/1/1"), true},
		{"a title that begins alike", "SKU-12", formOf(ourUUID, "SKU-1", ourUUID+"/1/1"), true},
		{"another path", "Shoe", formOf(ourUUID, "Shoe", theirUUID+"/1/1"), true},
	} {
		s := newService(t, answeringJSON(test.answer))
		_, err := s.client(t).CreateProduct(t.Context(), NewProduct{Title: test.asked})
		if errors.Is(err, ErrOtherAnswer) != test.other || !test.other && err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if err != nil && !failure(t, err).MayHaveTakenEffect() {
			t.Errorf("%s: %v counts as not done", test.name, err)
		}
	}
}

func TestAProjectOfAnotherTitle(t *testing.T) {
	s := newService(t, answeringJSON(`{"uuid":"`+theirUUID+`","title":"Winter"}`))
	_, err := s.client(t).CreateProject(t.Context(), "Summer")
	if !errors.Is(err, ErrOtherAnswer) || !failure(t, err).MayHaveTakenEffect() {
		t.Errorf("got %v", err)
	}
}

// The upload form of another product is never used. It may be asked for again.
func TestAReuploadOfAnotherProduct(t *testing.T) {
	for answer, other := range map[string]bool{
		formOf(theirUUID, "", theirUUID+"/1/1"):              true,
		formOf(theirUUID, "", ourUUID+"/1/1"):                true,
		formOf("", "", theirUUID+"/1/1"):                     true,
		formOf("", "", ourUUID+"/1/1"):                       false,
		formOf(strings.ToUpper(ourUUID), "", ourUUID+"/1/1"): false,
		formOf("", "", "p"):                                  false,
	} {
		s := newService(t, answeringJSON(answer))
		_, err := s.client(t).Reupload(t.Context(), ourUUID, ProductUpdate{}, 36)
		if errors.Is(err, ErrOtherAnswer) != other || !other && err != nil {
			t.Errorf("%s: %v", answer, err)
		}
		if e := (*Error)(nil); errors.As(err, &e) && !e.Temporary() {
			t.Errorf("%s: %v is not tried again", answer, err)
		}
	}
}
