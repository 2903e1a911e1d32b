package toolname_test

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpclient-go/mcpclient/internal/toolname"
)

// FuzzNames draws a few servers with tools that are likely to be in each
// other's way, then adds tools, slugs and reserved names that copy the names
// which came out, and checks all that is promised.
func FuzzNames(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed, "a__b", "db.query")
	}
	f.Add(uint64(1), "获取", "获取天气")
	f.Add(uint64(2), "1", "")
	f.Add(uint64(3), strings.Repeat("s", 70), strings.Repeat("t", 200))
	f.Add(uint64(4), "a_", "\xff\x00__")
	f.Fuzz(func(t *testing.T, seed uint64, slug, raw string) {
		r := rand.New(rand.NewPCG(seed, 1))
		w := draw(r, slug, raw)
		check(t, r, w)
		for range 2 {
			w = w.attack(r)
			check(t, r, w)
		}
	})
}

// world is one list of servers with all that they offer.
type world struct {
	slugs, reserved []string
	tools           [][]string
}

func draw(r *rand.Rand, slug, raw string) world {
	slugPieces := []string{"a", "A", "b", "_", "__", ".", "/", "1", "-", "é", "", slug, strings.Repeat("a", 19), strings.Repeat("b_", 30)}
	toolPieces := []string{"x", "X", "y", "_", "__", ".", "/", "1", "-", "天", "", raw, slug, strings.Repeat("x", 40)}
	var w world
	seen := map[string]bool{}
	for range 1 + r.IntN(6) {
		s := pick(r, slugPieces, 4)
		if seen[s] {
			continue
		}
		seen[s] = true
		w.slugs = append(w.slugs, s)
		var tools []string
		for range r.IntN(12) {
			tools = append(tools, pick(r, toolPieces, 4))
		}
		w.tools = append(w.tools, tools)
	}
	for range r.IntN(3) {
		w.reserved = append(w.reserved, pick(r, slugPieces, 3)+"__"+pick(r, toolPieces, 3))
	}
	return w
}

