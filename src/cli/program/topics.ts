/** What `rollbook help <topic>` explains, and the man page after it: lines of at most 80 characters. */
export type Topic = { title: string; text: string }

export const topics: Record<string, Topic> = {
  authentication: {
    title: 'how a command finds its server and its key',
    text: `Commands such as rollbook users speak to a server, with an API key. They take
the first of these:

  --url <address>, --key-file <file>     for this one command
  --profile <name>                       a server and key kept under a name
  ROLLBOOK_PROFILE                       the same, in the environment
  ROLLBOOK_URL                           the address, with its prefix
  ROLLBOOK_API_KEY, …_API_KEY_FILE       the key, or a file that holds it
  the profile in use                     see rollbook profile use
  the server of this machine             where rollbook serve would listen, with
                                         the key in its data directory

The key is never an argument: every user of a machine can read the arguments of
all processes. The key of a profile is sent to the server of this profile only,
that of the data directory to the server of this machine only, and that of the
environment to ROLLBOOK_URL, or without any address to the server of this
machine. Where --url names another, it needs --key-file.

Profiles are in $XDG_CONFIG_HOME/rollbook/profiles.json (~/.config without it),
which only you may read: rollbook refuses the file otherwise.

  rollbook profile add work --url https://example.com/auth
  rollbook users list --profile work`,
  },
  output: {
    title: 'tables, JSON, NDJSON, CSV; what goes where',
    text: `Data goes to standard output, all that is said about it to standard error. The
format is the one asked for, and the same on a terminal, in a pipe and in a
file:

  --output table    for people, and the default: columns, or a line for each
                    member. The first hundred rows decide how wide a column is;
                    a longer value after them is written whole, and moves the
                    rest of its line. Tables may change from release to release.
  --output json     one array, or one object; the members are those of the API
  --output ndjson   an object on each line, as it comes
  --output csv      RFC 4180, with a header; a cell that a spreadsheet would
                    take for a formula begins with an apostrophe

  --json            the same as --output json
  --columns a,b     only these members, in this order, in every format
  --no-header       a table or CSV without its first line
  --quiet           says nothing but what went wrong

Characters that control a terminal are written as \\u{1b} in tables and as
\\u001b in JSON, because names are chosen by others. NO_COLOR, or output that is
no terminal, leaves out bold letters. Whoever reads may stop early: rollbook
users list | head ends quietly.`,
  },
  writing: {
    title: 'trying out, being asked, trying again',
    text: `Every command that changes something takes

  --dry-run    check everything and say what would happen, but change nothing

and one that asks before it does something takes

  --yes        do not ask; needed where there is no terminal to ask on

What ends or erases something asks first. Nothing ever asks without a terminal:
it fails with exit code 2 and says which option to give.

Passwords and keys are read from a file, from standard input or from the
terminal, and are never arguments.

A request whose answer is lost is sent again, and has its effect once.`,
  },
  'exit-codes': {
    title: 'what a script can rely on',
    text: `  0    done
  1    failed: it was refused or did not work; standard error says why
  2    wrongly asked: an unknown option, a value that cannot be, a question that
       could not be asked without a terminal
  3    not found: there is no such user, key, session …
  4    not authorized: no key, one that is not valid, or one without the
       permission
  5    conflict: taken by somebody else, changed meanwhile, the last
       administrator
  6    some rows failed, and others did not: see what the command says
  7    unreachable: no answer, not ready, or cut off in the middle
  78   serve: a setting is wrong; starting it again is of no use
  130  interrupted with Ctrl-C; 143 by SIGTERM`,
  },
  environment: {
    title: 'the variables that commands read',
    text: `  ROLLBOOK_URL            the address of the API, with its prefix
  ROLLBOOK_API_KEY        the API key
  ROLLBOOK_API_KEY_FILE   a file that holds it
  ROLLBOOK_PROFILE        the profile to use
  XDG_CONFIG_HOME         where the profiles are: rollbook/profiles.json
  NO_COLOR                no bold letters on a terminal

rollbook serve, and the commands that open a store (backup, restore, move,
audit), read the settings of the server, such as ROLLBOOK_DATA_DIR:
docs/configuration.md lists them.`,
  },
  import: {
    title: 'bringing many users in, and moving here',
    text: `rollbook users import takes users from NDJSON or CSV, and rollbook users export
writes them. To try an import without changing anything, add --dry-run: the
verdict on each row is the one it would have.

  rollbook users import users.csv --dry-run
  rollbook users import users.ndjson
  rollbook users import --from keycloak realm.json

An import that was interrupted goes on when it is started again with the same
file, and importing a file twice changes nothing. docs/import.md says more;
docs/moving-in.md says what comes along from where.`,
  },
}
