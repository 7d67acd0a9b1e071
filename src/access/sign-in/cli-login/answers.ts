/** The texts of the sign-in of the command line in the OpenAPI document. */
export const startDescription = `Starts a sign-in of a command line, as \`rollbook login\` does. Needs no credential, and gives none: the user approves it
in the browser, signed in and confirmed within the last 10 minutes. It waits for 10 minutes.

With \`redirect_uri\` the response has \`login_uri\`, the page to open in a browser of this machine. Afterwards the browser brings
\`code\` and \`state\` to \`redirect_uri\`, or \`error\` (RFC 8252 with PKCE, RFC 7636). Without it the response has a device code (RFC
8628): show \`user_code\` and \`verification_uri\`, and ask \`POST /cli-logins/token\` every \`interval\` seconds.

\`ROLLBOOK_CLI_LOGIN\` decides whether both forms are there, only the first, or none (\`not_enabled\`).`

export const exchangeDescription = `Exchanges the code of an approved sign-in for a personal key of the user who approved it, with permissions that both the
request and the user have. The key has the name of the request, ends at the requested time, and is listed with the user's other keys.

A code works once. A code that is used again revokes its key (RFC 6749 §4.1.2). An authorization code works for a minute, and ends
if the verifier or \`redirect_uri\` is another one. A refusal has the members \`error\` and \`error_description\` of OAuth as well. You
can also send a form (\`application/x-www-form-urlencoded\`).`
