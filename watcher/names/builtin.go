package names

// builtin is one line of the built-in ignore list. Names are compared without regard to letter
// case, in NFC.
type builtin struct {
	kind    Kind
	pattern string
	reason  string // for busy names it completes "frame.jpg.part: …"
}

// builtins lists the files that are no frames, even if Include names them. Where several lines fit,
// the last one wins: a file "._notes.txt" is junk, not a sidecar.
func builtins() []builtin {
	lines := []builtin{
		{Sidecar, "product.toml", ""},
		{Sidecar, "*.xmp", ""},
		{Sidecar, "*.txt", ""},
		{Sidecar, "*.csv", ""},
		{Busy, "*.part", "an unfinished download or copy"},
		{Busy, "*.filepart", "an unfinished transfer of WinSCP"},
		{Busy, "*.crdownload", "a browser's unfinished download"},
		{Busy, "*.opdownload", "a browser's unfinished download"},
		{Busy, "*.download", "a browser's unfinished download"},
		{Busy, "*.partial", "an unfinished download or copy"},
		{Busy, "*.aria2", "beside an unfinished download of aria2"},
		{Busy, "*.ffs_tmp", "an unfinished copy of FreeFileSync"},
		{Busy, "*.!sync", "an unfinished transfer of Resilio Sync"},
		{Busy, "*.tmp", "a program's temporary file"},
		{Busy, "*.temp", "a program's temporary file"},
		{Busy, "~*", "a file that a program holds open"},
		{Busy, "*~", "an editor's temporary file"},
		{Busy, ".~lock.*", "a file that an office program holds open"},
		{Busy, ".*.sw?", "a file that an editor holds open"},
		{Busy, ".syncthing.*.tmp", "an unfinished transfer of Syncthing"},
		{Busy, "~syncthing~*.tmp", "an unfinished transfer of Syncthing"},
		{Busy, "*.sb-????????-??????", "a document that macOS is saving"},
		{Busy, "(A Document Being Saved By*", "a document that macOS is saving"},
	}
	for _, pattern := range unseen {
		lines = append(lines, builtin{kind: Unseen, pattern: pattern})
	}
	return lines
}

// unseenDirectories are directories with nothing of ours in them. Those whose names begin with a
// dot need no line.
var unseenDirectories = []string{
	// Capture One, Lightroom
	"CaptureOne", "*.lrdata", "Lightroom Catalog",
	// Synology, QNAP, NetApp
	"@eaDir", "#recycle", "#snapshot", "@tmp", "@sharebin",
	"@Recycle", "@Recently-Snapshot", "@__thumb", "~snapshot",
	// Windows, file system checks
	"$RECYCLE.BIN", "RECYCLER", "RECYCLED", "System Volume Information", "lost+found",
	// macOS, and file servers for it
	"__MACOSX", "Network Trash Folder", "Temporary Items",
}

// unseen are files, and directories, that programs and systems leave behind.
var unseen = []string{
	// macOS, Windows
	"._*", "Icon\r", "Thumbs.db", "ehthumbs.db", "desktop.ini", "*.lnk",
	// Capture One, which rewrites settings and previews long after the shot; Adobe
	"*.cos", "*.cot", "*.cop", "*.cof", "*.comask", "*.icm", "*.bc", "*.cosessiondb", "*.cocatalogdb",
	"*.lrcat-lock",
	// Synology
	"SYNOFILE_THUMB_*.*",
}
