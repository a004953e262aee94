/*
 * main.c - hrwctl: options, the command, its end.
 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/ctl/client.h"
#include "daemon/ctl/command.h"

static void
put(struct buffer *text)
{
	fwrite(text->data, 1, text->len, stdout);
	buffer_fini(text);
}

/* What the build and the shells ask for. */
static int
print(struct ctl *ctl, char **words, size_t count)
{
	struct buffer text = {0};

	if (strcmp(ctl->options.print, "words") == 0)
		return completion_print(ctl, words, count);
	if (strcmp(ctl->options.print, "man") == 0)
		manual_write(&text);
	else
		completion_write(ctl->options.print, &text);
	put(&text);
	return CTL_DONE;
}

static int
no_command(char **words, size_t count)
{
	const char *word = words[0], *guess = command_guess(words, count);

	if (guess != NULL && (count > 1 || !command_is_group(word)))
		return ctl_fail(CTL_USAGE,
		    "there is no command \"%s%s%s\": did you mean \"%s\"? (hrwctl --help lists "
		    "them)",
		    word, strchr(guess, ' ') != NULL && count > 1 ? " " : "",
		    strchr(guess, ' ') != NULL && count > 1 ? words[1] : "", guess);
	if (command_is_group(word))
		return ctl_fail(CTL_USAGE,
		    "\"%s\" is the first word of several commands: hrwctl %s --help lists them",
		    word, word);
	return ctl_fail(
	    CTL_USAGE, "there is no command \"%s\": hrwctl --help lists what there is", word);
}

/* "plan shwo" is a plan of a file, but where there is no such file. */
static bool
is_mistyped(char **words, size_t count, size_t taken)
{
	const char *guess;

	if (taken != 1 || count < 2 || !command_is_group(words[0]) || access(words[1], F_OK) == 0)
		return false;
	guess = command_guess(words, count);
	return guess != NULL && strchr(guess, ' ') != NULL;
}

static int
find_command(struct ctl *ctl, char **words, size_t count)
{
	struct buffer text = {0};
	bool is_group;
	size_t taken;

	if (count > 0 && strcmp(words[0], "help") == 0) {
		ctl->options.is_help = true;
		words++;
		count--;
	}
	if (ctl->options.is_help && count == 1 && strcmp(words[0], "options") == 0) {
		usage_write_options(&text);
		put(&text);
		return CTL_DONE;
	}
	ctl->command = command_find(words, count, &taken);
	is_group = ctl->options.is_help && count == 1 && command_is_group(words[0]);
	if (count > 0 && (is_mistyped(words, count, taken) || (ctl->command == NULL && !is_group)))
		return no_command(words, count);
	if (ctl->options.is_help) {
		if (ctl->command == NULL && is_group)
			usage_write_group(words[0], &text);
		else
			usage_write(ctl->command, &text);
		put(&text);
		return CTL_DONE;
	}
	if (ctl->command == NULL)
		return ctl_fail(CTL_USAGE, "no command: hrwctl --help lists what there is");
	ctl->argument = words + taken;
	ctl->argument_count = count - taken;
	return 0;
}

static int
run(struct ctl *ctl, int argc, char **argv)
{
	int at, rc;

	rc = options_read(&ctl->options, argc, argv, &at);
	if (rc != 0)
		return rc;
	ctl->is_json = strcmp(ctl->options.output, "json") == 0;
	ctl->out = ctl->is_json ? stderr : stdout;
	terminal_init(&ctl->terminal, fileno(ctl->out));
	if (ctl->options.is_version)
		return version_print(ctl);
	if (ctl->options.print != NULL)
		return print(ctl, argv + at, (size_t)(argc - at));
	rc = find_command(ctl, argv + at, (size_t)(argc - at));
	if (rc != 0 || ctl->command == NULL || ctl->options.is_help)
		return rc;
	rc = options_judge(ctl->command->name, ctl->command->options);
	if (rc == 0)
		rc = command_judge(ctl->command, ctl->argument, ctl->argument_count);
	return rc != 0 ? rc : ctl->command->run(ctl);
}

/* A descriptor of a standard stream that is closed would be the next socket's, and
 * keys would be written into that. What takes its place can do nothing: an input that
 * is not there is no empty one. */
static void
fill_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			_exit(CTL_REFUSED);
}

/* A change that was made is not undone when its output is lost: only the exit status
 * tells of that. */
static int
end_output(const struct ctl *ctl, int status)
{
	int error = ctl->output_error;

	client_put_end();
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	if (error == 0)
		error = errno;
	ctl_fail(CTL_OUTPUT, "the output cannot be written%s%s", error != 0 ? ": " : "",
	    error != 0 ? strerror(error) : "");
	if (status == CTL_LEFT && terminal_is_left())
		return status;
	return status == CTL_DONE || status == CTL_PENDING || status == CTL_LEFT ? CTL_OUTPUT
										 : status;
}

int
main(int argc, char **argv)
{
	struct ctl ctl = {0};
	int status;

	fill_descriptors();
	/* For the width of characters alone: texts and numbers stay as they are. */
	setlocale(LC_CTYPE, "C.UTF-8");
	status = end_output(&ctl, run(&ctl, argc, argv));
	client_free(ctl.client);
	options_fini(&ctl.options);
	return status;
}
