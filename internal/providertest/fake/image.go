package fake

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// readImage takes in an image as base64. APIs refuse types that they can't
// read, images that are empty, and bytes that are not what the type says
// (https://github.com/AnimaApp/anima-sdk/issues/84); most bounds the base64
// text, 0 means that the API has no bound of its own.
func readImage(path, mediaType, text string, most int) (Image, error) {
	if !slices.Contains(imageTypes, mediaType) {
		return Image{}, fmt.Errorf("%s: unsupported image type %q", path, mediaType)
	}
	if most > 0 && len(text) > most {
		return Image{}, fmt.Errorf("%s: image exceeds the maximum: %d bytes > %d bytes", path, len(text), most)
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return Image{}, fmt.Errorf("%s: %w", path, err)
	}
	if len(data) == 0 {
		return Image{}, fmt.Errorf("%s: image cannot be empty", path)
	}
	if is := http.DetectContentType(data); is != mediaType {
		return Image{}, fmt.Errorf("%s: the image is %s, not %s", path, is, mediaType)
	}
	return Image{MediaType: mediaType, Data: data}, nil
}

var errNotDataURL = errors.New("not a base64 data URL")

func readDataURL(path string, v any) (Image, error) {
	url, err := asString(path, v)
	if err != nil {
		return Image{}, err
	}
	rest, ok := strings.CutPrefix(url, "data:")
	if !ok {
		return Image{}, fmt.Errorf("%s: %w", path, errNotDataURL)
	}
	mediaType, text, ok := strings.Cut(rest, ";base64,")
	if !ok {
		return Image{}, fmt.Errorf("%s: %w", path, errNotDataURL)
	}
	return readImage(path, mediaType, text, 0)
}
