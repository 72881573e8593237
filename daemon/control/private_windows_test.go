package control

import (
	"strings"
	"testing"

	"golang.org/x/sys/windows"
)

// Wherever the state file is, no other user of the machine can read the token.
func TestEndpointFileIsPrivate(t *testing.T) {
	state := endpointState(t)
	if err := (endpoint{Token: "secret"}).write(state); err != nil {
		t.Fatal(err)
	}
	rights, err := windows.GetNamedSecurityInfo(meetingFile(state), windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		t.Fatal(err)
	}
	for _, others := range []string{";;;WD)", ";;;BU)", ";;;AU)"} { // everyone, users, who is logged in
		if strings.Contains(rights.String(), others) {
			t.Errorf("rights %s", rights)
		}
	}
	if at, err := readEndpoint(state); err != nil || at.Token != "secret" {
		t.Errorf("read %+v, %v", at, err)
	}
}
