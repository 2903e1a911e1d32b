package toolschema

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// maxName is the length of a property name that Anthropic takes:
// ^[a-zA-Z0-9_.-]{1,64}$.
const maxName = 64

func legalByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '-'
}

func legalName(s string) bool {
	if s == "" || len(s) > maxName {
		return false
	}
	for i := range len(s) {
		if !legalByte(s[i]) {
			return false
		}
	}
	return true
}

// names gives each property of one object the name that the model sees. Legal
// names stay, so a renamed one can never take another's place. Of illegal ones
// that come to the same name, and of those that would come to a legal or
// reserved one, each gets a hash: a name depends on the set of names alone. One
// with a secret counts as illegal, and only what may be seen of it is in the name.
func (w *walker) names(props map[string]*node, reserved []string) map[string]string {
	out := make(map[string]string, len(props))
	var illegal []string
	for name := range props {
		if !w.work(2 + len(name)/4) {
			break
		}
		if legalName(name) && !w.o.secret(name) {
			out[name] = name
			continue
		}
		illegal = append(illegal, name)
	}
	if len(illegal) == 0 {
		return out
	}
	slices.Sort(illegal)
	count := map[string]int{}
	for _, name := range reserved {
		count[name] += 2
	}
	for name := range out {
		count[name] += 2
	}
	for _, name := range illegal {
		count[plain(w.o.shown(name))]++
	}
	for _, name := range illegal {
		shown := w.o.shown(name)
		short := plain(shown)
		if short == "" || count[short] > 1 {
			short = hashed(name, cmp.Or(short, head(shown)))
			for count[short] > 0 { // only by a name made to collide
				short = hashed(short+"\x00"+name, short[:len(short)-hashLength])
			}
			count[short]++
		}
		out[name] = short
	}
	return out
}

// plain replaces what is illegal by "_"; "" where nothing readable is left or
// the outcome is too long.
func plain(name string) string {
	if len(name) > 4*maxName {
		return ""
	}
	readable := false
	var b strings.Builder
	for _, r := range name {
		if r < 0x80 && legalByte(byte(r)) {
			readable = readable || r != '_' && r != '.' && r != '-'
			b.WriteByte(byte(r))
			continue
		}
		b.WriteByte('_')
	}
	if !readable || b.Len() > maxName {
		return ""
	}
	return b.String()
}

const hashLength = 1 + 8 // "_" and hex digits

func hashed(name, short string) string {
	sum := sha256.Sum256([]byte(name))
	if len(short) > maxName-hashLength {
		short = short[:maxName-hashLength]
	}
	return short + "_" + hex.EncodeToString(sum[:4])
}

// head is the legal beginning of a name that can't be kept whole.
func head(name string) string {
	end := 0
	for end < len(name) && end < maxName-hashLength && legalByte(name[end]) {
		end++
	}
	if end == 0 {
		return "p"
	}
	return name[:end]
}
