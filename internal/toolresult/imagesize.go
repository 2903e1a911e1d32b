package toolresult

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// maxPixels is the most that Anthropic's API takes of an image's width or
// height.
const maxPixels = 8000

// noSize is why an image is not carried that is cut short or no image at all
// behind its first bytes.
const noSize = "broken: no width and height"

// unfit says why providers would refuse an image, and with it every later turn
// of the conversation; "": they take it, as far as its header tells.
func unfit(mime string, data []byte) string {
	switch width, height := imageSize(mime, data); {
	case width <= 0 || height <= 0:
		return noSize
	case max(width, height) > maxPixels:
		return fmt.Sprintf("%d x %d pixels, over the limit of %d on a side", width, height, maxPixels)
	default:
		return ""
	}
}

// imageSize reads width and height, in pixels, from the header of an image whose
// type is known; 0: it does not say.
func imageSize(mime string, data []byte) (width, height int) {
	switch mime {
	case "image/png":
		return pngSize(data)
	case "image/jpeg":
		return jpegSize(data)
	case "image/gif":
		return gifSize(data)
	case "image/webp":
		return webpSize(data)
	default:
		return 0, 0
	}
}

func pngSize(data []byte) (width, height int) {
	const header = "\x00\x00\x00\x0dIHDR"
	if len(data) < 24 || string(data[8:16]) != header {
		return 0, 0
	}
	return int(binary.BigEndian.Uint32(data[16:])), int(binary.BigEndian.Uint32(data[20:]))
}

func gifSize(data []byte) (width, height int) {
	if len(data) < 10 {
		return 0, 0
	}
	return int(binary.LittleEndian.Uint16(data[6:])), int(binary.LittleEndian.Uint16(data[8:]))
}

// webpSize reads the first chunk, which is of one of three kinds.
func webpSize(data []byte) (width, height int) {
	if len(data) < 20 {
		return 0, 0
	}
	chunk := data[20:]
	switch kind := string(data[12:16]); {
	case kind == "VP8 " && len(chunk) >= 10 && string(chunk[3:6]) == "\x9d\x01\x2a":
		return int(binary.LittleEndian.Uint16(chunk[6:])) & 0x3fff, int(binary.LittleEndian.Uint16(chunk[8:])) & 0x3fff
	case kind == "VP8L" && len(chunk) >= 5 && chunk[0] == 0x2f:
		bits := binary.LittleEndian.Uint32(chunk[1:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1
	case kind == "VP8X" && len(chunk) >= 10:
		return int(uint24(chunk[4:])) + 1, int(uint24(chunk[7:])) + 1
	default:
		return 0, 0
	}
}

func uint24(b []byte) uint32 { return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 }

// jpegSize goes from segment to segment up to the header of the first frame.
func jpegSize(data []byte) (width, height int) {
	for {
		marker, rest := nextMarker(data)
		switch {
		case marker == 0x01 || marker >= 0xd0 && marker <= 0xd8: // stand alone
			data = rest
			continue
		case marker == 0 || marker == 0xd9 || marker == 0xda: // the end, or pixels without a frame
			return 0, 0
		}
		if len(rest) < 2 {
			return 0, 0
		}
		length := int(binary.BigEndian.Uint16(rest))
		if length < 2 || length > len(rest) {
			return 0, 0
		}
		if isFrame(marker) {
			return frameSize(rest[:length])
		}
		data = rest[length:]
	}
}

// nextMarker gives the next marker and what is behind it; 0: there is none. Any
// number of 0xff may stand before a marker, and like decoders it passes over bytes
// that belong to nothing.
func nextMarker(data []byte) (marker byte, rest []byte) {
	for {
		at := bytes.IndexByte(data, 0xff)
		if at < 0 || at+1 == len(data) {
			return 0, nil
		}
		switch marker, rest = data[at+1], data[at+2:]; marker {
		case 0xff:
			data = data[at+1:]
		case 0:
			data = rest
		default:
			return marker, rest
		}
	}
}

// isFrame says whether the segment of a marker is a frame header (SOF0 to SOF15
// but for three that have other uses).
func isFrame(marker byte) bool {
	return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc
}

// frameSize reads a frame header: length, precision, height, width.
func frameSize(segment []byte) (width, height int) {
	if len(segment) < 7 {
		return 0, 0
	}
	return int(binary.BigEndian.Uint16(segment[5:])), int(binary.BigEndian.Uint16(segment[3:]))
}
