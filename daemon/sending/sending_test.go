package sending

import (
	"errors"
	"strings"
	"testing"

	"spinsync/apiclient"
)

// A person knows a photo by its name on the disk, not by the name that it is stored under.
func TestFailedUploadNamesTheLocalFile(t *testing.T) {
	sent := errors.Join(&apiclient.Error{Op: "upload 1x-0001.jpg", Status: 500})
	if said := namedLocally(sent, "Shoe 1.jpg").Error(); !strings.Contains(said, "Shoe 1.jpg") {
		t.Errorf("told as %q", said)
	}
	broken := errors.New("broken")
	if namedLocally(broken, "Shoe 1.jpg") != broken {
		t.Error("an error of the disk became another one")
	}
}
