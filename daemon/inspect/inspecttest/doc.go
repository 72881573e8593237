// Package inspecttest photographs objects on a turntable, for the tests of package inspect and for the
// demo. A Studio has one object of Objects on its table, Shoot makes the files of one set as a camera
// writes them, and Spoilt has something go wrong.
//
// Everything is drawn from a few curves: a z-buffer rasteriser with four samples to a pixel, a soft box
// and a white room that stand still while the table turns. The demo's Teapot also has soft shadows, which
// are too slow for thousands of photos. A seed makes the same files each time.
package inspecttest
