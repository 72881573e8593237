package status

// A Preview is what a pass would do with one product folder, if nothing in it changed any more.
type Preview struct {
	Root   string `json:"root"`
	Folder string `json:"folder"`
	// Does is create, rename, reupload, finish, describe, update, reconcile, remove, nothing,
	// missing, wait, attention or paused.
	Does   string `json:"does"`
	Detail string `json:"detail"`
}
