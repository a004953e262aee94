/*
 * The query of a request and its values as numbers and flags: a number that is
 * taken is within its range, and reads as it would be written.
 */
#include "daemon/http/private.h"
#include "tests/fuzz/law.h"

enum { PARAMETERS = 6 };

static void
law_of_numbers(struct request *req, const char *name)
{
	const struct target_parameter *p = target_parameter(&req->exchange->target, name);
	int64_t number, whole;
	char shown[32];
	int rc;

	rc = request_number(req, name, -5, 1000, 7, HRW_BAD_COPIES, &number);
	law_of_faults(rc, &req->fault);
	law(rc == 0 || rc == HRW_BAD_COPIES);
	law(number >= -5 && number <= 1000);
	law(rc == 0 || number == 7);
	if (p == NULL ||
	    request_number(req, name, INT64_MIN, INT64_MAX, 0, HRW_BAD_PARAMETER, &whole) < 0)
		return;
	law(rc < 0 || whole == number);
	/* Leading zeros aside. */
	snprintf(shown, sizeof(shown), "%lld", (long long)(whole < 0 ? -whole : whole));
	law(p->value.len >= strlen(shown));
	law(memcmp(p->value.data + p->value.len - strlen(shown), shown, strlen(shown)) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const char path[] = "/owner?";
	size_t room = sizeof(*(struct exchange *)0) + PARAMETERS * sizeof(struct target_parameter);
	struct exchange *ex = calloc(1, room);
	struct request *req = &ex->request;
	char *text = malloc(sizeof(path) - 1 + len);
	bool flag;
	int rc;

	req->exchange = ex;
	ex->target.parameter = ex->parameter;
	ex->target.parameter_max = PARAMETERS;
	memcpy(text, path, sizeof(path) - 1);
	if (len > 0)
		memcpy(text + sizeof(path) - 1, data, len);
	rc = target_parse(text, sizeof(path) - 1 + len, &ex->target, &req->fault);
	law_of_faults(rc, &req->fault);
	if (rc == 0) {
		law_of_numbers(req, "copies");
		rc = request_flag(req, "force", &flag);
		law_of_faults(rc, &req->fault);
		rc = target_only(&ex->target, "copies force key pool", &req->fault);
		law_of_faults(rc, &req->fault);
	}
	free(text);
	free(ex);
	return 0;
}
