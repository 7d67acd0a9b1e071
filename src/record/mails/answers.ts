/** The texts of the mail operations in the OpenAPI document. */
export const listDescription = `Lists messages, newest first: what was sent, what waits, and what failed and why. Bodies and links are not stored.
Finished messages are kept for 30 days.`

export const getDescription = `Returns a message without its content: its recipient, its state and the reason.`

export const serverDescription = `Returns whether messages are sent: whether a mail server is set up, since when it accepts nothing, and how many messages
wait.`

export const retryDescription = `Sends a failed message again, with the same \`Message-ID\`, or one that waits for its next attempt at once; the attempts before are kept. A message whose link has expired or was replaced cannot be
sent again: create a new link instead.`

export const releaseDescription = `Sends messages that are held since the store was restored: all, or those of \`mail_ids\`. Check before whether the
store that this one comes from has sent them: their recipients would get them twice. A message whose link has expired fails.`

export const discardDescription = `Gives up messages that are held since the store was restored: all, or those of \`mail_ids\`. Needs the permission
{access}.`

export const previewDescription = `Shows a message as an invented user would get it, from the built-in template or yours. Needs the permission
{access}.`

export const testDescription = `Sends a short message to an address, to show whether sending works: at most five an hour to one address. Needs the permission
{access}.`
