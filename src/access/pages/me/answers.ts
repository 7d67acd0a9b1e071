/** The texts of the operations on oneself in the OpenAPI document. */
export const getDescription = `Returns the calling user and their permissions. A web UI calls this first: 401 means that no user is signed in. With a
personal key it returns its owner, with the permissions that the key has at the moment.

Two things can come first, in this order. While \`must_add_factor\` is true, other operations are refused until the session
has a second factor: \`POST /me/factors/totp\`, or \`POST /sessions/current/reauthentication\` with one that you have. While
\`must_change_password\` is true, they are refused until \`POST /me/password\` has set another password. \`GET /me\` and
signing out are always possible.

\`attribute_definitions\` describes the fields of a form for your own attributes: no other permission is needed to read them.`

export const updateDescription = `Changes your own names, language, email address, or attributes with \`editable_by\` \`user\` (JSON Merge Patch, RFC 7396, also sent as \`application/json\`). To change
\`email\`, or to clear it with \`null\`, also send \`current_password\`. Only administrators can change other members.

With a mail server, a new address is \`pending_email\` until the link that was sent to it is used. The response is the same whether or not another
user has the address; that user gets a notice instead. Without a mail server, the address changes at once, or the response is 409 \`email_taken\`.
Addresses and values of unique attributes can be tried five times an hour, dry runs included; then the response is 429 \`too_many_attempts\`.`

export const changePasswordDescription = `Sets a new password for the signed-in user. Every other session of this user ends at once, and so do the access
tokens issued before. This session continues.

Wrong current passwords are counted and throttled like failed sign-ins.`

export const verifyEmailDescription = `Sends you a message with a link that confirms your address. It works once, for 24 hours, in a browser in which you
are signed in, and in the browser that sent this request.`
