package config

import (
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/text/unicode/norm"

	"spinsync/apiclient"
)

// kindOf names the kind of a value, never the value: it may be a password in
// the wrong place.
func kindOf(value any) string {
	switch value.(type) {
	case string:
		return "text"
	case int64:
		return "a whole number"
	case float64:
		return "a number with a point"
	case bool:
		return "true or false"
	case time.Time:
		return "a date or time"
	case []any, []map[string]any:
		return "a list"
	}
	return "a table"
}

func boolean(value any) (bool, error) {
	b, ok := value.(bool)
	if !ok {
		return false, fmt.Errorf("want true or false without quotes, got %s", kindOf(value))
	}
	return b, nil
}

// whole accepts the whole numbers from least to most.
func whole(least, most int) func(any) (int, error) {
	return func(value any) (int, error) {
		n, ok := value.(int64)
		if !ok {
			return 0, fmt.Errorf("want a whole number without quotes, got %s", kindOf(value))
		}
		if n < int64(least) || n > int64(most) {
			return 0, fmt.Errorf("%d is out of range; write a number from %d to %d", n, least, most)
		}
		return int(n), nil
	}
}

// text returns a parser for a text value that parse reads.
func text[T any](parse func(string) (T, error)) func(any) (T, error) {
	return func(value any) (T, error) {
		s, ok := value.(string)
		if !ok {
			var none T
			return none, fmt.Errorf("want text in quotes, got %s", kindOf(value))
		}
		return parse(s)
	}
}

// list returns a parser for a list of texts, each of which parse reads.
func list[T any](parse func(string) (T, error)) func(any) ([]T, error) {
	return func(value any) ([]T, error) {
		items, ok := value.([]any)
		if !ok {
			return nil, fmt.Errorf("want a list of texts in [ ], got %s", kindOf(value))
		}
		parsed := make([]T, 0, len(items))
		for _, item := range items {
			p, err := text(parse)(item)
			if err != nil {
				return nil, err
			}
			parsed = append(parsed, p)
		}
		return parsed, nil
	}
}

// duration accepts durations in Go's notation, above zero and up to most.
func duration(most time.Duration) func(any) (time.Duration, error) {
	return func(value any) (time.Duration, error) {
		s, ok := value.(string)
		if !ok {
			return 0, fmt.Errorf(`want a duration in quotes such as "5s", got %s`, kindOf(value))
		}
		d, err := time.ParseDuration(s)
		switch {
		case err != nil:
			return 0, fmt.Errorf(`%q is no duration; write for instance "300ms", "5s" or "1m30s"`, s)
		case d <= 0 || d > most:
			return 0, fmt.Errorf("%s is out of range; write a duration above 0 and up to %s", s, most)
		}
		return d, nil
	}
}

// parseRescan returns 0 for "auto".
func parseRescan(value any) (time.Duration, error) {
	if value == "auto" {
		return 0, nil
	}
	d, err := duration(maxWait)(value)
	if err != nil {
		return 0, fmt.Errorf(`%w, or "auto"`, err)
	}
	return d, nil
}

func oneOf[T ~string](choices ...T) func(string) (T, error) {
	return func(s string) (T, error) {
		var names []string
		for _, c := range choices {
			if string(c) == s {
				return c, nil
			}
			names = append(names, strconv.Quote(string(c)))
		}
		return "", fmt.Errorf("%q is not known; write %s", s, strings.Join(names, " or "))
	}
}

// oneLine accepts any text without control characters.
func oneLine(s string) (string, error) {
	if strings.ContainsFunc(s, unicode.IsControl) {
		return "", errors.New("the text holds a line break or another control character; remove it")
	}
	return s, nil
}

const maxTitle = 1000 // characters

// title accepts the name of a thing on the service. Names compare in NFC.
func title(s string) (string, error) {
	s = norm.NFC.String(strings.TrimSpace(s))
	if n := utf8.RuneCountInString(s); n > maxTitle {
		return "", fmt.Errorf("the text has %d characters; shorten it to %d", n, maxTitle)
	}
	return oneLine(s)
}

