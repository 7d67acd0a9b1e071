// Made from the commands by `npm run generate`; change them instead.

export const helpText = `Usage: rollbook [options] [command]

User Administration (Auth) API for your product: the server and its command
line.

Examples:
  # serve the API
  rollbook
  # create an administrator, from another shell
  rollbook users create ada --email ada@example.com --role admin
  # how commands find the server and the API key
  rollbook help authentication

Options:
  -V, --version    print the version
  -h, --help       show help

Commands:
  serve            serve the API; the default without a command
  users            manage the users of the product
  groups           manage groups of users
  organizations    manage organizations
  attributes       define custom attributes of users
  provisioning     connect identity providers
  connections      let users sign in through companies
  keys             create, change, rotate and revoke API keys
  sessions         show where users are signed in, and sign them out
  factors          list and remove second factors of users
  mails            show messages to users, and send them again
  access-requests  list people who ask for access, and decide about them
  config           export the configuration as a file
  plan             show what a configuration file would change
  apply            make the system as a configuration file says
  branding         change the look of the pages and messages
  webhooks         send changes to other systems
  roles            show and change the roles and their permissions
  access           report who has which permissions
  reviews          decide who keeps which access
  policies         show and change policies for all users
  inactivity       show whom the inactivity rule disables, and confirm
  statistics       count users, sign-ups and sign-ins
  signing-keys     rotate the keys that sign access tokens
  events           follow changes of users, sessions, keys and roles
  api              send any request to the API
  audit            list, verify and export audit records
  admin            create the first administrator, or regain access
  secrets          change the secret that encrypts others in the store
  doctor           check this machine, and the deployment from outside
  login            sign in through the browser
  logout           revoke the key of rollbook login
  whoami           show which key and server commands use
  version          show the version of this command and of the server
  profile          store servers and keys under names
  backup           copy the SQLite store to a file, even while the server runs
  restore          replace the SQLite store with a backup
  restored         prepare a store that another tool restored
  move             copy the store from SQLite to PostgreSQL, or back
  completion       print a completion script for the shell
  help             explain a command or a topic

Topics (rollbook help <topic>):
  authentication  how commands find the server and the API key
  output          output formats and streams
  writing         dry runs, confirmation and retries
  exit-codes      the exit codes, for scripts
  environment     the environment variables that commands read
  import          importing many users, and migrating
`
