/** The texts of the operations on links in the OpenAPI document. */
import { dryRun, text } from '../../../http/endpoint/response-parts.ts'

export const inviteDescription = `Invites a user who has no password: sends a link with which they choose one, or returns it as \`url\` if no message is
sent. The link works once, for 7 days, and replaces an earlier invitation. The user is \`invited\` until then. Needs the
permission {access}.`

export const invitationDescription = `Returns whether a user is invited, and until when the link of the invitation works. The link itself is not stored.
Needs the permission {access}.`

export const withdrawDescription = `Withdraws an invitation: its link stops working, even if the message was already sent. Needs the permission
{access}.`

export const resetDescription = `Sends a user a link with which they set a new password, or returns it as \`url\` if no message is sent. The link works
once, for one hour, and replaces an earlier one. The password stays as it is until then. Needs the permission
{access}.`

export const requestDescription = `Sends a message with a link for a new password to the user with this username or email address. The response is the
same whether there is such a user or not. Needs no credential. At most 20 requests per hour and network are accepted, and at most
five requested messages per hour go to one address.`

const empty = { 'application/json': { schema: { type: 'object' } } }

export const requested = {
  202: {
    description: 'If there is such a user, a message is on its way.',
    headers: { 'Idempotency-Replayed': text('`true`: this is the response to an earlier request.') },
    content: empty,
  },
  200: { description: 'Dry run: no message was sent.', headers: dryRun, content: empty },
}