func parseBaseURL(s string) (string, error) {
	u, err := apiclient.ParseBaseURL(s)
	if err != nil {
		return "", err
	}
	return u.String(), nil
}

// parseWebhook accepts any web address, or "" for none. It quotes nothing of it, because it may
// hold a token.
func parseWebhook(s string) (apiclient.Secret, error) {
	u, err := url.Parse(s)
	switch {
	case s == "":
		return "", nil
	case err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		return "", errors.New(`this is no web address; write for instance "https://chat.example.com/hooks/studio"`)
	case u.Fragment != "":
		return "", errors.New(`"#" does not belong in the address; remove it and what follows`)
	}
	return apiclient.Secret(s), nil
}

// parseWebhookSecret accepts a secret as Standard Webhooks writes it, or "" for none. It quotes
// nothing of it.
func parseWebhookSecret(s string) (apiclient.Secret, error) {
	encoded, marked := strings.CutPrefix(s, "whsec_")
	key, err := base64.StdEncoding.DecodeString(encoded)
	switch {
	case s == "":
		return "", nil
	case !marked || err != nil || len(key) < 24 || len(key) > 64:
		return "", errors.New("this is no secret; write whsec_ and 24 to 64 random bytes in base64, " +
			"as `echo whsec_$(openssl rand -base64 32)` prints them")
	}
	return apiclient.Secret(s), nil
}

// parseUsername refuses what HTTP Basic authentication cannot carry.
func parseUsername(s string) (string, error) {
	if s == "" || strings.Contains(s, ":") {
		return "", errors.New("want the name of a user of the service, without a colon")
	}
	return oneLine(s)
}

// parseFormField accepts the name of a form field that needs no quoting. It is empty for "auto".
func parseFormField(s string) (string, error) {
	if s == "auto" {
		return "", nil
	}
	odd := func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.", r)
	}
	if s == "" || strings.ContainsFunc(s, odd) {
		return "", fmt.Errorf("%q is no name of a form field; use only letters, digits and . - _ in it", s)
	}
	return s, nil
}

const pathRemedy = `; write a Windows path with "/" as in "C:/shoots", or between single quotes`

// pathIn accepts a path; a relative one is relative to dir. It returns an
// absolute path, or "" for "".
func pathIn(dir string) func(string) (string, error) {
	return func(s string) (string, error) {
		volume := filepath.VolumeName(s)
		switch {
		case s == "":
			return "", nil
		case strings.ContainsFunc(s, unicode.IsControl):
			return "", errors.New("the path holds a control character" + pathRemedy)
		case s == "~" || strings.HasPrefix(s, "~/"):
			return "", errors.New("~ is not replaced by the home directory here; write the whole path")
		case filepath.IsAbs(s):
			return filepath.Clean(s), nil
		case volume != "":
			return "", fmt.Errorf("%q depends on the current directory of a drive; write %q",
				s, volume+"/"+s[len(volume):])
		case runtime.GOOS == "windows" && (s[0] == '/' || s[0] == '\\'):
			return filepath.Clean(filepath.VolumeName(dir) + s), nil
		}
		return filepath.Join(dir, s), nil
	}
}

