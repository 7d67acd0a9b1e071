import type { MailSenderConfig, Outgoing, Patience, SendResult } from './smtp.ts'

/** What the sending thread starts with. */
export type SenderSetup = { config: MailSenderConfig; patience: Patience | undefined }

export type ToSender = Outgoing

export type FromSender = { mail_id: string; result: SendResult | undefined }
