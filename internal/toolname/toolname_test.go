package toolname_test

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/toolname"
)

var legal = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)

func hash(slug, raw string) string {
	sum := sha256.Sum256([]byte(slug + "\x00" + raw))
	return hex.EncodeToString(sum[:4])
}

func TestNamesOfOneServer(t *testing.T) {
	long := strings.Repeat("x", 62)
	tests := []struct {
		name     string
		slug     string
		reserved []string
		raw      []string
		want     []string
	}{
		{"legal names stay", "git", nil, []string{"create_pr", "List-Issues", "_x", "7z"}, []string{"git__create_pr", "git__List-Issues", "git___x", "git__7z"}},
		{"separator within a tool", "a", nil, []string{"b__c", "__d"}, []string{"a__b__c", "a____d"}},
		{"one character becomes one underscore", "a", nil, []string{"GET:/x y", "café", "a\xff\xfeb"}, []string{"a__GET__x_y", "a__caf_", "a__a__b"}},
		{"exact one keeps the plain name", "a", nil, []string{"db.query", "db_query", "db/query"}, []string{"a__db_query_" + hash("a", "db.query"), "a__db_query", "a__db_query_" + hash("a", "db/query")}},
		{"none is exact", "a", nil, []string{"db.query", "db/query"}, []string{"a__db_query_" + hash("a", "db.query"), "a__db_query_" + hash("a", "db/query")}},
		{"exact one in another case", "a", nil, []string{"DB.Query", "db_query"}, []string{"a__DB_Query_" + hash("a", "DB.Query"), "a__db_query"}},
		{"case-only difference", "a", nil, []string{"Query", "query"}, []string{"a__Query_" + hash("a", "Query"), "a__query_" + hash("a", "query")}},
		{"same raw name twice", "a", nil, []string{"x", "y", "x"}, []string{"a__x", "a__y", "a__x"}},
		{"empty", "a", nil, []string{""}, []string{"a___" + hash("a", "")}},
		{"nothing to read", "a", nil, []string{"获取天气", "...", "🦊", "-."}, []string{"a___" + hash("a", "获取天气"), "a___" + hash("a", "..."), "a___" + hash("a", "🦊"), "a___" + hash("a", "-.")}},
		{"legal without a letter", "a", nil, []string{"-", "___"}, []string{"a__-", "a_____"}},
		{"reserved in another case", "a", []string{"A__Run", ""}, []string{"run", "ran"}, []string{"a__run_" + hash("a", "run"), "a__ran"}},
		{"hashed name reserved", "a", []string{"a__run", "a__run_" + hash("a", "run")}, []string{"run"}, []string{"a__run_" + hash("a", "run\x001")}},
		{"words of a tool choice", "auto", []string{"auto"}, []string{"auto", "none", "required"}, []string{"auto__auto", "auto__none", "auto__required"}},
		{"exactly 64", "a", nil, []string{long[:61]}, []string{"a__" + long[:61]}},
		{"65", "a", nil, []string{long}, []string{"a__" + long[:52] + "_" + hash("a", long)}},
		{"plain name that looks hashed", "a", nil, []string{"x_0123abcd"}, []string{"a__x_0123abcd"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := toolname.New([]string{tt.slug}, tt.reserved).Names(0, tt.raw)
			assert.Equal(t, tt.want, got)
			for _, name := range got {
				assert.Regexp(t, legal, name)
			}
		})
	}
}

func TestPrefixes(t *testing.T) {
	tests := []struct {
		name  string
		slugs []string
		want  []string // name of the tool "run" of each
	}{
		{"clean", []string{"git", "My-Server", "a_b"}, []string{"git__run", "My-Server__run", "a_b__run"}},
		{"dirty", []string{"my server", "a__c", "_x_", "a..b//d"}, []string{"my_server__run", "a_c__run", "x__run", "a_b_d__run"}},
		{"no letter first", []string{"1pass", "-x"}, []string{"_1pass__run", "_-x__run"}},
		{"nothing to read", []string{"获取", "...", "-", ""}, []string{"_" + hash8("获取") + "__run", "_" + hash8("...") + "__run", "_" + hash8("-") + "__run", "_" + hash8("") + "__run"}},
		{"equal after cleaning", []string{"a.b", "a_b", "A b", "c"}, []string{"a_b__run_" + hash("a.b", "run"), "a_b__run_" + hash("a_b", "run"), "A_b__run_" + hash("A b", "run"), "c__run"}},
		{"digit and its escape", []string{"1a", "_1a"}, []string{"_1a__run_" + hash("1a", "run"), "_1a__run_" + hash("_1a", "run")}},
		{"slug that looks like another's hash", []string{"获取", "_" + hash8("获取")}, []string{"_" + hash8("获取\x001") + "__run", "_" + hash8("获取") + "__run"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := toolname.New(tt.slugs, nil)
			for i, want := range tt.want {
				assert.Equal(t, want, s.Names(i, []string{"run"})[0])
			}
		})
	}
}

func hash8(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:4])
}

