package dashboard

import (
	"cmp"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"spinsync/daemon/status"
)

// name is what people call a product: its title, else its SKU, else its folder. A root that needs a
// person itself has its own name.
func (p product) name() string {
	if p.Folder == "." {
		return tableName(p.Root)
	}
	return cmp.Or(p.Title, p.SKU, path.Base(p.Folder))
}

// tableName is a root's short name.
func tableName(root string) string { return filepath.Base(root) }

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}

// grouped writes a number with narrow spaces between thousands.
func grouped(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

// span is a duration in words.
func span(d time.Duration) string {
	switch {
	case d < time.Second:
		return "under 1 s"
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
}

// roughly is a duration that is only guessed.
func roughly(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Round(5*time.Second).Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Round(time.Minute).Minutes()))
	}
	return fmt.Sprintf("%d h", int(d.Round(time.Hour).Hours()))
}

// clock writes a time, with the date and the year only where they differ from those of now.
func clock(t time.Time) string {
	t = t.Local()
	switch now := time.Now(); {
	case t.IsZero() || t.Year() < 1971:
		return ""
	case sameDay(t, now):
		return t.Format("15:04:05")
	case t.Year() == now.Year():
		return t.Format("2 Jan, 15:04")
	}
	return t.Format("2 Jan 2006, 15:04")
}

// sentence gives a reason a capital, unless it begins with a command or the name of a file.
func sentence(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	first, _, _ := strings.Cut(s, " ")
	if strings.HasPrefix(s, "`") || size == 0 || strings.ContainsAny(first, "._/") {
		return s
	}
	return string(unicode.ToUpper(r)) + s[size:]
}

// A fragment is a piece of a reason; commands are between backticks there.
type fragment struct {
	Text   string
	Code   bool // a command
	Button bool // the label of a button on the page
}

func fragments(s string) []fragment {
	var list []fragment
	for i, text := range strings.Split(s, "`") {
		if text != "" {
			list = append(list, fragment{Text: text, Code: i%2 == 1})
		}
	}
	return list
}

// stateWord is a state in the word of status, at the start of a line.
func stateWord(s status.State) string { return sentence(string(s)) }

// originOf is scheme and host of an address that a browser may load, or "".
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" ||
		strings.ContainsAny(u.Host, " ;,'\"") {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