// commandIn accepts a program with its arguments. A program given as a path is relative to dir. A
// bare name is searched for in PATH.
func commandIn(dir string) func(any) ([]string, error) {
	return func(value any) ([]string, error) {
		if _, ok := value.(string); ok {
			return nil, errors.New("no shell reads a command; write the program and its arguments as a list, " +
				`for instance ["/usr/local/bin/tell", "studio"]`)
		}
		args, err := list(oneLine)(value)
		switch {
		case err != nil || len(args) == 0:
			return nil, err
		case args[0] == "":
			return nil, errors.New("the program has no name; write its path first")
		case strings.ContainsAny(args[0], `/\`):
			args[0], err = pathIn(dir)(args[0])
		}
		return args, err
	}
}

// rootIn is pathIn for a path that has to be given.
func rootIn(dir string) func(string) (string, error) {
	return func(s string) (string, error) {
		if s == "" {
			return "", errors.New("the path is empty; name the folder to watch")
		}
		return pathIn(dir)(s)
	}
}

func parseIncludes(value any) ([]string, error) {
	patterns, err := list(parseInclude)(value)
	if err == nil && len(patterns) == 0 {
		return nil, errors.New("no file would be a frame; leave include out for all kinds of images and video")
	}
	return patterns, err
}

// parseInclude accepts a pattern of file names: frames lie in the product
// folder itself.
func parseInclude(s string) (string, error) {
	if strings.ContainsAny(s, `/\`) {
		return "", fmt.Errorf(
			"%q names a folder; frames lie in the product folder itself, write a pattern of file names", s)
	}
	return s, checkPattern(s, s)
}

// parseIgnore accepts a line of a gitignore file, where braces mean themselves.
func parseIgnore(s string) (string, error) {
	if strings.HasPrefix(s, "#") {
		return "", fmt.Errorf(`%q is a comment in gitignore and ignores nothing; write '\%s' in single quotes`, s, s)
	}
	noBraces := strings.NewReplacer("{", "x", "}", "x").Replace(s)
	return s, checkPattern(s, strings.Trim(strings.TrimPrefix(noBraces, "!"), "/"))
}

// classInPattern finds what git takes for a class of characters, and the library for characters.
var classInPattern = regexp.MustCompile(`\[[^\]]*\[:[a-z]+:\]`)

func checkPattern(whole, pattern string) error {
	switch {
	case strings.TrimSpace(pattern) == "":
		return fmt.Errorf("the pattern %q fits nothing; remove it", whole)
	case strings.ContainsFunc(pattern, unicode.IsControl):
		return errors.New("a pattern holds a control character; remove it")
	case classInPattern.MatchString(pattern):
		return fmt.Errorf("%q names a class such as [:digit:], which fits nothing here; write its characters, such as [0-9]", whole)
	case !doublestar.ValidatePattern(pattern):
		return fmt.Errorf("%q is no pattern; look for a [ or { that is not closed", whole)
	}
	return nil
}

// parseMarker accepts the name of a file, or "" for none.
func parseMarker(s string) (string, error) {
	if strings.ContainsAny(s, `/\`) || s == "." || s == ".." {
		return "", fmt.Errorf(`%q is no plain file name; write for instance "done.txt"`, s)
	}
	return oneLine(s)
}

// parseListen accepts host:port, or "" for none.
func parseListen(s string) (string, error) {
	if s == "" {
		return "", nil
	}
	_, port, err := net.SplitHostPort(s)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return "", fmt.Errorf(`%q is no address to listen on; write for instance "127.0.0.1:8360", or "" for none`, s)
	}
	return oneLine(s)
}

// parseHost accepts a name without scheme and port.
func parseHost(s string) (string, error) {
	if strings.Trim(s, ".") == "" || strings.ContainsAny(s, "/:@ ") {
		return "", fmt.Errorf(`%q is no host name; write for instance "studio.local"`, s)
	}
	return oneLine(s)
}

// ParseLevel is a level of the log by its name.
func ParseLevel(s string) (level slog.Level, err error) {
	if s, err = oneOf("debug", "info", "warn", "error")(s); err == nil {
		err = level.UnmarshalText([]byte(s))
	}
	return level, err
}

// contains reports whether path is dir or lies below it. Both are absolute and
// clean. It goes by the names: a link to a directory is another directory here.
func contains(dir, path string) bool {
	dir, path = folded(dir), folded(path)
	return path == dir ||
		strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// folded lowers letter case where the file system ignores it, so that spellings of one path are
// equal.
func folded(path string) string {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return strings.ToLower(norm.NFC.String(path))
	}
	return path
}
