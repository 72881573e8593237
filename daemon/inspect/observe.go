package inspect

import (
	"bufio"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"slices"

	"golang.org/x/image/draw"

	"spinsync/watcher/frame"
)

// An Observation is what is known of one frame. Without a Picture it is judged by name and Info alone.
type Observation struct {
	Name    string
	Info    frame.Info
	Picture *Picture
}

// A Picture is what Judge compares of a frame's picture.
type Picture struct {
	pixels    planes
	palette   planes  // the same values in their order: which colours there are, wherever they are
	sharpness float64 // energy of the Laplacian, in steps of 255 squared
	border    float64 // brightness of the ground, 0 to 255
}

// planes are Y, Cb and Cr, 0 to 255.
type planes [3][side * side]float32

const (
	side  = 32  // of the picture that is compared
	small = 160 // the longest side of Small in pixels, as of a thumbnail
)

// What one frame may cost. The budgets of issue 27 are 2 MB with a thumbnail, and 60 MB without.
const (
	mostThumbnail = 256 << 10  // bytes of a file
	mostSmall     = 1_500_000  // bytes of a decoded thumbnail
	mostDecoded   = 56_000_000 // bytes of a decoded photo
)

// Small is a frame as a picture whose longest side has at most 160 pixels, made of the thumbnail in EXIF. Where there
// is none, and decode is true, the whole photo is decoded. It is nil where that cannot be done, or would
// take too much memory.
func Small(r io.ReaderAt, size int64, info frame.Info, decode bool) *image.YCbCr {
	if found := thumbnail(r, info); found != nil || !decode {
		return found
	}
	if info.Decoded == 0 || info.Decoded > mostDecoded {
		return nil
	}
	in := bufio.NewReader(io.NewSectionReader(r, 0, size))
	decoder := jpeg.Decode
	if info.ContentType == "image/png" {
		decoder = png.Decode
	}
	photo, err := decoder(in)
	if err != nil {
		return nil
	}
	return shrunk(photo, photo.Bounds())
}

// thumbnail decodes the thumbnail without its bars. It is nil for one that is broken, huge, or of
// another shape than the photo.
func thumbnail(r io.ReaderAt, photo frame.Info) *image.YCbCr {
	at := photo.Thumbnail
	if at.Length == 0 || at.Length > mostThumbnail {
		return nil
	}
	in := io.NewSectionReader(r, at.Offset, at.Length)
	info, err := frame.Meta(in, at.Length)
	if err != nil || info.Decoded == 0 || info.Decoded > mostSmall {
		return nil
	}
	img, err := jpeg.Decode(in)
	if err != nil {
		return nil
	}
	inner, ok := withoutBars(img, photo)
	if !ok {
		return nil
	}
	return shrunk(img, inner)
}

// withoutBars is the part of a thumbnail that has the shape of the photo. It is not ok where the rest is
// not black: such a thumbnail is of another picture.
func withoutBars(img image.Image, photo frame.Info) (inner image.Rectangle, ok bool) {
	const darkest = 40 // of 255, on average; JPEG blurs the edge of a bar
	all := img.Bounds()
	if photo.Width <= 0 || photo.Height <= 0 || all.Empty() {
		return all, false
	}
	shape := float64(photo.Width) / float64(photo.Height)
	width := min(float64(all.Dx()), float64(all.Dy())*shape)
	height := width / shape
	x, y := int(math.Round((float64(all.Dx())-width)/2)), int(math.Round((float64(all.Dy())-height)/2))
	if max(x, y) < 2 {
		return all, true
	}
	sum, n := 0, 0
	inner = all
	if x > 0 {
		inner.Min.X, inner.Max.X = inner.Min.X+x, inner.Max.X-x
	}
	if y > 0 {
		inner.Min.Y, inner.Max.Y = inner.Min.Y+y, inner.Max.Y-y
	}
	for py := all.Min.Y; py < all.Max.Y; py++ {
		for px := all.Min.X; px < all.Max.X; px++ {
			if !image.Pt(px, py).In(inner) {
				sum, n = sum+int(color.GrayModel.Convert(img.At(px, py)).(color.Gray).Y), n+1
			}
		}
	}
	if sum > darkest*n {
		return all, false
	}
	if x > 0 { // a bar may be a pixel wider than the shape says
		return image.Rect(inner.Min.X+1, inner.Min.Y, inner.Max.X-1, inner.Max.Y), true
	}
	return image.Rect(inner.Min.X, inner.Min.Y+1, inner.Max.X, inner.Max.Y-1), !inner.Inset(1).Empty()
}

