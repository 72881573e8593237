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

// withoutAdded are the images of a turn, where there is one, without the pictures that others may
// have added.
func withoutAdded(images []apiclient.Image) []apiclient.Image {
	if turn := turnOf(images); len(turn) > 0 {
		return turn
	}
	return images
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

// matchFrames finds the images of frames, by stored names: by the ids, and those of other ids by
// their names on the service. It goes by order only where no name fits: next to a frame that kept
// its name, another name is another frame.
func matchFrames(frames []syncstate.Frame, images []apiclient.Image) map[string]apiclient.Image {
	matched, files, known := map[string]apiclient.Image{}, map[string]string{}, map[int64]string{}
	for _, f := range frames {
		stored := plan.StoredName(f.Stored, f.Name)
		files[stored] = f.Name
		if f.ImageID != 0 {
			known[f.ImageID] = stored
		}
	}
	var others []apiclient.Image
	for _, image := range images {
		if stored, ok := known[image.ID]; ok {
			matched[stored] = image
			delete(files, stored)
		} else {
			others = append(others, image)
		}
	}
	names := slices.Sorted(maps.Keys(files))
	more := matchNames(names, others)
	matchMoved(more, files, others)
	if len(more) == 0 {
		more = matchImages(names, others)
	}
	maps.Copy(matched, more)
	return matched
}
