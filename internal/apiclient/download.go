package apiclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"orihon/memory"
)

// maxRedirects of one download: hubs lead to their stores over one or two.
const maxRedirects = 5

// stall is how long a download may stand still.
const stall = 30 * time.Second

// Download copies the file at an address to w, at most limit bytes, and tells
// progress after every piece; a total below 0 is not known. Only https is
// taken, and http of this machine; redirects are followed under the same rule.
// Nothing that identifies anybody is sent.
//
// A file that is not there wraps [memory.ErrNotFound].
func Download(ctx context.Context, address string, w io.Writer, limit int64, progress func(done, total int64)) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil {
		return fmt.Errorf("%w address: want one such as https://example.com/model/", memory.ErrInvalid)
	}
	if err := fetchable(u); err != nil {
		return err
	}
	t := transport()
	t.ResponseHeaderTimeout = stall
	defer t.CloseIdleConnections()
	client := &http.Client{Transport: t, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return errors.New("it is redirected too often")
		}
		r.Header.Del("Referer") // an address may hold a token
		return fetchable(r.URL)
	}}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idle := time.AfterFunc(stall, func() { cancel(fmt.Errorf("%s sent nothing for %s", u.Host, stall)) })
	defer idle.Stop()

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return fmt.Errorf("%w address: %w", memory.ErrInvalid, err)
	}
	req.Header.Set("User-Agent", "orihon")
	resp, err := client.Do(req)
	if err != nil {
		return fetchError(ctx, u, err)
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusNotFound:
		return fmt.Errorf("%w: %s has no %s", memory.ErrNotFound, u.Host, u.Path)
	case resp.StatusCode != http.StatusOK:
		return (&Client{base: u}).refusal(resp)
	case resp.ContentLength > limit:
		return tooLarge(u, limit)
	}
	var done int64
	buf := make([]byte, 128<<10)
	for {
		n, err := resp.Body.Read(buf)
		if n > 0 {
			idle.Reset(stall)
			if done += int64(n); done > limit {
				return tooLarge(u, limit)
			}
			if _, err := w.Write(buf[:n]); err != nil {
				return err
			}
			if progress != nil {
				progress(done, resp.ContentLength)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fetchError(ctx, u, err)
		}
	}
}

func fetchable(u *url.URL) error {
	if u.Scheme == "https" || u.Scheme == "http" && loopback(u.Hostname()) {
		return nil
	}
	return fmt.Errorf("%w: %s is not fetched over %s: write https", memory.ErrRefused, u.Host, u.Scheme)
}

func tooLarge(u *url.URL, limit int64) error {
	return fmt.Errorf("%w: %s of %s is larger than %d MB", memory.ErrRefused, u.Path, u.Host, limit>>20)
}

func fetchError(ctx context.Context, u *url.URL, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	return fmt.Errorf("%s: %w", u.Host, err)
}
