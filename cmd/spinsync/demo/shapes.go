package demo

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"spinsync/apiclient/sandbox"
)

// shapeFlags are the names of --shape, each as a flag that sets its shape.
func shapeFlags(s *sandbox.Shapes) *pflag.FlagSet {
	f := pflag.NewFlagSet("shape", pflag.ContinueOnError)
	f.StringVar(&s.WrapEmbed, "wrap-embed", "", "")
	f.StringVar(&s.WrapCredentials, "wrap-credentials", "", "")
	f.StringVar(&s.WrapLists, "wrap-lists", "", "")
	f.StringVar(&s.AccessKeyField, "access-key-field", "", "")
	f.StringVar(&s.PendingWord, "pending-word", "", "")
	f.StringSliceVar(&s.ProcessingWords, "processing-words", nil, "")
	f.Var(choice(&s.Hostname, "bare", "url", "slash"), "hostname", "")
	f.Var(choice(&s.Filters, "exact", "substring", "ignored"), "filters", "")
	f.Var(choice(&s.Sources, "renamed", "kept", "random"), "sources", "")
	f.Func("groups", "", func(value string) (err error) { s.Groups, err = parseGroups(value); return err })
	f.IntVar(&s.UploadStatus, "upload-status", 0, "")
	f.IntVar(&s.PageSize, "page-size", 0, "")
	f.IntVar(&s.StorageVersion, "storage-version", 0, "")
	f.Uint64Var(&s.FirstRevision, "first-revision", 0, "")
	f.DurationVar(&s.FinishLag, "finish-lag", 0, "")
	f.DurationVar(&s.ListLag, "list-lag", 0, "")
	for name, field := range map[string]*bool{
		"embed-needs-user": &s.EmbedNeedsUser, "silent-policy": &s.SilentPolicy, "expiry-at-end": &s.ExpiryAtEnd,
		"silent-finish": &s.SilentFinish, "refuse-wrong-count": &s.RefuseWrongCount, "error-objects": &s.ErrorObjects,
		"errors-are-ok": &s.ErrorsAreOK, "year-is-number": &s.YearIsNumber, "extra-fields": &s.ExtraFields,
		"strict-rights": &s.StrictRights, "raise-early": &s.RaiseEarly, "keep-ids": &s.KeepIDs,
		"keep-alt-texts": &s.KeepAltTexts, "no-media": &s.NoMedia,
	} {
		f.BoolVar(field, name, false, "")
	}
	return f
}

// parseGroups reads PREFIX:GROUP,… for Shapes.Groups.
func parseGroups(value string) (map[string]string, error) {
	groups := map[string]string{}
	for pair := range strings.SplitSeq(value, ",") {
		prefix, group, ok := strings.Cut(pair, ":")
		if !ok || group == "" {
			return nil, fmt.Errorf("write PREFIX:GROUP, for instance detail_:gallery,still_:additional")
		}
		groups[prefix] = group
	}
	return groups, nil
}

// A choiceFlag sets a number by its name, which is its place among the names.
type choiceFlag[T ~int] struct {
	number *T
	names  []string
}

func choice[T ~int](number *T, names ...string) choiceFlag[T] { return choiceFlag[T]{number, names} }

func (c choiceFlag[T]) String() string { return "" }

func (c choiceFlag[T]) Type() string { return "name" }

func (c choiceFlag[T]) Set(value string) error {
	i := slices.Index(c.names, value)
	if i < 0 {
		return fmt.Errorf("write %s", strings.Join(c.names, " or "))
	}
	*c.number = T(i)
	return nil
}

func parseShapes(args []string) (shapes sandbox.Shapes, err error) {
	flags := shapeFlags(&shapes)
	for _, arg := range args {
		if err := setNamed(flags, arg); err != nil {
			return shapes, fmt.Errorf("--shape %s: %w", arg, err)
		}
	}
	return shapes, nil
}

// setNamed sets what NAME or NAME=VALUE names. A switch takes no value.
func setNamed(flags *pflag.FlagSet, arg string) error {
	name, value, _ := strings.Cut(arg, "=")
	flag := flags.Lookup(name)
	switch {
	case flag == nil:
		return fmt.Errorf("%q is not known; see spinsync sandbox --help", name)
	case flag.Value.Type() == "bool":
		value = "true"
	}
	return flag.Value.Set(value)
}

// shapeNames is the list of names in the help, a few to a line.
func shapeNames() string {
	var names []string
	shapeFlags(&sandbox.Shapes{}).VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	var b strings.Builder
	for line := range slices.Chunk(names, 6) {
		fmt.Fprintf(&b, "  %s\n", strings.Join(line, ", "))
	}
	return strings.TrimRight(b.String(), "\n")
}
