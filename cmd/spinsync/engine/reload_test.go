package engine

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/config"
)

// TestConfigIsFollowed: a limit that is changed in sync.toml holds soon after, in whatever way the
// file is written. A wrong file changes nothing and says where it is wrong, and what needs a
// restart says so.
func TestConfigIsFollowed(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "sync.toml")
	write := func(name, more string) {
		t.Helper()
		text := "[service]\nbase_url = \"https://views.example.com\"\nusername = \"studio\"\n[state]\npath = 'state.db'\n" +
			"[[watch]]\npath = 'shoots'\nlayout = \"{sku}\"\nproject = \"Shoes\"\n" + more
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("sync.toml", "")
	none := func(string) string { return "" }
	c, err := config.Load(path, none)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		var limits []config.Rate
		var told string
		f := configFollower{
			c, none, slog.New(slog.NewTextHandler(&log, nil)),
			func(u config.Upload) { limits = append(limits, u.LimitAt(time.Now())) },
			func(settings string) { told = settings },
		}
		go f.run(t.Context())
		said := func(change, want string, rates ...config.Rate) {
			t.Helper()
			time.Sleep(3 * configTick)
			synctest.Wait()
			if !strings.Contains(log.String(), want) || (want == "") != (log.Len() == 0) {
				t.Errorf("%s: the log says %q", change, log.String())
			}
			if len(limits) != len(rates) || len(rates) > 0 && limits[0] != rates[0] {
				t.Errorf("%s: the limits set are %v, want %v", change, limits, rates)
			}
			log.Reset()
			limits = nil
		}
		shows := func(want string) {
			t.Helper()
			if !strings.Contains(told, want) || (want == "") != (told == "") {
				t.Errorf("the status tells %q, want %q", told, want)
			}
		}
		said("nothing", "")
		write("sync.toml", "[upload]\nlimit = \"5MB/s\"\n")
		said("a limit", "[upload] in sync.toml was changed", 5e6)
		write("new.toml", "[[upload.limits]]\nrate = \"1MB/s\"\n")
		if err := os.Rename(filepath.Join(dir, "new.toml"), path); err != nil {
			t.Fatal(err)
		}
		said("a timetable in a file that was replaced", "[upload] in sync.toml was changed", 1e6)
		write("sync.toml", "[upload]\nlimit = \"fast\"\n")
		said("a wrong limit", "upload.limit")
		shows("upload.limit")
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		said("no file", "")
		write("sync.toml", "[[upload.limits]]\nrate = \"1MB/s\"\n[log]\nlevel = \"debug\"\n")
		said("another level of the log", "`spinsync service restart`, or stop `spinsync run` and start it again")
		shows("restart for that")
		write("sync.toml", "[log]\nlevel = \"debug\"\n")
		said("no limit", "[upload] in sync.toml was changed", 0)
		write("sync.toml", "")
		said("as it was at the start", "")
		shows("")
	})
}

// TestPasswordFileIsFollowed: a password that is changed in password_file holds without a restart,
// and a file that cannot be used changes nothing.
func TestPasswordFileIsFollowed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "password")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("old")
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		var set []string
		go followPassword(t.Context(), config.Service{PasswordFile: path}, func(string) string { return "" },
			slog.New(slog.NewTextHandler(&log, nil)), func(password apiclient.Secret) { set = append(set, password.Reveal()) })
		said := func(want string, passwords ...string) {
			t.Helper()
			time.Sleep(3 * configTick)
			synctest.Wait()
			if !strings.Contains(log.String(), want) || (want == "") != (log.Len() == 0) || !slices.Equal(set, passwords) {
				t.Errorf("the log says %q and the passwords set are %q, want %q and %q", log.String(), set, want, passwords)
			}
			log.Reset()
		}
		said("")
		write("correct")
		said("password_file was changed; the new password is in use", "correct")
		write("\n")
		said("the file is empty", "correct")
	})
}
