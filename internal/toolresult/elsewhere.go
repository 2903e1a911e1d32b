package toolresult

import (
	"cmp"
	"strings"
)

// mediaOf opens the media of an image or audio block: its data, or what servers
// send instead. Nothing is fetched.
func (c *conversion) mediaOf(k string, b *block) media {
	m := openMedia(str(b.mime), b.data)
	if m.fault != "" {
		m = c.elsewhere(b, m)
	}
	c.note(k, m)
	return m
}

// elsewhere opens media from where other formats than MCP have it; m if it is
// nowhere.
func (c *conversion) elsewhere(b *block, m media) media {
	var source block
	switch kind(b.source) {
	case '{':
		_ = c.walk(b.source).members(source.set)
	case '"':
		source.url = b.source
	}
	mime := cmp.Or(m.mime, str(source.mime))
	for _, data := range [][]byte{source.data, b.blob} {
		if found := openMedia(mime, data); found.fault == "" {
			return found
		}
	}
	for _, url := range [][]byte{source.url, b.url, source.uri, b.uri} {
		if found := openURL(mime, url); found.fault != noData {
			return found
		}
	}
	if strings.Contains(str(b.data), "://") {
		return openURL(mime, b.data)
	}
	return m
}

// openURL opens media that a member for its URL holds, as a data: URI or, against
// all rules, as base64. Of any other URL it keeps what it says.
func openURL(mime string, url []byte) media {
	m := openMedia(mime, url)
	text := strings.TrimSpace(str(url))
	if text == "" || m.image != "" || m.size > maxURI || isDataURI(text) {
		return m
	}
	return media{mime: mime, url: text, size: -1, fault: onlyURL}
}
