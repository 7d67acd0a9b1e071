import type { Brand } from '../../../core/brand.ts'
import type { MailRow } from '../store.ts'
import type { TemplateSet } from '../templates/templates.ts'
import type { MessageParts } from './message.ts'
import type { MailSenderConfig, Patience, SendResult } from './smtp.ts'

export type SenderConfig = MailSenderConfig & MessageParts['config']

/** What the sending thread starts with. */
export type SenderSetup = { config: SenderConfig; templates: TemplateSet; patience: Patience | undefined }

/** A message that is still to be made, with the token of its link. */
export type ToSender = Pick<
  MailRow,
  'mail_id' | 'kind' | 'locale' | 'data' | 'address' | 'expires_at' | 'created_at'
> & {
  token: string | undefined
  /** The look of the organization of its user. Undefined: that of the product. */
  own: Brand | undefined
}

/**
 * The look comes before the first message, and again when it has changed. `end` closes the connections, and comes before another setup
 * or the end of the thread.
 */
export type ToThread = SenderSetup | { brand: Brand } | readonly ToSender[] | 'end'

/** What ended since the last time. */
export type FromSender = { mail_id: string; result: SendResult | undefined }[]
