#include <stdio.h>

#include "daemon/members/warnings.h"
#include "daemon/routes/noticed.h"

static void
add(struct buffer *elements, const char *code, const char *detail)
{
	struct warning warning = {.code = code, .detail = detail};

	warnings_add(elements, NULL, &warning);
}

void
noticed_add(const struct keylist_notice *notice, struct buffer *elements)
{
	char detail[240];

	if (notice->has_utf16_mark)
		add(elements, "utf-16",
		    "the list begins as UTF-16 does, and was taken byte by byte, so its keys are "
		    "not "
		    "the words that it shows: send it as UTF-8 (iconv -f UTF-16 -t UTF-8)");
	if (notice->has_utf8_mark)
		add(elements, "byte-order-mark",
		    "the list begins with a byte order mark, whose 3 bytes are part of its first "
		    "key: "
		    "send it without");
	if (notice->cr_lines > 0) {
		snprintf(detail, sizeof(detail),
		    "%llu %s, first line %llu, and the CR is part of the key: send lines that end "
		    "in LF alone (hrwctl keys put --crlf strips the CRs)",
		    (unsigned long long)notice->cr_lines,
		    notice->cr_lines == 1 ? "line ends in CR" : "lines end in CR",
		    (unsigned long long)notice->cr_first);
		add(elements, "lines-end-in-cr", detail);
	}
	if (notice->nul_first > 0 && !notice->has_utf16_mark) {
		snprintf(detail, sizeof(detail),
		    "line %llu has a NUL byte, as UTF-16 or a list with NULs between its keys "
		    "would, "
		    "and it is part of the key: send UTF-8, a key a line",
		    (unsigned long long)notice->nul_first);
		add(elements, "nul-in-keys", detail);
	}
}

void
noticed_header(struct request *req, const struct keylist_notice *notice)
{
	struct buffer elements = {0};

	noticed_add(notice, &elements);
	if (elements.len > 0 && !elements.failed)
		respond_header(req, "Hrw-Warnings", "[%s]", buffer_text(&elements));
	buffer_fini(&elements);
}
