package daemon

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/alttext"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// Details is the full description of one product folder, as it stands now.
type Details struct {
	ProductStatus
	ProjectUUID  string         `json:"project_uuid"`
	Manufacturer string         `json:"manufacturer"`
	Year         string         `json:"year"`
	Reupload     bool           `json:"reupload"` // the run under way replaces a view
	Attempts     int            `json:"attempts"` // failures in a row
	Frames       []FrameDetails `json:"frame_list"`
	Locales      []string       `json:"locales"` // of all texts, sorted
	// Problems lists the read errors in the order of the folder: invalid sidecars, the folder
	// itself.
	Problems []string `json:"problems"`
}

// FrameState is how far one frame has come.
type FrameState string

const (
	FrameArriving  FrameState = "arriving"  // its file is still changing
	FrameBroken    FrameState = "broken"    // its file is not whole
	FrameWaiting   FrameState = "waiting"   // not sent yet
	FrameSent      FrameState = "sent"      // in the run under way
	FramePublished FrameState = "published" // as the file is now
	FrameGone      FrameState = "gone"      // published, and not in the folder any more
)

// FrameDetails is one frame: the local file, and the image it became when it is published.
type FrameDetails struct {
	File     string     `json:"file"` // local name
	Size     int64      `json:"size"`
	ModTime  time.Time  `json:"mod_time"`
	State    FrameState `json:"state"`
	Reason   string     `json:"reason,omitempty"` // why it is broken
	Captured time.Time  `json:"captured,omitzero"`
	Video    bool       `json:"video"`

	ImageID      int64  `json:"image_id,omitempty"` // 0 when it was never published
	MediaURL     string `json:"media_url,omitempty"`
	ThumbnailURL string `json:"thumbnail_url,omitempty"`

	Alt map[string]AltDetails `json:"alt_texts"` // by locale
}

// AltDetails is one alt text of a frame, as in the folder and as on the service.
type AltDetails struct {
	Local   string `json:"local"`   // empty when the folder has none
	Source  string `json:"source"`  // the file that Local comes from
	Service string `json:"service"` // as last read; empty when it holds none
	Ours    bool   `json:"ours"`    // Service was set from here
}

// Details reads one product folder for showing it. It changes nothing and sends nothing. Problems
// lists the files that cannot be read; the recorded details are complete all the same.
func (d *Daemon) Details(ctx context.Context, key syncstate.Folder) (Details, error) {
	status, broken, r, err := d.board.standOf(key)
	if err != nil {
		return Details{}, err
	}
	j := &job{publisher: d.publisher, key: key, root: r}
	j.snapshot, err = d.files.Look(ctx, key.Root, key.Path)
	readable := err == nil
	s, stateErr := j.scene()
	if stateErr != nil {
		return Details{}, stateErr
	}
	if s.record.Rest == fingerprintText(j.snapshot.Fingerprint) {
		j.snapshot = stilled(j.snapshot)
		s.snapshot = j.snapshot
	}
	details := Details{
		ProductStatus: status, ProjectUUID: s.record.Project.UUID,
		Manufacturer: first(s.record.Product.Manufacturer, s.wanted.manufacturer),
		Year:         first(s.record.Product.Year, s.wanted.year),
		Reupload:     s.record.Run != nil && s.record.Run.Reupload,
	}
	if s.record.Trouble != nil {
		details.Attempts = s.record.Trouble.Attempts
	}
	if readable {
		details.Problems = j.textsForShow(ctx, &s)
	} else if status.State != Missing {
		details.Problems = []string{err.Error()}
	}
	details.Frames = s.frameDetails()
	for i := range details.Frames {
		details.Frames[i].breakFor(broken)
	}
	details.Locales = localesOf(details.Frames)
	return details, nil
}

// breakFor sets the reason why the frame is broken, if there is one.
func (f *FrameDetails) breakFor(reasons map[string]string) {
	if reason, ok := reasons[f.File]; ok && f.State == FrameWaiting {
		f.State, f.Reason = FrameBroken, reason
	}
}

// standOf is a folder's status, with the reasons why frames are not whole, by name.
func (b *board) standOf(key syncstate.Folder) (ProductStatus, map[string]string, *root, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f, ok := b.folders[key]
	if !ok {
		return ProductStatus{}, nil, nil, errUnknownFolder
	}
	return b.shown(f), f.broken, f.root, nil
}

// textsForShow reads the folder's alt texts into the scene and returns their problems.
func (j *job) textsForShow(ctx context.Context, s *scene) (problems []string) {
	if err := j.readTexts(ctx, *s, j.showOrder(*s)); err != nil {
		return []string{err.Error()}
	}
	s.texts = j.texts
	for _, p := range j.problems {
		problems = append(problems, p.String())
	}
	return problems
}

// showOrder is the wanted order as far as it is known, followed by the unchecked frames.
func (j *job) showOrder(s scene) []watcher.File {
	g := s.gather()
	return slices.Concat(g.whole, g.unread)
}

