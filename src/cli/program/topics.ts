/** The topics of `rollbook help <topic>` and of the man page. Lines have at most 80 characters. */
type Topic = { title: string; text: string }

export const topics: Record<string, Topic> = {
  authentication: {
    title: 'how commands find the server and the API key',
    text: `Commands such as rollbook users send requests to a server, with an API key.
The first of these that is set decides:

  --url <address>, --key-file <file>     for this command only
  --profile <name>                       a stored server and key
  ROLLBOOK_PROFILE                       the same, as an environment variable
  ROLLBOOK_URL                           URL of the API with its prefix
  ROLLBOOK_API_KEY, …_API_KEY_FILE       the key, or a file that contains it
  the default profile                    see rollbook profile use
  the server of this machine             the address of rollbook serve, with the
                                         key in its data directory

The key is never an argument, because every user of a machine can see the
arguments of all processes. A key is sent only to its own server: the key of a
profile to the server of the profile, the key in the data directory to the
server of this machine, and the key in the environment to ROLLBOOK_URL, or to
the server of this machine if no address is given. If --url names another
server, give --key-file too.

Profiles are stored in $XDG_CONFIG_HOME/rollbook/profiles.json (by default in
~/.config). Only you may be able to read this file; otherwise rollbook refuses
to use it.

  rollbook login --server https://example.com/auth
  rollbook profile add work --url https://example.com/auth
  rollbook users list --profile work`,
  },
  output: {
    title: 'output formats and streams',
    text: `Data goes to standard output, messages go to standard error. The format does
not depend on whether the output is a terminal, a pipe or a file:

  --output table    for people (default): columns, or one line for each member.
                    The first 100 rows decide the widths of the columns; a
                    longer value later shifts the rest of its line. Tables may
                    change between releases.
  --output json     one array or one object, with the members of the API
  --output ndjson   one object per line, written as it arrives
  --output csv      RFC 4180, with a header. A cell that a spreadsheet would
                    run as a formula starts with an apostrophe.

  --json            same as --output json; --json a,b with these members only
  --template text   a line for each, such as '{{username}} {{email}}': members
                    in double braces, and \\n, \\t, \\\\
  --columns a,b     only these members, in this order, in every format
  --no-header       omit the first line of a table or CSV
  --quiet           print no messages except errors

Control characters are escaped as \\u{1b} in tables and as \\u001b in JSON,
because other people choose the names. On a terminal, rollbook users list shows
the first 100 in $PAGER if they do not fit (--all, --no-pager), and an import
says its result in a sentence. Bold text is used only on a terminal, and
not if NO_COLOR is set. The reader may stop early: rollbook users list | head
ends without an error.`,
  },
  writing: {
    title: 'dry runs, confirmation and retries',
    text: `Every command that changes something accepts

  --dry-run    make all checks and show what would happen, but change nothing

Commands that ask for confirmation accept

  --yes        do not ask; required if there is no terminal to ask on

Commands that end, delete or erase something ask first. Without a terminal they
do not ask: they fail with exit code 2 and name the option to give.

Passwords and keys are read from a file, standard input or the terminal. They
are never arguments.

A request whose response is lost is retried. It takes effect only once.`,
  },
  'exit-codes': {
    title: 'the exit codes, for scripts',
    text: `  0    success
  1    failed: standard error says why
  2    wrong usage: an unknown option, an invalid value, or no terminal for a
       question that must be asked
  3    not found: there is no such user, key or session
  4    not authorized: the key is missing, is invalid or lacks the permission
  5    conflict: the name is taken, someone else made a change meanwhile, or it
       is the last administrator
  6    some rows failed: standard error or the output says which
  7    unreachable: the server did not respond, is not ready, or the response
       was cut off
  78   serve: a setting is wrong; a restart does not help
  130  interrupted with Ctrl-C; 143 after SIGTERM`,
  },
  environment: {
    title: 'the environment variables that commands read',
    text: `  ROLLBOOK_URL            URL of the API with its prefix
  ROLLBOOK_API_KEY        the API key
  ROLLBOOK_API_KEY_FILE   a file that contains the API key
  ROLLBOOK_PROFILE        the profile to use
  XDG_CONFIG_HOME         directory of rollbook/profiles.json
  NO_COLOR                no bold text and no colours on a terminal
  PAGER                   shows long lists on a terminal (default: less)

rollbook serve, and the commands that open a store (admin, audit, backup,
doctor, move, restore), also read the settings of the server, such as
ROLLBOOK_DATA_DIR. docs/configuration.md lists them.`,
  },
  import: {
    title: 'importing many users, and migrating',
    text: `rollbook users import reads users from NDJSON, JSON or CSV, and rollbook users
export writes them. With --dry-run an import shows the verdict on each row but
changes nothing.

  rollbook users import users.csv --dry-run
  rollbook users import users.ndjson
  rollbook users import --from keycloak realm.json
  rollbook users import --from json people.json --dry-run

The last one guesses which path is which member, and prints the guess as a
mapping that you can save, correct and give with --mapping.

To continue an interrupted import, run it again with the same file. Importing a
file twice changes nothing. docs/migrate.md explains what can
be migrated from which system, and docs/migrate/file.md has the rules for a file
of your own.`,
  },
}
