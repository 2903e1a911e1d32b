package main

import "testing"

func TestCompareTakesQuartilesOfRounds(t *testing.T) {
	t.Parallel()
	got, ok := compare([]float64{10, 40, 90, 160, 50}, []float64{10, 20, 30, 40, 10})
	if want := (ratio{2, 3, 4}); !ok || got != want {
		t.Fatalf("got %v, want %v", got, want)
	}
}

func TestCompareLeavesOutRoundsWithoutFigures(t *testing.T) {
	t.Parallel()
	if got, ok := compare([]float64{-1, 6}, []float64{1, 2}); !ok || got.median != 3 {
		t.Fatalf("got %v", got)
	}
	if _, ok := compare([]float64{1}, []float64{0}); ok {
		t.Fatal("a ratio to nothing")
	}
}

func TestShort(t *testing.T) {
	t.Parallel()
	for f, want := range map[float64]string{0.5: "0.50", 12.34: "12.3", 1234.5: "1234"} {
		if got := short(f); got != want {
			t.Errorf("%v: got %s, want %s", f, got, want)
		}
	}
}
