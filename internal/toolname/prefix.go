package toolname

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// maxSharers bounds the other slugs that a name behind a shared prefix is
// checked against: a list of a thousand slugs that come to one prefix must not
// cost a million hashes a tool.
const maxSharers = 8

// prefix is what one server's names may begin with.
type prefix struct {
	// full is the whole slug, cleaned.
	full string
	// short has at most maxShort characters and is this server's alone: neither
	// full nor short of any other, compared without case.
	short string
	// sharers are the other raw slugs that come to full; none: full is this
	// server's alone.
	sharers []string
}

func (p prefix) isShared() bool { return len(p.sharers) > 0 }

// newPrefixes returns a prefix for each slug. Full prefixes are given first and
// cuts of long ones give way to them, so that a long slug costs no other its
// plain names.
func newPrefixes(slugs []string) []prefix {
	out := make([]prefix, len(slugs))
	fulls := make(map[string][]int, len(slugs))
	for i, slug := range slugs {
		out[i].full = cleanSlug(slug)
		if out[i].full != "" {
			folded := strings.ToLower(out[i].full)
			fulls[folded] = append(fulls[folded], i)
		}
	}
	for _, servers := range fulls {
		for _, i := range servers {
			out[i].sharers = others(slugs, servers, i)
		}
	}
	taken := readableShorts(out, fulls)
	hashedShorts(out, slugs, taken)
	return out
}

// others returns the slugs of servers without that of server self.
func others(slugs []string, servers []int, self int) []string {
	if len(servers) > maxSharers+1 {
		servers = servers[:maxSharers+2] // enough to be seen as too many
	}
	var out []string
	for _, i := range servers {
		if i != self {
			out = append(out, slugs[i])
		}
	}
	return out
}

// readableShorts sets short where the slug, whole or cut, is no other server's
// prefix, and returns all prefixes in use so far.
func readableShorts(out []prefix, fulls map[string][]int) map[string]struct{} {
	taken := make(map[string]struct{}, len(fulls))
	for folded := range fulls {
		taken[folded] = struct{}{}
	}
	cuts := make(map[string][]int)
	for i := range out {
		p := &out[i]
		switch {
		case p.full == "" || p.isShared():
		case len(p.full) <= maxShort:
			p.short = p.full
		default:
			cut := strings.ToLower(cutSlug(p.full, maxShort))
			cuts[cut] = append(cuts[cut], i)
		}
	}
	for cut, servers := range cuts {
		if _, ok := fulls[cut]; ok || len(servers) > 1 {
			continue
		}
		p := &out[servers[0]]
		p.short = cutSlug(p.full, maxShort)
		taken[cut] = struct{}{}
	}
	return taken
}

// hashedShorts sets the shorts that are still missing, in the order of raw
// slugs, so that the order of the list matters only among equal ones.
func hashedShorts(out []prefix, slugs []string, taken map[string]struct{}) {
	order := make([]int, len(slugs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(slugs[a], slugs[b]) })
	for _, i := range order {
		p := &out[i]
		if p.short != "" {
			continue
		}
		p.short = hashedShort(p.full, slugs[i], taken)
		taken[strings.ToLower(p.short)] = struct{}{}
		if p.full == "" {
			p.full = p.short
		}
	}
}

func hashedShort(full, slug string, taken map[string]struct{}) string {
	for attempt := 0; ; attempt++ {
		hash := slugHash(slug, attempt)
		short := cutSlug(full, maxShort-1-len(hash)) + "_" + hash
		if _, ok := taken[strings.ToLower(short)]; !ok {
			return short
		}
	}
}

// cleanSlug brings slug to words of [A-Za-z0-9-] joined by single "_", with one
// "_" before a first word that doesn't begin with a letter. It is empty where
// that leaves nothing to read.
func cleanSlug(slug string) string {
	words := strings.FieldsFunc(slug, func(r rune) bool { return !isWordRune(r) })
	clean := strings.Join(words, "_")
	if !isReadable(clean) {
		return ""
	}
	if !isLetter(rune(clean[0])) {
		return "_" + clean
	}
	return clean
}

// cutSlug cuts a cleaned slug to at most n characters without leaving a "_" at
// the end, where it would blur the separator.
func cutSlug(clean string, n int) string {
	return strings.TrimRight(clean[:min(len(clean), n)], "_")
}

// toolHash tells a tool apart from all others: 8 hex digits of SHA-256 over raw
// slug, NUL, raw tool. Further attempts also cover their number.
func toolHash(slug, raw string, attempt int) string {
	return hash8(slug+"\x00"+raw, attempt)
}

func slugHash(slug string, attempt int) string { return hash8(slug, attempt) }

func hash8(text string, attempt int) string {
	if attempt > 0 {
		text += "\x00" + strconv.Itoa(attempt)
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:4])
}
