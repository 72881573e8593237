package alttext

import (
	"maps"
	"slices"
	"strings"
)

// Merge joins, for one image, the texts that were last set from here, those that the folder has now
// and those that the service holds. All three map locales to texts.
//
// want is the complete set that the service should hold, because a request replaces all texts
// (interface 4.13). When it equals service, nothing need be sent. A text on the service that was
// not set from here was written by another person and stays. kept lists the locales in which a text
// of this kind is in the folder's way, sorted. A text that was set from here goes when the folder
// has it no longer. Blank texts count as none.
func Merge(last, folder, service map[string]string) (want map[string]string, kept []string) {
	last, folder, want = spoken(last), spoken(folder), spoken(service)
	for locale, ours := range last {
		if folder[locale] == "" && want[locale] == ours {
			delete(want, locale)
		}
	}
	for locale, text := range folder {
		switch want[locale] {
		case "", text, last[locale]:
			want[locale] = text
		default:
			kept = append(kept, locale)
		}
	}
	slices.Sort(kept)
	return want, kept
}

// spoken copies the texts that are not blank.
func spoken(texts map[string]string) map[string]string {
	list := make(map[string]string, len(texts))
	maps.Copy(list, texts)
	maps.DeleteFunc(list, func(_, text string) bool { return strings.TrimSpace(text) == "" })
	return list
}