// shrunk scales a part of a picture down, and never up.
func shrunk(img image.Image, part image.Rectangle) *image.YCbCr {
	longest := max(part.Dx(), part.Dy(), 1)
	width := max(1, part.Dx()*min(longest, small)/longest)
	height := max(1, part.Dy()*min(longest, small)/longest)
	out := image.NewYCbCr(image.Rect(0, 0, width, height), image.YCbCrSubsampleRatio444)
	switch img := img.(type) {
	case *image.YCbCr:
		copy(out.Y, means(img.Y[img.YOffset(part.Min.X, part.Min.Y):], img.YStride, part.Size(), out.Rect.Max))
		for i := range out.Cb {
			at := img.COffset(part.Min.X+i%width*part.Dx()/width, part.Min.Y+i/width*part.Dy()/height)
			out.Cb[i], out.Cr[i] = img.Cb[at], img.Cr[at]
		}
	default:
		flat := image.NewRGBA(out.Rect)
		draw.Draw(flat, flat.Rect, image.White, image.Point{}, draw.Src)
		draw.ApproxBiLinear.Scale(flat, flat.Rect, img, part, draw.Over, nil)
		for i := range out.Y {
			out.Y[i], out.Cb[i], out.Cr[i] = color.RGBToYCbCr(flat.Pix[4*i], flat.Pix[4*i+1], flat.Pix[4*i+2])
		}
	}
	return out
}

// means shrinks a plane, each pixel to the mean of those in its place.
func means(plane []uint8, stride int, from, to image.Point) []uint8 {
	out := make([]uint8, 0, to.X*to.Y)
	for _, mean := range boxes(plane, stride, from, to) {
		out = append(out, uint8(mean+0.5))
	}
	return out
}

func boxes(plane []uint8, stride int, from, to image.Point) []float32 {
	out := make([]float32, to.X*to.Y)
	for y := range to.Y {
		top, bottom := span(y, from.Y, to.Y)
		for x := range to.X {
			left, right := span(x, from.X, to.X)
			sum := 0
			for row := top; row < bottom; row++ {
				for _, v := range plane[row*stride+left : row*stride+right] {
					sum += int(v)
				}
			}
			out[y*to.X+x] = float32(sum) / float32((bottom-top)*(right-left))
		}
	}
	return out
}

// span is the part of a row or column that becomes one pixel, at least one.
func span(i, from, to int) (first, end int) {
	first = i * from / to
	return first, max((i+1)*from/to, first+1)
}

// Measure makes of a small picture what Judge compares. Nil stays nil.
func Measure(of *image.YCbCr) *Picture {
	if of == nil {
		return nil
	}
	p := &Picture{sharpness: sharpness(of), border: border(of)}
	for i, plane := range [][]uint8{of.Y, of.Cb, of.Cr} {
		copy(p.pixels[i][:], boxes(plane, of.YStride, of.Rect.Max, image.Pt(side, side)))
		p.palette[i] = p.pixels[i]
		slices.Sort(p.palette[i][:])
	}
	return p
}

// sharpness is the energy of the Laplacian.
func sharpness(of *image.YCbCr) float64 {
	sum, n := 0, 0
	for y := 1; y < of.Rect.Max.Y-1; y++ {
		for x := 1; x < of.Rect.Max.X-1; x++ {
			i := y*of.YStride + x
			d := 4*int(of.Y[i]) - int(of.Y[i-1]) - int(of.Y[i+1]) - int(of.Y[i-of.YStride]) - int(of.Y[i+of.YStride])
			sum, n = sum+d*d, n+1
		}
	}
	return float64(sum) / float64(max(n, 1))
}

// border is the brightness of the outermost pixels. An object that reaches them hides less than half, so
// that the middle half of the values is that of the ground.
func border(of *image.YCbCr) float64 {
	const thick = 3
	var values []uint8
	inner := of.Rect.Inset(thick)
	for y := range of.Rect.Max.Y {
		for x := range of.Rect.Max.X {
			if !image.Pt(x, y).In(inner) {
				values = append(values, of.Y[y*of.YStride+x])
			}
		}
	}
	slices.Sort(values)
	values = values[len(values)/4 : len(values)-len(values)/4]
	sum := 0
	for _, v := range values {
		sum += int(v)
	}
	return float64(sum) / float64(max(len(values), 1))
}

// distance is how much two frames differ once the best gain is taken out: the root of the mean of the
// squares, in steps of 255.
func (p *planes) distance(other *planes) float64 {
	var aa, ab, bb float64
	for k, v := range p[0] {
		x, y := float64(v), float64(other[0][k])
		aa, ab, bb = aa+x*x, ab+x*y, bb+y*y
	}
	colours := 0.0
	for plane := 1; plane < len(p); plane++ {
		for k, v := range p[plane] {
			d := float64(v - other[plane][k])
			colours += d * d
		}
	}
	gain := 1.0
	if bb > 0 {
		gain = min(max(ab/bb, 1/mostGain), mostGain)
	}
	return math.Sqrt((max(aa-2*gain*ab+gain*gain*bb, 0) + colours) / (side * side))
}
