package main

import (
	"fmt"
	"math"
	"slices"
)

// ratio is how a peer compares with the base, over the rounds of one run: what
// the machine does at the time touches both sides of a round.
type ratio struct{ low, median, high float64 }

// compare divides a peer's figures by the base's, round by round. Rounds in
// which either has none are left out.
func compare(peer, base []float64) (ratio, bool) {
	var all []float64
	for i := range min(len(peer), len(base)) {
		if peer[i] >= 0 && base[i] > 0 {
			all = append(all, peer[i]/base[i])
		}
	}
	if len(all) == 0 {
		return ratio{}, false
	}
	slices.Sort(all)
	return ratio{quantile(all, 0.25), quantile(all, 0.5), quantile(all, 0.75)}, true
}

// quantile interpolates between the two nearest of sorted values.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	low := int(math.Floor(at))
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (sorted[high]-sorted[low])*(at-float64(low))
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return quantile(sorted, 0.5)
}

func (r ratio) String() string {
	return fmt.Sprintf("%s (%s–%s)", short(r.median), short(r.low), short(r.high))
}

// short has three digits, or as many as the number has before the point.
func short(f float64) string {
	switch {
	case f >= 100:
		return fmt.Sprintf("%.0f", f)
	case f >= 10:
		return fmt.Sprintf("%.1f", f)
	}
	return fmt.Sprintf("%.2f", f)
}
