// Package view compares the images that the service lists for a product with the frames of its
// folder: which image is which frame, whose alt texts are whose, and whether the images are those
// of the run. It reads no folder and records nothing.
package view
