// Made from the commands by `npm run generate`; change them instead.

export const helpText = `Usage: rollbook [options] [command]

User Administration (Auth) API of a product: the server, and all that it does
from the shell.

Examples:
  # serves the API
  rollbook
  # from another shell
  rollbook users create ada --email ada@example.com --role admin
  # how a command finds its server and its key
  rollbook help authentication

Options:
  -V, --version  print the version
  -h, --help     show help

Commands:
  serve          serve the API; so does rollbook without a command
  users          administer the users of the product
  keys           give programs keys, and take them away
  sessions       see where users are signed in, and sign them out
  webhooks       have other systems told of each change
  roles          see what users can be, and what that permits
  statistics     see how many users come, sign in and fail to
  signing-keys   replace the key that signs access tokens
  events         follow what happens to users, sessions and keys
  audit          see who did what; check the audit, export it
  admin          get in from the host: the first time, or when every credential
                 is lost
  doctor         look for what is wrong, on this machine and from outside
  profile        keep servers and keys under names
  backup         copy the SQLite store to a file, also while it is served
  restore        put a backup in the place of the SQLite store
  move           copy the store from SQLite to PostgreSQL, or back
  completion     let the shell complete commands, options and usernames
  help           explain a command or a topic

Topics, for rollbook help:
  authentication  how a command finds its server and its key
  output          tables, JSON, NDJSON, CSV; what goes where
  writing         trying out, being asked, trying again
  exit-codes      what a script can rely on
  environment     the variables that commands read
  import          bringing many users in, and moving here
`
