/** The texts of the factor operations in the OpenAPI document. */
export const listOwnDescription = `Lists what you sign in with besides your password, how many recovery codes are left, and whether the policy
requires a second factor of you.`

export const addTotpDescription = `Starts adding one-time codes (RFC 6238): 6 digits, every 30 seconds. Show \`qr_code\` to be scanned, or \`secret\` to be typed in, then
send the first code to \`POST /me/factors/totp/{factor_id}/confirm\` within an hour. Until then the codes are not asked for.

A session without a second factor may add the first one only.`

export const confirmTotpDescription = `Activates one-time codes with the code that the app shows now. From then on a sign-in asks for one. This session counts
as signed in with a second factor, and your other sessions end. The code is used up.`

export const codesDescription = `Replaces your recovery codes with ten new ones. Each replaces the second factor once, if you lose your phone.`

export const resetDescription = `Removes all factors and recovery codes of a user who has lost them ("lost phone") and ends the user's sessions. The
password stays. If the policy requires a second factor, the user adds a new one at the next sign-in.`

export const beginPasskeyDescription = `Returns options for \`navigator.credentials.create\`. Send the result to \`POST /me/factors/passkeys\` within five minutes.

A session without a second factor may add the first one only.`

export const addPasskeyDescription = `Adds a passkey (WebAuthn). From then on a sign-in asks for a second factor after the password, and the passkey also
signs in alone if it verifies its user. This session counts as signed in with it, and your other sessions end.

Pages in a frame of another site are refused.`
