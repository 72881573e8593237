// Package inspecttest photographs an object on a turntable, for tests and for the demo. Call Draw of a
// Teapot for each photo, and Block of an EXIF for what a camera writes with it.
//
// Everything is drawn from a few curves: a z-buffer rasteriser with four samples to a pixel, a soft box
// and a white room that stand still while the table turns, soft shadows, sensor noise.
package inspecttest
