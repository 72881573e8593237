package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf8"

	"spinsync/apiclient"
)

// maxPassword bounds the bytes that are read of a password file.
const maxPassword = 64 << 10

// Keychain returns the password that the system's keychain holds for a user of
// the service, "" when it holds none. An error means that there is no keychain
// to ask.
type Keychain func(baseURL, username string) (string, error)

// ResolvePassword returns the first password there is: password of the file,
// password_file, SPINSYNC_PASSWORD, systemd's credential "password", the file
// that the credential is made from, the keychain. A source that is there and
// cannot be used is an error, so that no other password is sent in its place.
// keychain may be nil.
func (s Service) ResolvePassword(env func(string) string, keychain Keychain) (apiclient.Secret, error) {
	if s.Password != "" {
		return s.Password, nil
	}
	if s.PasswordFile != "" {
		return readPassword("password_file", s.PasswordFile, checkPrivate)
	}
	if password := env("SPINSYNC_PASSWORD"); password != "" {
		return apiclient.Secret(password), nil
	}
	if password, err := credential(env("CREDENTIALS_DIRECTORY")); password != "" || err != nil {
		return password, err
	}
	if password, err := s.fromHanded(); password != "" || err != nil {
		return password, err
	}
	return s.fromKeychain(keychain)
}

// fromHanded reads the file that systemd hands over to the service. Only root may.
func (s Service) fromHanded() (apiclient.Secret, error) {
	if _, err := os.Stat(s.Handed); s.Handed == "" || errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	password, err := readPassword("the service's password", s.Handed, checkPrivate)
	if errors.Is(err, fs.ErrPermission) {
		return "", fmt.Errorf("no password for %s at %s: the service has it, in %s; use sudo, or set SPINSYNC_PASSWORD",
			s.Username, s.BaseURL, s.Handed)
	}
	return password, err
}

// PasswordRemedy returns the remedy for a user name or password that the service rejects. It names
// the source that ResolvePassword took the password from. A daemon reads sync.toml and password_file
// again by itself, the keychain with the next reload, and the rest at its start alone.
func (s Service) PasswordRemedy(env func(string) string) string {
	const restart = ", and restart spinsync if it runs"
	switch {
	case s.Password != "":
		return "correct username or password in sync.toml"
	case s.PasswordFile != "":
		return fmt.Sprintf(
			"correct the password in %s, which a running spinsync reads again by itself, or username in sync.toml", s.PasswordFile)
	case env("SPINSYNC_PASSWORD") != "":
		return "correct SPINSYNC_PASSWORD in the environment, or username in sync.toml" + restart
	}
	if password, err := credential(env("CREDENTIALS_DIRECTORY")); password != "" || err != nil {
		return `correct the file that systemd hands over as the credential "password", or username in sync.toml` +
			restart
	}
	if password, err := s.fromHanded(); password != "" || err != nil {
		return fmt.Sprintf("correct the password in %s, or username in sync.toml%s", s.Handed, restart)
	}
	return "correct the password with `spinsync login`, or username in sync.toml, and reload spinsync if it runs"
}

// shortestPassword is how many characters the page's password has at least. Other computers of the
// studio can try passwords; those of the service are the service's matter.
const shortestPassword = 10

// ResolvePassword returns the page's password, "" when it has none.
func (d Dashboard) ResolvePassword() (apiclient.Secret, error) {
	const source = "password_file of [dashboard]"
	if d.PasswordFile == "" {
		return "", nil
	}
	password, err := readPassword(source, d.PasswordFile, checkPrivate)
	if err == nil && utf8.RuneCountInString(password.Reveal()) < shortestPassword {
		return "", fmt.Errorf("%s %s: the password is too short; write one of at least %d characters",
			source, d.PasswordFile, shortestPassword)
	}
	return password, err
}

func (s Service) fromKeychain(keychain Keychain) (apiclient.Secret, error) {
	const remedies = `set password or password_file in sync.toml, or SPINSYNC_PASSWORD, or run "spinsync login"`
	if keychain == nil {
		return "", fmt.Errorf("no password for %s at %s; %s", s.Username, s.BaseURL, remedies)
	}
	password, err := keychain(s.BaseURL, s.Username)
	if err != nil {
		return "", fmt.Errorf("no password for %s at %s, and no keychain: %w; %s", s.Username, s.BaseURL, err, remedies)
	}
	if password == "" {
		return s.fromKeychain(nil)
	}
	return apiclient.Secret(password), nil
}

// credential reads the file that LoadCredential=password of a systemd unit provides. systemd
// restricts who may read it. A blank file counts as none: SetCredential= makes one where the file
// that LoadCredential= names is missing.
func credential(dir string) (apiclient.Secret, error) {
	path := filepath.Join(dir, "password")
	if dir == "" {
		return "", nil
	}
	data, err := readSmallFile(path, anyMode)
	if errors.Is(err, os.ErrNotExist) || err == nil && strings.Trim(string(data), "\r\n") == "" {
		return "", nil
	}
	return readPassword("systemd credential", path, anyMode)
}

// anyMode accepts a file whoever may read it.
func anyMode(os.FileInfo) error { return nil }

// readPassword names in its errors which source the file is. A new line at the
// end is no part of the password, nor is the mark that Notepad puts in front.
func readPassword(source, path string, check func(os.FileInfo) error) (apiclient.Secret, error) {
	data, err := readSmallFile(path, check)
	if named := (*fs.PathError)(nil); errors.As(err, &named) {
		err = named.Err
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w; write the password into this file, or name another one", err)
	}
	if err != nil {
		return "", &fs.PathError{Op: source, Path: path, Err: err}
	}
	password := strings.TrimPrefix(string(data), "\ufeff")
	password = strings.TrimSuffix(strings.TrimSuffix(password, "\n"), "\r")
	switch {
	case password == "":
		return "", fmt.Errorf("%s %s: the file is empty; write the password into it", source, path)
	case strings.ContainsAny(password, "\r\n"):
		return "", fmt.Errorf("%s %s: the file has more than one line; leave the password alone in it", source, path)
	}
	return apiclient.Secret(password), nil
}

// readSmallFile checks the kind of file before it opens: opening a pipe would wait for ever.
func readSmallFile(path string, check func(os.FileInfo) error) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !IsFile(info):
		return nil, errors.New("this is no regular file")
	case info.Size() > maxPassword:
		return nil, errors.New("the file is too large for a password")
	}
	if err := check(info); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// IsFile reports whether what a path leads to is a regular file. Those of clouds are irregular on
// Windows.
func IsFile(info os.FileInfo) bool { return (info.Mode() &^ fs.ModeIrregular).IsRegular() }

// checkPrivate refuses a file that others than its owner may use. On Windows the mode does not show
// who may use it.
func checkPrivate(info os.FileInfo) error {
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&0o077 != 0 {
		return fmt.Errorf("others than its owner may use the file (mode %04o); run chmod 600 on it", mode)
	}
	return nil
}
