#include <stdlib.h>
#include <unistd.h>

#include "tests/dsl/http.h"
#include "tests/dsl/text.h"
#include "tests/interop/proxy.h"

enum { ANSWER_MS = 10000 };

struct proxy
proxy_at(const char *address)
{
	return (struct proxy){text("http://%s", address), -1};
}

const char *
proxy_get(struct proxy *p, struct hrw_bytes target, struct hrw_bytes key)
{
	struct page request = {0};
	struct answer *a;

	page_add(&request, "GET ");
	page_bytes(&request, target.data, target.len);
	page_add(&request, " HTTP/1.1\r\nHost: example.org\r\nX-Key: ");
	page_bytes(&request, key.data, key.len);
	page_add(&request, "\r\n\r\n");
	if (p->fd < 0)
		p->fd = raw_open(p->base);
	if (p->fd < 0) {
		free(request.data);
		return "no connection";
	}
	raw_send(p->fd, request.data, request.len);
	free(request.data);
	a = raw_answer(p->fd, ANSWER_MS);
	if (a->status == 200)
		return a->body;
	close(p->fd);
	p->fd = -1;
	return text("status %ld: %s", a->status, a->body);
}
