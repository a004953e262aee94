/*
 * shells.c - completion for bash, zsh and fish.
 */
#include "daemon/config/flags.h"
#include "daemon/manual/manual.h"

void
shells_bash(struct buffer *out)
{
	buffer_add_text(out, "_hrwd()\n{\n"
			     "\tlocal word=${COMP_WORDS[COMP_CWORD]}\n\n"
			     "\tcase ${COMP_WORDS[COMP_CWORD - 1]} in\n");
	for (const struct flag *f = flag_rows; f->name != NULL; f++)
		if (f->argument != NULL)
			buffer_printf(out, "\t--%s) %s ;;\n", f->name,
			    f->is_path ? "mapfile -t COMPREPLY < <(compgen -f -- \"$word\")"
				       : "COMPREPLY=()");
	buffer_add_text(out, "\t*) mapfile -t COMPREPLY < <(compgen -W \"");
	for (const struct flag *f = flag_rows; f->name != NULL; f++)
		buffer_printf(out, "%s--%s", f == flag_rows ? "" : " ", f->name);
	buffer_add_text(
	    out, "\" -- \"$word\") ;;\n\tesac\n}\ncomplete -o filenames -F _hrwd hrwd\n");
}

/* In single quotes; zsh's own brackets and colons are escaped. */
static void
add_quoted(struct buffer *out, const char *text, const char *special)
{
	for (; *text != '\0'; text++) {
		if (*text == '\'')
			buffer_add_text(out, "'\\''");
		else if (strchr(special, *text) != NULL)
			buffer_printf(out, "\\%c", *text);
		else
			buffer_add(out, text, 1);
	}
}

void
shells_zsh(struct buffer *out)
{
	buffer_add_text(out, "#compdef hrwd\n\n_arguments");
	for (const struct flag *f = flag_rows; f->name != NULL; f++) {
		buffer_printf(out, " \\\n  '--%s[", f->name);
		add_quoted(out, f->help, "[]:");
		buffer_add_text(out, "]");
		if (f->argument != NULL)
			buffer_printf(out, ":%s:%s", f->argument, f->is_path ? "_files" : " ");
		buffer_add_text(out, "'");
	}
	buffer_add_text(out, "\n");
}

void
shells_fish(struct buffer *out)
{
	buffer_add_text(out, "complete -c hrwd -f\n");
	for (const struct flag *f = flag_rows; f->name != NULL; f++) {
		buffer_printf(out, "complete -c hrwd -l %s%s -d '", f->name,
		    f->argument == NULL ? ""
		    : f->is_path	? " -r -F"
					: " -x");
		add_quoted(out, f->help, "\\");
		buffer_add_text(out, "'\n");
	}
}
