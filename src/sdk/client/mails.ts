import type { Calls, QueryOf } from './operations.ts'
import type { CallOptions, CreateOptions } from './options.ts'
import type {
  ChooseMails,
  DiscardedMails,
  Mail,
  MailPreview,
  MailServer,
  PreviewMail,
  ReleasedMails,
  TestMail,
} from './types.ts'

type MailQuery = QueryOf<'GET /mails'>

/** Messages to users, and what became of them. */
export class Mails {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** Yields all messages that are still stored, the newest first. */
  list(query: Omit<MailQuery, 'cursor'> = {}, options: CallOptions = {}): AsyncGenerator<Mail, void, undefined> {
    return this.#calls.pages('GET /mails', { ...options, query })
  }

  async page(query: MailQuery = {}, options: CallOptions = {}): Promise<{ mails: Mail[]; next: string | undefined }> {
    const { rows, next } = await this.#calls.page('GET /mails', { ...options, query })
    return { mails: rows, next }
  }

  get(mail_id: string, options: CallOptions = {}): Promise<Mail> {
    return this.#calls.call('GET /mails/{mail_id}', { ...options, path: { mail_id } })
  }

  /** Sends the user with this name or address a link for a new password, if there is one. Needs no credential. */
  async requestPasswordReset(username: string, options: CreateOptions = {}): Promise<void> {
    await this.#calls.call('POST /password-resets', { ...options, body: { username } })
  }

  /** Returns whether messages are sent, and how many wait. */
  server(options: CallOptions = {}): Promise<MailServer> {
    return this.#calls.call('GET /mails/server', options)
  }

  /** Sends a failed message again. */
  retry(mail_id: string, options: CreateOptions = {}): Promise<Mail> {
    return this.#calls.call('POST /mails/{mail_id}/retry', { ...options, path: { mail_id } })
  }

  /** Sends messages that are held since the store was restored: all, or those of `mail_ids`. */
  release(body: ChooseMails = {}, options: CreateOptions = {}): Promise<ReleasedMails> {
    return this.#calls.call('POST /mails/release', { ...options, body })
  }

  /** Gives up held messages: all, or those of `mail_ids`. */
  discard(body: ChooseMails = {}, options: CreateOptions = {}): Promise<DiscardedMails> {
    return this.#calls.call('POST /mails/discard', { ...options, body })
  }

  /** Returns a message as an invented user would get it. */
  preview(body: PreviewMail, options: CallOptions = {}): Promise<MailPreview> {
    return this.#calls.call('POST /mails/preview', { ...options, body })
  }

  /** Sends a short message, to show whether sending works. */
  test(body: TestMail, options: CreateOptions = {}): Promise<Mail> {
    return this.#calls.call('POST /mails/test', { ...options, body })
  }
}
