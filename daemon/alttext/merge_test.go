package alttext

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

type texts = map[string]string

func TestMerge(t *testing.T) {
	tests := map[string]struct {
		last, folder, service, want texts
		kept                        []string
	}{
		"first":                {nil, texts{"en": "Shoe"}, nil, texts{"en": "Shoe"}, nil},
		"nothing new":          {texts{"en": "Shoe"}, texts{"en": "Shoe"}, texts{"en": "Shoe"}, texts{"en": "Shoe"}, nil},
		"ours changed":         {texts{"en": "Shoe"}, texts{"en": "Boot"}, texts{"en": "Shoe"}, texts{"en": "Boot"}, nil},
		"ours withdrawn":       {texts{"en": "Shoe"}, nil, texts{"en": "Shoe", "fr": "Botte"}, texts{"fr": "Botte"}, nil},
		"ours lost there":      {texts{"en": "Shoe"}, texts{"en": "Shoe"}, nil, texts{"en": "Shoe"}, nil},
		"theirs beside":        {nil, texts{"en": "Shoe"}, texts{"de": "Schuh"}, texts{"en": "Shoe", "de": "Schuh"}, nil},
		"theirs first":         {nil, texts{"en": "Shoe"}, texts{"en": "Boot"}, texts{"en": "Boot"}, []string{"en"}},
		"theirs over ours":     {texts{"en": "Shoe"}, texts{"en": "Shoe"}, texts{"en": "Boot"}, texts{"en": "Boot"}, []string{"en"}},
		"theirs, ours changed": {texts{"en": "Shoe"}, texts{"en": "Heel"}, texts{"en": "Boot"}, texts{"en": "Boot"}, []string{"en"}},
		"theirs, ours gone":    {texts{"en": "Shoe"}, nil, texts{"en": "Boot"}, texts{"en": "Boot"}, nil},
		"same by chance":       {nil, texts{"en": "Shoe"}, texts{"en": "Shoe"}, texts{"en": "Shoe"}, nil},
		"blank":                {texts{"de": "Schuh"}, texts{"en": " ", "de": "\t"}, texts{"de": "Schuh", "fr": ""}, texts{}, nil},
		"several kept":         {nil, texts{"a": "1", "b": "2", "c": "3"}, texts{"c": "x", "a": "y"}, texts{"a": "y", "b": "2", "c": "x"}, []string{"a", "c"}},
	}
	for name, test := range tests {
		want, kept := Merge(test.last, test.folder, test.service)
		if diff := cmp.Diff(test.want, want, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(test.kept, kept); diff != "" {
			t.Errorf("%s: kept (-want +got):\n%s", name, diff)
		}
	}
}

// someTexts draws from so few locales and texts that the three maps often agree and often clash.
func someTexts() *rapid.Generator[texts] {
	return rapid.MapOf(rapid.SampledFrom([]string{"en", "de", "fr"}), rapid.SampledFrom([]string{"", " ", "Shoe", "Boot", "Heel"}))
}

// TestMergeKeepsItsPromises checks promise 8 of the contract for every kind of history.
func TestMergeKeepsItsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		last, folder, service := someTexts().Draw(t, "last"), someTexts().Draw(t, "folder"), someTexts().Draw(t, "service")
		before := []texts{maps.Clone(last), maps.Clone(folder), maps.Clone(service)}
		want, kept := Merge(last, folder, service)

		if diff := cmp.Diff(before, []texts{last, folder, service}); diff != "" {
			t.Fatalf("an argument was changed:\n%s", diff)
		}
		ours, theirs := spoken(last), spoken(service)
		for _, locale := range []string{"en", "de", "fr"} {
			got, says := want[locale], spoken(folder)[locale]
			switch held := theirs[locale]; {
			case held != "" && held != ours[locale]:
				if got != held {
					t.Fatalf("%s: somebody's %q became %q", locale, held, got)
				}
			case got != says:
				t.Fatalf("%s: the folder says %q, wanted is %q", locale, says, got)
			}
		}
		for locale, text := range want {
			if spoken(want)[locale] == "" {
				t.Fatalf("%s: a blank text %q would be sent", locale, text)
			}
		}
		for _, locale := range kept {
			if want[locale] != theirs[locale] || want[locale] == folder[locale] {
				t.Fatalf("%s is reported as kept: %q", locale, want[locale])
			}
		}
	})
}

// TestMergeSettles checks that nothing is left to send once it was sent.
func TestMergeSettles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		last, folder, service := someTexts().Draw(t, "last"), someTexts().Draw(t, "folder"), someTexts().Draw(t, "service")
		want, kept := Merge(last, folder, service)
		set := maps.Clone(want)
		maps.DeleteFunc(set, func(locale, text string) bool { return folder[locale] != text })
		again, keptAgain := Merge(set, folder, want)
		if diff := cmp.Diff(want, again); diff != "" {
			t.Fatalf("sent once, it would be sent again (-sent +again):\n%s", diff)
		}
		if diff := cmp.Diff(kept, keptAgain); diff != "" {
			t.Fatalf("kept (-first +again):\n%s", diff)
		}
	})
}
