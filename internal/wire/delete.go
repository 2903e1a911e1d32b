package wire

import (
	"context"
	"fmt"
	"net/http"
)

// Delete is the polite end of a streamable session: a DELETE with the session id and credentials, bounded by ctx and Life. It is
// nil at once where there is no session to end, and where the server doesn't want to be told.
func (s *Session) Delete(ctx context.Context) error {
	s.mu.Lock()
	id, protocol, lost := s.sessionID, s.protocol, s.lost
	s.mu.Unlock()
	if id == "" || lost || s.config.LegacySSE {
		return nil
	}
	if err := s.over(ctx); err != nil {
		return fmt.Errorf("wire: delete: %w", err)
	}
	line := s.lifeline(ctx)
	defer line.end()
	r, err := http.NewRequestWithContext(ctx, http.MethodDelete, s.endpoint.String(), nil)
	if err != nil {
		return fmt.Errorf("wire: delete: %w", err)
	}
	r.Header.Set(headerSession, id)
	if protocol != "" {
		r.Header.Set(headerProtocol, protocol)
	}
	t := &trip{}
	resp, err := s.send(line, t, r, nil)
	if err != nil {
		return fmt.Errorf("wire: delete: %w", s.reason(ctx, err))
	}
	switch resp.StatusCode {
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		line.drain(resp.Body)
		return nil
	}
	if declines(resp) {
		return fmt.Errorf("wire: delete: %w", s.httpError(line, resp, t, http.MethodDelete, true))
	}
	line.drain(resp.Body)
	return nil
}
