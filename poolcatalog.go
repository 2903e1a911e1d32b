package mcpclient

import "slices"

// namedCatalog is the catalog of one listing for one list of configs.
type namedCatalog struct {
	naming  sessionKey
	listing *listing
	catalog *catalog
}

const maxCatalogs = 4

// catalogFor is the catalog of a listing under the names of the attempt's step;
// nil if that is late before it is made.
func (e *poolEntry) catalogFor(a *attempt, info sessionInfo, l *listing) *catalog {
	naming := a.step.naming()
	e.catalogs.Lock()
	defer e.catalogs.Unlock()
	for _, n := range e.catalogs.known {
		if n.naming == naming && n.listing == l {
			return n.catalog
		}
	}
	c := e.server.catalog(info, l, a)
	if c == nil {
		return nil
	}
	if len(e.catalogs.known) >= maxCatalogs {
		e.catalogs.known = slices.Delete(e.catalogs.known, 0, 1)
	}
	e.catalogs.known = append(e.catalogs.known, namedCatalog{naming, l, c})
	return c
}
