/** The texts of the mail operations in the OpenAPI document. */
import type { Answers } from '../../http/endpoint/operation.ts'
import { dryRun, json, jsonList, nextPage, replayed } from '../../http/endpoint/response-parts.ts'

export const listDescription = `Lists messages, newest first: what was sent, what waits, and what failed and why. Bodies and links are not stored.
Finished messages are kept for 30 days. Needs the permission \`mails:read\`.`

export const getDescription = `Returns a message without its content: its recipient, its state and the reason. Needs the permission \`mails:read\`.`

export const serverDescription = `Returns whether messages are sent: whether a mail server is set up, since when it accepts nothing, and how many messages
wait. Needs the permission \`mails:read\`.`

export const retryDescription = `Sends a failed message again, with the same \`Message-ID\`, or one that waits for its next attempt at once; the attempts before are kept. A message whose link has expired or was replaced cannot be
sent again: create a new link instead. Needs the permission \`mails:write\`.`

export const releaseDescription = `Sends messages that are held since the store was restored: all, or those of \`mail_ids\`. Check before whether the
store that this one comes from has sent them: their recipients would get them twice. A message whose link has expired fails. Needs the permission \`mails:write\`.`

export const discardDescription = `Gives up messages that are held since the store was restored: all, or those of \`mail_ids\`. Needs the permission
\`mails:write\`.`

export const previewDescription = `Shows a message as an invented user would get it, from the built-in template or yours. Needs the permission
\`mails:read\`.`

export const testDescription = `Sends a short message to an address, to show whether sending works: at most five an hour to one address. Needs the permission
\`mails:write\`.`

export const listed: Answers = {
  200: {
    description: 'A page of messages.',
    headers: nextPage,
    content: jsonList('Mail'),
  },
}

export const found: Answers = { 200: { description: 'The message.', content: json('Mail') } }

export const server: Answers = { 200: { description: 'The state of sending.', content: json('MailServer') } }

export const queued: Answers = {
  202: { description: 'The message was queued.', headers: replayed, content: json('Mail') },
  200: { description: 'Dry run: what would be sent.', headers: dryRun, content: json('Mail') },
}

export const previewed: Answers = { 200: { description: 'The message.', content: json('MailPreview') } }

export const released: Answers = {
  200: { description: 'How many messages are sent now.', headers: replayed, content: json('ReleasedMails') },
}

export const discarded: Answers = {
  200: { description: 'How many messages were given up.', headers: replayed, content: json('DiscardedMails') },
}
