//go:build unix

package daemontest

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// AsOrdinaryUser lets a test about access rights run as an ordinary user, because root has all
// rights. For root it runs the test again in another process as such a user, and reports true: the
// test is then done.
func AsOrdinaryUser(t *testing.T) (done bool) {
	t.Helper()
	if os.Geteuid() != 0 {
		return false
	}
	dir, err := os.MkdirTemp("", "spinsync-test-") // that of the test is closed to others
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	program, work := filepath.Join(dir, "test"), filepath.Join(dir, "work")
	copyProgram(t, program)
	const nobody = 65534
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(work, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	test := exec.CommandContext(t.Context(), program, "-test.run=^"+t.Name()+"$", "-test.v")
	test.Dir, test.Env = work, append(os.Environ(), "TMPDIR="+work, "HOME="+work)
	test.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := test.CombinedOutput()
	if err != nil {
		t.Fatalf("as an ordinary user: %v\n%s", err, out)
	}
	return true
}

// copyProgram puts the running test where every user can start it.
func copyProgram(t *testing.T, to string) {
	t.Helper()
	from, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, program, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}
