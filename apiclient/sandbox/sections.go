package sandbox

// The operations of the interface by their sections, as Call.Op holds them.
const (
	CreateProject         = "4.1"
	CreateProduct         = "4.2"
	Upload                = "4.3" // of one file, to the upload host
	FinishUpload          = "4.4"
	Embed                 = "4.5"
	ListProducts          = "4.6"
	ListProjects          = "4.7"
	ListProductsOfProject = "4.8"
	UpdateProduct         = "4.9" // with images, a reupload
	DeleteProduct         = "4.10"
	DownloadSources       = "4.11"
	ListImages            = "4.12"
	SetAltTexts           = "4.13"
	ReadStatus            = "4.14"
)