func TestLongNamesKeepTheToolRecognisable(t *testing.T) {
	slug := "department-of-external-affairs-production"
	tool := "list_all_open_invoices_of_customer_"
	raw := []string{tool + strings.Repeat("y", 99) + "1", tool + strings.Repeat("y", 99) + "2", "short"}
	got := toolname.New([]string{slug}, nil).Names(0, raw)
	assert.Equal(t, "department-of-extern__"+tool[:33]+"_"+hash(slug, raw[0]), got[0])
	assert.Equal(t, "department-of-extern__"+tool[:33]+"_"+hash(slug, raw[1]), got[1])
	assert.Equal(t, slug+"__short", got[2], "the whole slug where it fits")
}

func TestCutSlugGivesWayToOthers(t *testing.T) {
	raw := []string{strings.Repeat("tool", 20)}
	cut := "department-of-extern"
	one, two := cut+"al-affairs", cut+"al-trade"
	name := func(slug string, slugs ...string) string {
		return toolname.New(slugs, nil).Names(slices.Index(slugs, slug), raw)[0]
	}
	assert.True(t, strings.HasPrefix(name(one, one), cut+"__"))
	assert.True(t, strings.HasPrefix(name(one, one, two), "department-_"+hash8(one)+"__"), "two slugs with one cut")
	assert.True(t, strings.HasPrefix(name(one, one, cut), "department-_"+hash8(one)+"__"), "a cut that is another slug")
	short := toolname.New([]string{one, cut}, nil).Names(1, []string{"x"})
	assert.Equal(t, []string{cut + "__x"}, short, "a long slug costs no other its plain name")
}

// The raw names and slugs here were searched for: their 32 bits of hash are equal.
func TestNamesWhoseHashesMeet(t *testing.T) {
	t.Run("on one server", func(t *testing.T) {
		raw := []string{"q/~: : .z", "q: ~:@ .z"}
		require.Equal(t, hash("s", raw[0]), hash("s", raw[1]))
		got := toolname.New([]string{"s"}, nil).Names(0, raw)
		requireDistinct(t, got)
		assert.Equal(t, "s__q_______z_"+hash("s", raw[0]), got[0], "the first in raw order keeps its hash")
		slices.Reverse(raw)
		again := toolname.New([]string{"s"}, nil).Names(0, raw)
		assert.Equal(t, []string{got[1], got[0]}, again)
	})
	t.Run("case variants on one server", func(t *testing.T) {
		raw := []string{"lisTalLoPEnpULLrequests", "lisTAlLOPeNPULLrequests"}
		require.Equal(t, hash("s", raw[0]), hash("s", raw[1]))
		requireDistinct(t, toolname.New([]string{"s"}, nil).Names(0, raw))
	})
	t.Run("illegal names on two servers of one prefix", func(t *testing.T) {
		s := toolname.New([]string{"a.b", "a_b"}, nil)
		require.Equal(t, hash("a.b", "q+:.@#..z"), hash("a_b", "q# @ ...z"))
		requireDistinct(t, append(s.Names(0, []string{"q+:.@#..z"}), s.Names(1, []string{"q# @ ...z"})...))
	})
	t.Run("case variants on two servers of one prefix", func(t *testing.T) {
		s := toolname.New([]string{"a.b", "a_b"}, nil)
		require.Equal(t, hash("a.b", "lISTaLloPenpULlreQUests"), hash("a_b", "ListaLLoPENpUllrequests"))
		requireDistinct(t, append(s.Names(0, []string{"lISTaLloPenpULlreQUests"}), s.Names(1, []string{"ListaLLoPENpUllrequests"})...))
	})
	t.Run("one tool of two slugs", func(t *testing.T) {
		slugs := []string{"q/#~#@/.z", "q@@@:/ .z"}
		require.Equal(t, hash(slugs[0], "run"), hash(slugs[1], "run"))
		requireDistinct(t, everyName(slugs, []string{"run"}))
	})
	t.Run("two slugs with nothing to read", func(t *testing.T) {
		slugs := []string{":. @@..", "/:+/+/."}
		require.Equal(t, hash8(slugs[0]), hash8(slugs[1]))
		got := everyName(slugs, []string{"run"})
		assert.Equal(t, []string{"_" + hash8(slugs[0]+"\x001") + "__run", "_" + hash8(slugs[1]) + "__run"}, got)
		slices.Reverse(slugs)
		slices.Reverse(got)
		assert.Equal(t, got, everyName(slugs, []string{"run"}), "the order of the list decides nothing")
	})
}

func TestToolNamedLikeAnothersHash(t *testing.T) {
	thief := "db_query_" + hash("a", "db.query")
	raw := []string{"db.query", "db/query", thief}
	got := toolname.New([]string{"a"}, nil).Names(0, raw)
	requireDistinct(t, got)
	assert.Equal(t, "a__"+thief, got[2], "a plain name is never taken by a hash")
	assert.Equal(t, "a__db_query_"+hash("a", "db.query\x001"), got[0])

	upper := "DB_QUERY_" + strings.ToUpper(hash("a", "db.query"))
	requireDistinct(t, toolname.New([]string{"a"}, nil).Names(0, []string{"db.query", "db/query", upper}))
}