func (s scene) frameDetails() []FrameDetails {
	g := s.gather()
	var list []FrameDetails
	shown := map[string]bool{}
	for _, f := range slices.Concat(g.whole, g.unread, s.snapshot.Frames) {
		if !shown[f.Name] {
			shown[f.Name] = true
			list = append(list, s.frameDetail(f))
		}
	}
	if s.record.Published == nil {
		return list
	}
	for _, f := range s.record.Published.Frames {
		if !shown[f.Name] {
			list = append(list, s.publishedDetail(f))
		}
	}
	return list
}

// frameDetail is a frame that stands in the folder.
func (s scene) frameDetail(f watcher.File) FrameDetails {
	detail := FrameDetails{File: f.Name, Video: isVideo(f.Name)}
	if s.record.Published != nil {
		i := slices.IndexFunc(s.record.Published.Frames, func(p syncstate.Frame) bool { return p.Name == f.Name })
		if i >= 0 {
			detail = s.publishedDetail(s.record.Published.Frames[i])
		}
	}
	detail.Size, detail.ModTime, detail.State = f.Size, f.ModTime, s.frameState(f)
	if captured := s.capturedAt(f); !captured.IsZero() {
		detail.Captured = captured
	}
	detail.Alt = textDetails(s.texts[f.Name], detail.Alt)
	return detail
}

func (s scene) frameState(f watcher.File) FrameState {
	sent := s.runFrame(f)
	switch {
	case !f.Still:
		return FrameArriving
	case sent != nil && sent.Uploaded:
		return FrameSent
	case sent == nil && s.publishedFrame(f) != nil:
		return FramePublished
	}
	return FrameWaiting
}

// publishedDetail is a frame as it was published, even if its file has changed or gone since.
func (s scene) publishedDetail(f syncstate.Frame) FrameDetails {
	detail := FrameDetails{
		File: f.Name, Size: f.Size, ModTime: f.ModTime, State: FrameGone, Captured: f.Captured, Video: isVideo(f.Name),
		ImageID: f.ImageID, MediaURL: f.MediaURL, ThumbnailURL: f.ThumbnailURL, Alt: map[string]AltDetails{},
	}
	for locale, text := range f.Alt {
		detail.Alt[locale] = AltDetails{Service: text, Ours: f.AltSet[locale] == text}
	}
	return detail
}

// textDetails joins the texts of the folder with those of the service.
func textDetails(said map[string]alttext.Text, published map[string]AltDetails) map[string]AltDetails {
	all := maps.Clone(published)
	if all == nil {
		all = map[string]AltDetails{}
	}
	for locale, text := range said {
		alt := all[locale]
		alt.Local, alt.Source = text.Value, text.Source
		if text.Line > 0 {
			alt.Source = fmt.Sprintf("%s:%d", text.Source, text.Line)
		}
		all[locale] = alt
	}
	return all
}

func localesOf(frames []FrameDetails) []string {
	locales := map[string]bool{}
	for _, f := range frames {
		for locale := range f.Alt {
			locales[locale] = true
		}
	}
	return slices.Sorted(maps.Keys(locales))
}

// PublishedFrames are the frames of the last published revision with their local files, as they
// were then.
func (d *Daemon) PublishedFrames(key syncstate.Folder) ([]syncstate.Frame, error) {
	record, err := d.records.Record(key)
	if err != nil || record.Published == nil {
		return nil, err
	}
	return record.Published.Frames, nil
}

// PublishedSize is the number of images in a folder's view, and of bytes in their photos; 0 when
// nothing is published.
func (d *Daemon) PublishedSize(key syncstate.Folder) (images int, bytes int64, err error) {
	head, err := d.records.Head(key)
	if err != nil || head.Published == nil {
		return 0, 0, err
	}
	return head.Published.Images, head.Published.Bytes, nil
}

// FirstFrame is the name of the first frame of a folder that is not changing any more, by name;
// empty when there is none.
func (d *Daemon) FirstFrame(ctx context.Context, key syncstate.Folder) (string, error) {
	snapshot, err := d.files.Look(ctx, key.Root, key.Path)
	if err != nil {
		return "", err
	}
	for _, f := range snapshot.Frames {
		if f.Still {
			return f.Name, nil
		}
	}
	return "", nil
}

var errNotPublished = errors.New("the folder has no view on the service yet")

// Embed asks the service for the markup that shows a folder's view on a page (interface 4.5).
func (d *Daemon) Embed(ctx context.Context, key syncstate.Folder) (apiclient.Embed, error) {
	record, err := d.records.Head(key)
	if err != nil {
		return apiclient.Embed{}, err
	}
	if record.Product.UUID == "" {
		return apiclient.Embed{}, errNotPublished
	}
	return d.service.Embed(ctx, record.Product.UUID, apiclient.EmbedOptions{Type: apiclient.EmbedResponsive})
}
