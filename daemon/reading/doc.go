// Package reading reads product folders: whose product a folder is, whether its frames are whole,
// and its alt texts. Call New for a Folder, and Folder.Facts for what was read of it. The package opens
// files for reading only, and knows neither the service nor the records.
package reading
