package status

// The kinds of causes. Their sentences may change freely. Their meaning may not, because kinds are
// recorded.
const (
	// Frames arrive.
	NotSeen      Kind = "not seen"
	NoFrames     Kind = "no frames"
	NoFramesLeft Kind = "no frames left"
	NoneTaken    Kind = "none taken"
	Unsettled    Kind = "unsettled"
	AwaitsMarker Kind = "awaits marker"
	AwaitsRest   Kind = "awaits rest"
	AwaitsQuiet  Kind = "awaits quiet"
	AwaitsTurn   Kind = "awaits turn"
	AwaitsFile   Kind = "awaits file"
	// At a station of a fleet, whose share may show what was there before.
	ViewSettles Kind = "view settles"
	ViewBehind  Kind = "view behind"
	Unread      Kind = "unread"
	// AtStation and AtNoStation: another station works on the folder, which alone knows how far it is.
	AtStation   Kind = "at station"
	AtNoStation Kind = "at no station"
	// MayBeOld: the folder may be one that another station saw renamed, as a copy still shows it.
	MayBeOld  Kind = "may be old"
	Checking  Kind = "checking"
	Comparing Kind = "comparing"

	// Parts of Unsettled.
	StillChanging Kind = "still changing"
	SeenAgain     Kind = "seen again"
	NotChecked    Kind = "not checked"
	NotWhole      Kind = "not whole"
	Temporary     Kind = "temporary"

	// A person must see to the files.
	OnlyNotTaken      Kind = "only not taken"
	TooFew            Kind = "too few"
	TooMany           Kind = "too many"
	BrokenFrame       Kind = "broken frame"
	BrokenFrames      Kind = "broken frames"
	SeveralVideos     Kind = "several videos"
	VideoBesideImages Kind = "video beside images"
	Mistake           Kind = "mistake"
	NoAccess          Kind = "no access"
	Misplaced         Kind = "misplaced"

	// Notes, shown with a state. No person need act.
	SomeNotTaken  Kind = "not taken"
	NoLongerWrong Kind = "no longer wrong"
	OtherNumber   Kind = "other number"
	NumberMissing Kind = "number missing"
	PhotosOf      Kind = "photos of"
	WithNotes     Kind = "with notes"

	// The folder cannot be read now.
	Unreadable  Kind = "unreadable"
	DriveAway   Kind = "drive away"
	RootOffline Kind = "root offline"

	// Work on the service.
	FindingProject  Kind = "finding project"
	Creating        Kind = "creating"
	Reuploading     Kind = "reuploading"
	FormTooOld      Kind = "form too old"
	CheckingUpload  Kind = "checking upload"
	Sending         Kind = "sending"
	AllSent         Kind = "all sent"
	AtWork          Kind = "processing"
	UpdatingFields  Kind = "updating fields"
	ReadingTexts    Kind = "reading texts"
	SettingTexts    Kind = "setting texts"
	TextProblems    Kind = "text problems"
	LookingForView  Kind = "looking for view"
	LookingAtView   Kind = "looking at view"
	LookingForMoved Kind = "looking for moved"
	UnknownUpload   Kind = "unknown upload"
	NoView          Kind = "no view"
	Incomplete      Kind = "incomplete"
	StillProcessing Kind = "still processing"
	Differs         Kind = "differs"
	FinishUnclear   Kind = "finish unclear"

	// The folder is gone, or back.
	Gone               Kind = "gone"
	GoneUnpublished    Kind = "gone unpublished"
	GoneWithView       Kind = "gone with view"
	GoneSeeking        Kind = "gone, seeking view"
	GoneForNow         Kind = "gone for now"
	GoneOrRenamed      Kind = "gone or renamed"
	GoneOrElsewhere    Kind = "gone or elsewhere"
	GoneWithOthers     Kind = "gone with others"
	GoneDeleting       Kind = "gone, deleting"
	MayDeleteOther     Kind = "may delete, other"
	MayDeleteElsewhere Kind = "may delete, elsewhere"
	MayDeleteMany      Kind = "may delete, many"
	MayDeleteMisplaced Kind = "may delete, misplaced"
	MayDeleteUnread    Kind = "may delete, unread"
	MayDeleteUnsure    Kind = "may delete, unsure"
	MayDeleteInFleet   Kind = "may delete, fleet"
	LeftAlone          Kind = "left alone"
	Back               Kind = "back"
	BackSeeking        Kind = "back, seeking view"

	// A pause.
	AllPaused    Kind = "all paused"
	OnTheWay     Kind = "on the way"
	FolderPaused Kind = "folder paused"
	Resumed      Kind = "resumed"
	TriedNext    Kind = "tried next"

	// Failures.
	Failed          Kind = "failed"
	FailedForGood   Kind = "failed for good"
	Refused         Kind = "refused"
	Unanswered      Kind = "unanswered"
	NoAnswer        Kind = "no answer"
	PauseCut        Kind = "pause cut"
	OtherAnswer     Kind = "other answer"
	SeveralNamed    Kind = "several named"
	SeveralAlike    Kind = "several alike"
	NoSuchProject   Kind = "no such project"
	OthersProduct   Kind = "other folder's product"
	SharedProduct   Kind = "shared product"
	ProductGone     Kind = "product gone"
	ProjectRefused  Kind = "project refused"
	ListRefused     Kind = "list refused"
	ListedStill     Kind = "listed still"
	ViewReplaced    Kind = "view replaced"
	PreviousView    Kind = "previous view"
	OthersView      Kind = "view of others"
	Twins           Kind = "twins"
	FromEmptied     Kind = "from emptied"
	NameOnly        Kind = "name only"
	StuckProcessing Kind = "stuck processing"
	WrongList       Kind = "wrong list"
	TextsRefused    Kind = "texts refused"
	TextsRefusedFor Kind = "texts refused for good"
	RefusedText     Kind = "refused text"
	FormReplaced    Kind = "form replaced"
	FormRefused     Kind = "form refused"
	FrameRefused    Kind = "frame refused"
	FormShort       Kind = "form short"
	WrongSize       Kind = "wrong size"
	Overtaken       Kind = "overtaken"
	InternalError   Kind = "internal error"
	InternalErrors  Kind = "internal errors"
	Deadly          Kind = "deadly"
	StateFileFailed Kind = "state file failed"
	// TooLargeForFleet: the record does not fit into a transaction of the fleet's cluster.
	TooLargeForFleet Kind = "too large for fleet"
)

