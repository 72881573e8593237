package view

import (
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"

	"golang.org/x/text/unicode/norm"

	"spinsync/apiclient"
	"spinsync/daemon/plan"
	"spinsync/syncstate"
)

// OfFolder are the images of a folder's frames, of which so many are expected. Others may have added
// pictures to the product, in other groups (interface 2, image).
func OfFolder(images []apiclient.Image, expected int) []apiclient.Image {
	if len(images) <= expected {
		return images
	}
	turn := turnOf(images)
	if len(turn) != expected {
		return images
	}
	return turn
}

// turnOf are the images of a turn.
func turnOf(images []apiclient.Image) []apiclient.Image {
	return slices.DeleteFunc(slices.Clone(images), func(i apiclient.Image) bool { return i.ImageGroup != "rotation" })
}

// storedNames are the frames' names on the service.
func storedNames(frames []syncstate.RunFrame) []string {
	names := make([]string, len(frames))
	for i, f := range frames {
		names[i] = plan.StoredName(f.Stored, f.Name)
	}
	return names
}

// matchImages finds the images of the frames with these stored names, which are sorted. It goes by
// the source's name when each frame has one, else by order, which the stored names decide
// (interface 4.3, rule 1). If not even the numbers agree, some frames have no image.
func matchImages(stored []string, images []apiclient.Image) map[string]apiclient.Image {
	matched := matchNames(stored, images)
	if len(matched) == len(stored) || len(images) != len(stored) {
		return matched
	}
	inOrder := slices.SortedStableFunc(slices.Values(images),
		func(a, b apiclient.Image) int { return a.Ordial - b.Ordial })
	for i, image := range inOrder {
		matched[stored[i]] = image
	}
	return matched
}

func matchNames(stored []string, images []apiclient.Image) map[string]apiclient.Image {
	matched := map[string]apiclient.Image{}
	for _, image := range images {
		name := sourceName(image.Source)
		if _, ok := slices.BinarySearch(stored, name); ok {
			matched[name] = image
		}
	}
	return matched
}

// position is what stored names begin with where they differ from the local ones.
var position = regexp.MustCompile(`^\d{3,}_`)

// matchMoved finds the images of frames that changed places: nothing but the position in their
// stored names is another one.
func matchMoved(matched map[string]apiclient.Image, files map[string]string, images []apiclient.Image) {
	unplaced := map[string]apiclient.Image{}
	for _, image := range images {
		unplaced[position.ReplaceAllString(sourceName(image.Source), "")] = image
	}
	for stored, local := range files {
		image, ok := unplaced[position.ReplaceAllString(stored, "")]
		if _, found := matched[stored]; ok && !found && stored != norm.NFC.String(local) {
			matched[stored] = image
		}
	}
}

// sourceName is the file's name in a stored source, which may be a path and may be URL-encoded.
func sourceName(source string) string {
	name := path.Base(source)
	if decoded, err := url.PathUnescape(name); err == nil {
		name = decoded
	}
	return norm.NFC.String(name)
}

// imagesByFile gives images their local files: those of the published revision as recorded, others
// by the names that the folder's frames have on the service. Where nothing fits, they go by the frames
// of the run: more may have come since.
func imagesByFile(s plan.Scene, images []apiclient.Image) map[string]apiclient.Image {
	byFile, run := matchFiles(s.Record.Published, s.Set.Stored, images), s.Record.Run
	if len(byFile) > 0 || run == nil || len(run.Frames) != len(images) {
		return byFile
	}
	sent := map[string]string{}
	for _, f := range run.Frames {
		sent[f.Name] = plan.StoredName(f.Stored, f.Name)
	}
	return matchFiles(nil, sent, images)
}

// matchFiles gives images their local files by their ids as published, and those of other ids by
// their names on the service, which stored maps from the local ones. It goes by order only where no
// name fits: next to a frame that kept its name, another name is another frame.
func matchFiles(
	published *syncstate.Published, stored map[string]string, images []apiclient.Image,
) map[string]apiclient.Image {
	byFile := map[string]apiclient.Image{}
	known := map[int64]string{}
	for name, f := range plan.PublishedFrames(published) {
		known[f.ImageID] = name
	}
	var others []apiclient.Image
	for _, image := range images {
		if name, ok := known[image.ID]; ok {
			byFile[name] = image
		} else {
			others = append(others, image)
		}
	}
	files := map[string]string{}
	for name, stored := range stored {
		if _, ok := byFile[name]; !ok {
			files[stored] = name
		}
	}
	names := slices.Sorted(maps.Keys(files))
	matched := matchNames(names, others)
	matchMoved(matched, files, others)
	if len(matched) == 0 {
		matched = matchImages(names, others)
	}
	for name, image := range matched {
		byFile[files[name]] = image
	}
	return byFile
}
