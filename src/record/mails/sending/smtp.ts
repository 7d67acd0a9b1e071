/** Hands one message to the mail server and reports the outcome. The sending thread runs it. */
import type { SentMessageInfo, Transporter } from 'nodemailer'
import type { Config } from '../../../core/config.ts'
import { plainMailAddress } from '../../../lib/mail-address.ts'
import type { Rendered } from '../templates/render.ts'

/** A complete message. */
type Letter = Rendered & { mail_id: string; address: string; created_at: string }

export type SendResult = {
  /** `refused`: never retry; `delayed`: retry later; `server`: the server accepts no messages at all. */
  kind: 'sent' | 'refused' | 'delayed' | 'server'
  error: string | null
  /** What the server said. */
  response: string | null
  /** The server may have accepted the message. */
  isUncertain: boolean
}

type SmtpSender = {
  /** Undefined if `close` came before the outcome. */
  send(letter: Letter): Promise<SendResult | undefined>
  close(): void
}

export type MailSenderConfig = Pick<Config, 'smtpUrl' | 'mailFrom' | 'mailDkimKey' | 'mailDkimSelector'>

export const connectionsAtOnce = 5
/** How long the server may take to accept a connection and greet, and how long it may say nothing later. */
export type Patience = { connectMs: number; silenceMs: number }

const usualPatience: Patience = { connectMs: 10_000, silenceMs: 30_000 }
/** Nothing a server does can hold a message for longer. */
export const longestSendMs = 90_000
const keptCharacters = 500

type Pool = Transporter<SentMessageInfo>

export function createSmtpSender(config: MailSenderConfig, patience: Patience = usualPatience): SmtpSender {
  let isClosed = false
  const sending = new Set<AbortController>()
  let opening: Promise<Pool> | undefined

  return {
    async send(letter) {
      if (isClosed) return undefined
      const address = plainMailAddress(letter.address)
      if (address === undefined)
        return { kind: 'refused', error: 'address_unsupported', response: null, isUncertain: false }
      opening ??= openPool(config, patience)
      const pool = await opening
      // AbortSignal.timeout() would keep even a sent message in memory until the time is over.
      const controller = new AbortController()
      const timer = setTimeout(
        () => controller.abort(new DOMException('The server took too long.', 'TimeoutError')),
        longestSendMs,
      )
      sending.add(controller)
      try {
        if (isClosed) return undefined
        const { signal } = controller
        const { response } = await pool.sendMail({ ...compose(letter, address, config), signal })
        return { kind: 'sent', error: null, response: shorten(String(response ?? '')), isUncertain: false }
      } catch (error) {
        return isClosed ? undefined : resultOf(error as SmtpError)
      } finally {
        clearTimeout(timer)
        sending.delete(controller)
      }
    },
    close() {
      isClosed = true
      for (const controller of sending) controller.abort()
      void opening?.then((pool) => pool.close())
    },
  }
}

async function openPool(
  { smtpUrl, mailFrom, mailDkimKey, mailDkimSelector }: MailSenderConfig,
  { connectMs, silenceMs }: Patience,
): Promise<Pool> {
  if (smtpUrl === undefined || mailFrom === undefined) throw new Error('Sending email is not configured.')
  const { createTransport } = await import('nodemailer')
  const { host, port, isSecure, starttls, user, password } = smtpUrl
  return createTransport({
    pool: true,
    host,
    port,
    secure: isSecure,
    requireTLS: starttls === 'required',
    ignoreTLS: starttls === 'never',
    // Only this machine may show a certificate that proves nothing.
    ...(starttls === 'optional' && { opportunisticTLS: true, tls: { rejectUnauthorized: false } }),
    ...(user !== undefined && { auth: { user, pass: password ?? '' } }),
    ...(mailDkimKey !== undefined &&
      mailDkimSelector !== undefined && {
        dkim: { domainName: domainOf(mailFrom.address), keySelector: mailDkimSelector, privateKey: mailDkimKey },
      }),
    maxConnections: connectionsAtOnce,
    // The library would resend messages that may have arrived; we retry ourselves.
    maxRequeues: 0,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: silenceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  }) as Pool
}

function compose(
  { mail_id, subject, text, html, locale, images, created_at }: Letter,
  address: string,
  config: MailSenderConfig,
) {
  const from = config.mailFrom as NonNullable<MailSenderConfig['mailFrom']>
  return {
    // Objects, and the envelope spelled out: a text would be parsed, and could become several recipients.
    // A copy: the library writes into it.
    from: { ...from },
    to: [{ name: '', address }],
    envelope: { from: from.address, to: [address] },
    subject,
    text,
    html,
    // Inside the message: it loads nothing from elsewhere, so opening it tells nobody.
    attachments: images.map(({ cid, type, name, content }) => ({
      cid,
      content,
      contentType: type,
      filename: name,
      contentDisposition: 'inline' as const,
    })),
    date: new Date(created_at),
    // The same for every attempt, so that a receiver can recognize a message that arrived twice.
    messageId: `<${mail_id}@${domainOf(from.address)}>`,
    headers: {
      // RFC 3834 §5: no vacation notice answers it.
      'Auto-Submitted': 'auto-generated',
      // RFC 3282
      'Content-Language': locale,
    },
    xMailer: false as const,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1)
}

type SmtpError = Error & {
  code?: string
  /** What Node reported. */
  originalCode?: string
  syscall?: string
  command?: string
  response?: string
  responseCode?: number
}

function resultOf(error: SmtpError): SendResult {
  const { command = '', response, responseCode } = error
  const said = { response: response === undefined ? null : shorten(response), isUncertain: false }
  const isOfMessage = command === 'RCPT TO' || command === 'DATA'
  // RFC 5321 §3.8: 421 closes the connection, whatever it was for.
  if (responseCode !== undefined && responseCode !== 421 && isOfMessage) {
    const isFinal = responseCode >= 500
    return { kind: isFinal ? 'refused' : 'delayed', error: isFinal ? 'rejected' : 'deferred', ...said }
  }
  const word = wordFor(error)
  // Later failures may happen after the message was accepted.
  const isEarly = responseCode !== undefined || error.syscall === 'connect' || early.has(word)
  return { kind: 'server', error: word, ...said, isUncertain: !isEarly }
}

/** Failures before any message is sent. */
const early = new Set(['name_unknown', 'sign_in_refused', 'tls_failed'])

function wordFor({ code = '', originalCode = '', command }: SmtpError): string {
  if (command === 'MAIL FROM') return 'sender_rejected'
  if (code === 'EAUTH') return 'sign_in_refused'
  if (code === 'EDNS') return 'name_unknown'
  if (code === 'ETLS' || /CERT|SIGNATURE|SSL|TLS|ISSUER/.test(originalCode)) return 'tls_failed'
  return code === 'ETIMEDOUT' || code === 'ABORT_ERR' ? 'timeout' : 'connection_failed'
}

function shorten(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ').slice(0, keptCharacters)
}
