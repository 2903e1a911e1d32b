package rpc

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIDInt(t *testing.T) {
	tests := map[string]struct {
		want int64
		ok   bool
	}{
		`4`:                       {4, true},
		`-4`:                      {-4, true},
		`0`:                       {0, true},
		`-0`:                      {0, true},
		`4.0`:                     {4, true},
		`4e0`:                     {4, true},
		`40e-1`:                   {4, true},
		`0.4E+1`:                  {4, true},
		`400.00e-2`:               {4, true},
		`0.0e-99999999999999999`:  {0, true},
		`4503599627370495`:        {4503599627370495, true},
		`9223372036854775807`:     {9223372036854775807, true},
		`-9223372036854775808`:    {-9223372036854775808, true},
		`9.223372036854775807e18`: {9223372036854775807, true},
		`9007199254740993.0`:      {9007199254740993, true},
		`9223372036854775808`:     {0, false},
		`1e19`:                    {0, false},
		`1e999999999999999999`:    {0, false},
		`4.5`:                     {0, false},
		`4e-1`:                    {0, false},
		`"4"`:                     {4, true},
		`"4.0"`:                   {4, true},
		`"\u0034"`:                {4, true},
		`"-4"`:                    {-4, true},
		`""`:                      {0, false},
		`" 4"`:                    {0, false},
		`"04"`:                    {0, false},
		`"+4"`:                    {0, false},
		`"4x"`:                    {0, false},
		`"Infinity"`:              {0, false},
		`"-Infinity"`:             {0, false},
		`null`:                    {0, false},
		`true`:                    {0, false},
		`{"id":4}`:                {0, false},
		`[4]`:                     {0, false},
	}
	for in, tt := range tests {
		t.Run(in, func(t *testing.T) {
			got, ok := parseID([]byte(in)).Int()
			require.Equal(t, tt.ok, ok)
			require.Equal(t, tt.want, got)
		})
	}
}

func TestIDEquality(t *testing.T) {
	require.Equal(t, parseID([]byte(`4.0`)), parseID([]byte(`4`)))
	require.Equal(t, parseID([]byte(`"a"`)), parseID([]byte(`"\u0061"`)))
	require.NotEqual(t, parseID([]byte(`"4"`)), parseID([]byte(`4`)))
	require.NotEqual(t, parseID([]byte(`null`)), parseID(nil))
	require.True(t, parseID(nil).IsAbsent())
	require.True(t, parseID([]byte(`null`)).IsNull())
	require.True(t, parseID([]byte(`{}`)).IsNull())
	require.Zero(t, parseID(nil))
}

func TestIDRaw(t *testing.T) {
	for in, want := range map[string]string{
		`4`: `4`, `4.0`: `4`, `4.5`: `4.5`, `"a\"b"`: `"a\"b"`, `null`: `null`, `[]`: `null`, ``: ``,
		`18446744073709551615`: `18446744073709551615`,
	} {
		require.Equal(t, want, string(parseID([]byte(in)).Raw()))
	}
}