func TestServersCannotSpeakForEachOther(t *testing.T) {
	tests := []struct {
		name  string
		slugs []string
		raw   []string
	}{
		{"separator in slug and tool", []string{"a", "a__b", "a_b", "a_", "_a", "a___"}, []string{"b__c", "c", "_b__c", "_c", "__c", "b_c"}},
		{"equal slugs", []string{"x", "x", "x", "X"}, []string{"run", "Run", "r.n", "r/n", strings.Repeat("r", 70)}},
		{"slugs like hashed prefixes", []string{"获取", "_" + hash8("获取"), hash8("获取"), "天气", ""}, []string{"run", "", "..."}},
		{"tools like hashed tools of another", []string{"a.b", "a_b"}, []string{"run", "run_" + hash("a.b", "run"), "run_" + hash("a_b", "run"), "run." + hash("a_b", "run")}},
		{"many slugs of one prefix", strings.Split("a.b,a/b,a:b,a+b,a b,a@b,a#b,a~b,a!b,a$b,a%b,a&b", ","), []string{"run", "b_c", "B.c", "B/c"}},
		{"long slugs of one beginning", []string{strings.Repeat("a", 20), strings.Repeat("a", 21), strings.Repeat("a", 90), strings.Repeat("A", 91)}, []string{"x", strings.Repeat("b", 43), strings.Repeat("b", 90)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			requireDistinct(t, everyName(tt.slugs, tt.raw))
		})
	}
}

func TestEveryNameHasOneReading(t *testing.T) {
	one := "department-of-external-affairs"
	slugs := []string{
		"a", "1b", "-", "c__d", "_", "获取", strings.Repeat("long_", 30),
		one, "department-of-external-trade", "department-_" + hash8(one) + "-of-somebody-else",
	}
	s := toolname.New(slugs, nil)
	fronts := map[string]int{}
	for i := range slugs {
		for _, name := range s.Names(i, []string{"x", "_x", "__x", "-", "", "...", strings.Repeat("y", 64)}) {
			front, _, found := strings.Cut(name, "__")
			require.True(t, found)
			require.NotEmpty(t, front)
			owner, seen := fronts[front]
			require.True(t, !seen || owner == i, "%q begins like a name of server %d", name, owner)
			fronts[front] = i
		}
	}
}

// Hashing every tool once for every slug would cost a list of n such slugs n²
// hashes a tool, so they stand behind their own prefixes.
func TestCrowdedPrefixIsNotUsed(t *testing.T) {
	slugs := strings.Split("a.b,a/b,a:b,a+b,a b,a@b,a#b,a~b,a!b,a$b", ",")
	for i, name := range everyName(slugs, []string{"run"}) {
		assert.Equal(t, "a_b_"+hash8(slugs[i])+"__run_"+hash(slugs[i], "run"), name)
	}
}

func TestOrderOfSlugsDoesNotMatter(t *testing.T) {
	slugs := []string{"a.b", "a_b", "获取", strings.Repeat("a", 30), strings.Repeat("a", 31), "b"}
	raw := []string{"run", "Run", strings.Repeat("t", 70), "x.y"}
	want := map[string][]string{}
	s := toolname.New(slugs, nil)
	for i, slug := range slugs {
		want[slug] = s.Names(i, raw)
	}
	slices.Reverse(slugs)
	s = toolname.New(slugs, nil)
	for i, slug := range slugs {
		assert.Equal(t, want[slug], s.Names(i, raw))
	}
}

func TestSpaceKeepsItsOwnSlugs(t *testing.T) {
	slugs := []string{"a.b", "a_b"}
	s := toolname.New(slugs, nil)
	want := s.Names(0, []string{"run"})
	slugs[0], slugs[1] = "changed", "too"
	assert.Equal(t, want, s.Names(0, []string{"run"}))
}

func TestNoTools(t *testing.T) {
	assert.Empty(t, toolname.New([]string{"a"}, nil).Names(0, nil))
}

func TestLegal(t *testing.T) {
	for _, name := range []string{"a", "_", "_1", "A-b_9", strings.Repeat("x", 64)} {
		assert.True(t, toolname.Legal(name), name)
	}
	for _, name := range []string{"", "1a", "-a", "a.b", "a b", "é", "a\n", "a\x00", strings.Repeat("x", 65)} {
		assert.False(t, toolname.Legal(name), "%q", name)
	}
}

func everyName(slugs, raw []string) []string {
	s := toolname.New(slugs, nil)
	var all []string
	for i := range slugs {
		all = append(all, s.Names(i, raw)...)
	}
	return all
}

// requireDistinct compares as the least careful provider would: without case.
func requireDistinct(t *testing.T, names []string) {
	t.Helper()
	seen := map[string]string{}
	for _, name := range names {
		require.Regexp(t, legal, name)
		folded := strings.ToLower(name)
		require.NotContains(t, seen, folded, "%q twice", name)
		seen[folded] = name
	}
}
