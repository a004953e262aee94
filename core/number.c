#include <stdio.h>
#include <stdlib.h>

#include "core/number.h"

const char *
hrw_show_number(double number, char room[HRW_NUMBER])
{
	int digits = 1;

	do
		snprintf(room, HRW_NUMBER, "%.*g", digits, number);
	while (strtod(room, NULL) != number && ++digits <= 17);
	return room;
}
