package toolname_test

import (
	"fmt"
	"testing"

	"github.com/mcpclient-go/mcpclient/internal/toolname"
)

func BenchmarkNames(b *testing.B) {
	plain, hashed := make([]string, 512), make([]string, 512)
	for i := range plain {
		plain[i] = fmt.Sprintf("list_things_of_kind_%d", i)
		hashed[i] = fmt.Sprintf("list.things/of/kind%c%d", "._"[i%2], i/2)
	}
	for _, bb := range []struct {
		name  string
		slugs []string
		raw   []string
	}{
		{"plain", []string{"github", "gitlab"}, plain},
		{"ambiguous", []string{"github", "gitlab"}, hashed},
		{"shared_prefix", []string{"git.hub", "git_hub"}, plain},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			s := toolname.New(bb.slugs, nil)
			for b.Loop() {
				s.Names(0, bb.raw)
			}
		})
	}
}