// phrases are the sentences in English. A placeholder names an argument of the cause, or a command
// for its folder.
var phrases = map[Kind]string{
	NotSeen:      "not checked yet",
	NoFrames:     "no frames yet",
	NoFramesLeft: "no frames left; the view is kept as it was published",
	NoneTaken:    "no frames yet; {parts}",
	Unsettled:    "waiting for {parts}",
	AwaitsMarker: "{progress}, waiting for {name}",
	AwaitsRest:   "{progress}, waiting for the other frames",
	AwaitsQuiet:  "{progress}, complete when quiet for {for}",
	AwaitsTurn:   "complete, waiting for its turn",
	AwaitsFile:   "{text}",
	ViewSettles:  "this computer waits up to 90s after a start or a takeover, until its share surely shows what is there",
	ViewBehind: "this computer sees older files than those that were published; bring its share up to date, " +
		"or {retry} publishes what it sees",
	Unread:      "the fleet's record of this folder cannot be read; {retry} drops it, and compares the folder with the service",
	AtStation:   "station {name} works on it",
	AtNoStation: "no station is known to work on it",
	MayBeOld: "its photos are those of {name}, which this computer has not seen at its place; bring its share up to date, " +
		"or {retry} renames the view",
	Checking:  "checking {frames}",
	Comparing: "comparing {frames}",

	StillChanging: "{name} (still changing)",
	SeenAgain:     "{name} (checked again)",
	NotChecked:    "{name} (not checked yet)",
	NotWhole:      "{name} ({text})",
	Temporary:     "{name} ({text})",

	OnlyNotTaken: "no frames; {parts}",
	TooFew: "{progress}: too few{also}; add the missing frames, or " +
		"publish the folder as it is with {retry --as-is}",
	TooMany: "{progress}: too many; remove the extra frames, or " +
		"publish the folder as it is with {retry --as-is}",
	BrokenFrame:       "{name}: {text}; shoot or export it again, or remove it",
	BrokenFrames:      "{parts}; shoot or export them again, or remove them",
	SeveralVideos:     "{count} videos in one folder; a product is one video, so keep one",
	VideoBesideImages: "a video beside images; a product is either one video or images, so move the others away",
	Mistake:           "{text}",
	NoAccess:          "{text}{remedy}",
	Misplaced:         "{text}",
	SomeNotTaken:      "{text}",
	OtherNumber:       "published with {progress}",
	NumberMissing:     "{text}",
	PhotosOf:          "it went live with the photos of {name}",
	NoLongerWrong:     "nothing is wrong with the directory any more",
	WithNotes:         "{parts}",

	Unreadable:  "{text}",
	DriveAway:   "{text}: connect the drive{remedy}",
	RootOffline: "{text}",

	FindingProject:  "looking for the project",
	Creating:        "creating the product",
	Reuploading:     "asking for a new upload",
	FormTooOld:      "the upload form is too old for the frames that are left",
	CheckingUpload:  "checking whether the upload can continue",
	Sending:         "{progress}",
	AllSent:         "all frames are sent",
	AtWork:          "the service is processing {frames}",
	UpdatingFields:  "updating title, SKU, manufacturer or year",
	ReadingTexts:    "reading alt texts",
	SettingTexts:    "setting alt texts of {frames}",
	TextProblems:    "alt texts: {text}",
	LookingForView:  "checking whether the service has the view",
	LookingAtView:   "comparing the folder with the service",
	LookingForMoved: "checking whether this is folder {name} of {other}, moved",
	NoView:          "the service has no view of this project, SKU and title",
	UnknownUpload:   "the service processes an upload that the state file does not know",
	Incomplete:      "the folder is not complete",
	StillProcessing: "the service is still processing it",
	Differs:         "{text}",
	FinishUnclear:   "the request that ends the upload got no answer; checking whether it arrived",

	Gone: "the folder is gone",
	GoneUnpublished: "the folder is gone and was never published; bring it back, " +
		"or delete its empty product with {forget --delete-view}",
	GoneWithView:    "the folder is gone, the view is kept",
	GoneSeeking:     "the folder is gone; checking whether a view was created for it",
	GoneForNow:      "the folder is gone; the view is deleted if the folder stays away",
	GoneOrRenamed:   "the folder is gone; checking whether it was renamed or moved",
	GoneOrElsewhere: "the folder is gone; it may have moved to {name}, which has not been read since",
	GoneWithOthers:  "the folder is gone, and so are others",
	LeftAlone:       "sync.toml leaves the folder out; its view stays as it is",
	GoneDeleting:    "the folder is gone, the view is being deleted",
	MayDeleteOther: "the service may have the view for another folder now, so it is not deleted; " +
		"bring the folder back, or delete its view with {retry}",
	MayDeleteElsewhere: "the folder may have moved to {name}, which has not been read since, so its view is not deleted; " +
		"bring the folder back, or delete its view with {retry}",
	MayDeleteMany: "the folder is gone, and so are others, so its view is not deleted; " +
		"bring the folder back, or delete its view with {retry}",
	MayDeleteMisplaced: "the folder is gone, and photos lie where no product folder belongs, so its view is not deleted; " +
		"bring the folder back, or delete its view with {retry}",
	MayDeleteUnread: "the folder is gone, and another one cannot be read, so its view is not deleted; " +
		"bring the folder back, or delete its view with {retry}",
	MayDeleteUnsure: "the folder is gone, or a link stands in its place, so its view is not deleted; " +
		"bring the folder back, or delete its view with {retry}",
	MayDeleteInFleet: "the folder is gone, and in a fleet no view is deleted without a person; " +
		"bring the folder back, or delete its view with {retry}",
	Back:        "the folder is back",
	BackSeeking: "the folder is back; checking whether its view was deleted",

	OnTheWay:     "{frames} still on the way",
	AllPaused:    "everything is paused{also}; `spinsync resume` ends the pause",
	FolderPaused: "paused{also}; {resume} ends the pause",
	Resumed:      "waiting for its turn",
	TriedNext:    "the next `spinsync run` or `spinsync sync` tries it again",

	Failed:        "{text}{remedy}",
	FailedForGood: "{text}; {retry} tries again",
	Refused:       "{text}{remedy}",
	Unanswered:    "{parts}; checking whether it was made",
	NoAnswer:      "the request that creates the {name} got no answer",
	PauseCut:      "{parts}; it asks for a pause of {for}, and spinsync tries again sooner",
	OtherAnswer: "{text}; if the service has the {name} under another title, use that title here too; " +
		"if it has none, {retry --create} makes it",
	SeveralNamed:  "the service has {count} {name}s of this name ({text}); rename or delete all but one, then {retry}",
	SeveralAlike:  "the service has {count} {name}s of these photos ({text}); rename or delete all but one, then {retry}",
	NoSuchProject: "the service has no project {name}; correct `project` in sync.toml",
	OthersProduct: "folder {name} has the product with {text} already; " +
		"give one of the two another SKU or title in its product.toml",
	SharedProduct: "folder {name} has the same view by the state file; " +
		"move this folder away and end its record with {forget}, or do so with the other, then {retry}",
	ProductGone:    "the product is gone from the service; {retry} creates it again",
	ProjectRefused: "{parts}; where the project is gone, {retry} looks for one of its title, or creates it again",
	ListRefused:    "{text}; give the user edit permission for it there",
	ListedStill:    "the service lists a view of this name that it does not know; waiting until its list drops it",
	ViewReplaced:   "the view shows an upload that is not from this folder; {retry} uploads the folder again",
	PreviousView: "the service has a view without a known folder: {text}; " +
		"if it is this folder's, put its title into product.toml; if not, {retry} makes another",
	OthersView: "the service has a view of this name that spinsync did not publish: {parts}; " +
		"{retry} replaces it, or another title in product.toml makes a second view",
	Twins: "the photos are those of {parts}, which are gone; put the SKU or title of the right one into " +
		"product.toml, or {retry} makes another view",
	FromEmptied: "the photos are those of {name} of {other}, which holds no product folder any more{remedy}, " +
		"or {retry} makes another view",
	NameOnly: "{name}",
	StuckProcessing: "the service has been processing for more than {for} ({name}); " +
		"ask its support, or upload again with {retry}",
	WrongList:       "{text}; ask its support, or upload again with {retry}",
	TextsRefused:    "the service refuses alt texts: {parts}",
	TextsRefusedFor: "the service refuses alt texts: {parts}; change these texts, or send them again with {retry}",
	RefusedText:     "{name} {text}",
	FormReplaced:    "{name} refuses the upload form, and spinsync asks for a new one: {text}",
	FormRefused:     "{name} refuses the upload form, and a new one too: {text}{remedy}",
	FrameRefused:    "{name} took other photos and refuses {text}{remedy}",
	FormShort:       "{text}{remedy}",
	Overtaken:       "{text}{remedy}",
	WrongSize: "{name} has {other}, and the service takes {text}; " +
		"export the file in another size, or ask the service's support, then {retry}",
	InternalError:  "internal error",
	InternalErrors: "internal error, please report it with `spinsync diagnose`; {retry} tries again",
	Deadly: "spinsync broke off twice while it read the files of this folder; take out what was added last, or report it with `spinsync diagnose`; " +
		"{retry} tries again",
	StateFileFailed: "the state file cannot be written",

	TooLargeForFleet: "its photos are too many for the fleet's cluster; divide them over several folders",
}
