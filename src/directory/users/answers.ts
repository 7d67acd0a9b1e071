/** OpenAPI texts of the users' operations: descriptions, responses, and examples that work when sent. */
export const databaseAccounts = (advice: string) => `
### The account in the database is a separate step

Rollbook administers the users of the product's web UI only. It never creates, changes or drops an account of the
product's relational database. ${advice} with the tools of the database, for example on PostgreSQL:`

export const createDescription = `Creates a user of the web UI. Needs the permission {access}.

Only \`username\` is required, and all values are strings. A user without a password cannot sign in until one is set.
With \`"kind": "service"\` it is a service account: a program, which never signs in and acts with keys (\`POST /users/{user_id}/keys\`).
With \`"invite": "true"\` the user is invited to choose one: \`invitation\` says until when the link works, and has it as
\`url\` if no message is sent. With an \`Idempotency-Key\`, a repeated request creates the user only once and gets the first response again.
${databaseAccounts('Most users need one there too; create it')}

    createuser --pwprompt ada

or in SQL: \`CREATE ROLE ada LOGIN SUPERUSER CREATEDB\`, with only those of these rights that are needed.`

export const getDescription = 'Returns one user.'

export const updateDescription = `Changes the given members of a user and leaves the others (JSON Merge Patch, RFC 7396, also sent as
\`application/json\`). Needs the permission {access}.

\`email: null\` clears the address. With \`If-Match\`, the user is changed only if nothing has changed since you read it. The last
active administrator cannot be disabled or demoted.`

/** The docs page makes the name unique, so that the example can be sent as it stands. */
export const createExample = {
  username: 'ada.lovelace',
  email: 'ada.lovelace@example.com',
  first_name: 'Ada',
  last_name: 'Lovelace',
  password: 'analytical engine no. 1',
}