func pick(r *rand.Rand, pieces []string, most int) string {
	var b strings.Builder
	for range 1 + r.IntN(most) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

func (w world) names() [][]string {
	s := toolname.New(w.slugs, w.reserved)
	out := make([][]string, len(w.slugs))
	for i, raw := range w.tools {
		out[i] = s.Names(i, raw)
	}
	return out
}

// attack gives some servers tools and slugs that are others' names.
func (w world) attack(r *rand.Rand) world {
	all := slices.Concat(w.names()...)
	if len(all) == 0 {
		return w
	}
	next := world{slugs: slices.Clone(w.slugs), reserved: slices.Clone(w.reserved)}
	for _, tools := range w.tools {
		tools = slices.Clone(tools)
		for range r.IntN(4) {
			front, rest, _ := strings.Cut(all[r.IntN(len(all))], "__")
			tools = append(tools, []string{rest, strings.ToUpper(rest), front + "__" + rest, "_" + rest, strings.Replace(rest, "_", ".", 1)}[r.IntN(5)])
		}
		next.tools = append(next.tools, tools)
	}
	front, _, _ := strings.Cut(all[r.IntN(len(all))], "__")
	if !slices.Contains(next.slugs, front) {
		next.slugs = append(next.slugs, front)
		next.tools = append(next.tools, slices.Clone(next.tools[0]))
	}
	next.reserved = append(next.reserved, strings.ToUpper(all[r.IntN(len(all))]))
	return next
}

func check(t *testing.T, r *rand.Rand, w world) {
	t.Helper()
	names := w.names()
	checkDistinct(t, w, names)
	checkPlain(t, w, names)
	checkStable(t, r, w, names)
}

func checkDistinct(t *testing.T, w world, names [][]string) {
	t.Helper()
	type tool struct {
		server int
		raw    string
	}
	seen := map[string]tool{}
	banned := map[string]bool{"auto": true, "none": true, "required": true}
	for _, name := range w.reserved {
		banned[strings.ToLower(name)] = true
	}
	for i, raw := range w.tools {
		if len(names[i]) != len(raw) {
			t.Fatalf("%d names for %d tools", len(names[i]), len(raw))
		}
		for j, name := range names[i] {
			folded := strings.ToLower(name)
			this := tool{i, raw[j]}
			other, ok := seen[folded]
			switch {
			case !legal.MatchString(name) || !toolname.Legal(name):
				t.Fatalf("%q of %q is not legal", name, this.raw)
			case ok && other != this:
				t.Fatalf("%q is both %+v and %+v of %q", name, other, this, w.slugs)
			case banned[folded]:
				t.Fatalf("%q of %q is reserved", name, this.raw)
			}
			seen[folded] = this
		}
	}
}

var (
	notWord = regexp.MustCompile(`[^A-Za-z0-9-]+`)
	notName = regexp.MustCompile(`[^A-Za-z0-9_-]`)
	word    = regexp.MustCompile(`[A-Za-z0-9]`)
)

// plainOf says the rule in another way than the product: what the name would be
// if nothing were in its way.
func plainOf(slug, raw string) (front, name string) {
	front = strings.Trim(notWord.ReplaceAllString(slug, "_"), "_")
	if !word.MatchString(front) {
		return "", ""
	}
	if front[0] == '-' || '0' <= front[0] && front[0] <= '9' {
		front = "_" + front
	}
	return front, front + "__" + notName.ReplaceAllString(strings.ToValidUTF8(raw, "."), "_")
}

// checkPlain demands the plain name of every tool that is called so without any
// change, unless its slug, a case variant or a reserved name is in the way.
func checkPlain(t *testing.T, w world, names [][]string) {
	t.Helper()
	fronts := map[string]int{}
	for _, slug := range w.slugs {
		front, _ := plainOf(slug, "")
		fronts[strings.ToLower(front)]++
	}
	for i, slug := range w.slugs {
		exact := map[string][]string{}
		for _, raw := range distinct(w.tools[i]) {
			if _, plain := plainOf(slug, raw); strings.HasSuffix(plain, "__"+raw) {
				exact[strings.ToLower(plain)] = append(exact[strings.ToLower(plain)], raw)
			}
		}
		for j, raw := range w.tools[i] {
			front, plain := plainOf(slug, raw)
			if front == "" || raw == "" || !strings.HasSuffix(plain, "__"+raw) {
				continue
			}
			free := fronts[strings.ToLower(front)] == 1 && len(exact[strings.ToLower(plain)]) == 1 && len(plain) <= 64 &&
				!slices.ContainsFunc(w.reserved, func(n string) bool { return strings.EqualFold(n, plain) })
			if got := names[i][j]; free != (got == plain) {
				t.Fatalf("%q of %q is %q, plain is %q, free: %v; all slugs %q, tools %q", raw, slug, got, plain, free, w.slugs, w.tools[i])
			}
		}
	}
}

func distinct(raw []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(raw)))
}

// checkStable lists the tools and the slugs in another order, asks only one
// server, and expects the same names.
func checkStable(t *testing.T, r *rand.Rand, w world, names [][]string) {
	t.Helper()
	order := r.Perm(len(w.slugs))
	slugs := make([]string, len(order))
	for to, from := range order {
		slugs[to] = w.slugs[from]
	}
	for to, from := range order {
		perm := r.Perm(len(w.tools[from]))
		raw, want := make([]string, len(perm)), make([]string, len(perm))
		for k, p := range perm {
			raw[k], want[k] = w.tools[from][p], names[from][p]
		}
		got := toolname.New(slugs, w.reserved).Names(to, raw)
		if !slices.Equal(got, want) {
			t.Fatalf("server %q of %q, tools %q: %q, before %q", w.slugs[from], slugs, raw, got, want)
		}
	}
}
