/** Operators' actions on messages: list them, retry one, send a test. Leaves sending to sending/. */

export { codeOf } from './codes.ts'
export { jobs } from './jobs.ts'
export { accountUrl, linkPaths } from './kinds.ts'
export { refuseWithoutMail, unsendable } from './mails.ts'
export { metrics } from './metrics.ts'
export {
  cancelMails,
  canReach,
  deleteMailsOf,
  deleteMailsToAddresses,
  holdAddresses,
  isWithinPace,
  isWithinShare,
  type Message,
  queue,
  queueToAddress,
  queueWithinShare,
  type Recipient,
  refuseTooMany,
  refuseTooManyPlanned,
  wasQueued,
} from './outbox.ts'
export { type PreviewNeeds, sampleMessage } from './sample.ts'
export { startMailDispatcher } from './sending/dispatch.ts'
export { hasNodeWithoutNotices, holdWaiting } from './store.ts'
export { loadTemplates, type Templates } from './templates/templates.ts'
export { deleteTokensOf, findToken, insertToken, newToken, tokenHashOf } from './tokens.ts'
