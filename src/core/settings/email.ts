import { createPrivateKey } from 'node:crypto'
import { languageTag } from '../../lib/language-tags.ts'
import { type Mailbox, parseMailbox } from '../../lib/mail-address.ts'
import { expectedSmtpUrl, parseSmtpUrl, type SmtpAddress } from '../../lib/smtp-url.ts'
import { type Kind, kind, line, type Settings } from './kinds.ts'

const smtpUrl: Kind<SmtpAddress> = kind(expectedSmtpUrl, parseSmtpUrl)

const mailbox: Kind<Mailbox> = kind('an address such as Orchard <no-reply@orchard.example>', parseMailbox)

const language = kind('a language such as en, de or pt-BR', (text) => (languageTag.test(text) ? text : undefined))

/** A name of the IANA time zone database. */
const timeZone = kind('a time zone such as Europe/Berlin or UTC', (text) => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone
  } catch {
    return undefined // RangeError: there is no such zone.
  }
})

/** RFC 8463 and RFC 6376: what DKIM signs with. */
const dkimKey = kind('a private RSA or Ed25519 key in PEM form, without a passphrase', (text) => {
  try {
    const { asymmetricKeyType = '' } = createPrivateKey(text)
    return ['rsa', 'ed25519'].includes(asymmetricKeyType) ? text : undefined
  } catch {
    return undefined // Its message may quote the key.
  }
})

const dnsLabel = kind('1 to 63 of a-z, 0-9 and -', (text) => (/^[a-z0-9-]{1,63}$/.test(text) ? text : undefined))

export const email = {
  smtpUrl: {
    name: 'ROLLBOOK_SMTP_URL',
    kind: smtpUrl,
    default: undefined,
    secret: true,
    why:
      'Set it to send email: `smtp://user:password@host:587` (with STARTTLS) or `smtps://user:password@host:465`. Needs ' +
      '`ROLLBOOK_MAIL_FROM` and `ROLLBOOK_PUBLIC_URL`. Not set: administrators hand links over (docs/email.md).',
  },
  mailFrom: {
    name: 'ROLLBOOK_MAIL_FROM',
    kind: mailbox,
    default: undefined,
    why: 'Set it to the sender of messages, such as `Orchard <no-reply@orchard.example>`.',
  },
  mailLocale: {
    name: 'ROLLBOOK_MAIL_LOCALE',
    kind: language,
    default: 'en',
    why: 'Change it if messages to users without a `locale` should be in another language. Built in: `en`, `de`, `ar`.',
  },
  mailTimeZone: {
    name: 'ROLLBOOK_MAIL_TIME_ZONE',
    kind: timeZone,
    default: 'UTC',
    why: 'Set it to the time zone of your users, such as `Europe/Berlin`: messages state times in it, with its name.',
  },
  mailTemplates: {
    name: 'ROLLBOOK_MAIL_TEMPLATES',
    kind: line(4096),
    default: undefined,
    why: 'Set it to a directory with templates that replace the built-in ones or add languages (docs/email.md).',
  },
  mailDkimKey: {
    name: 'ROLLBOOK_MAIL_DKIM_KEY',
    kind: dkimKey,
    default: undefined,
    secret: true,
    why: 'Set it if your mail server does not sign messages itself: the private key for DKIM (RFC 6376).',
  },
  mailDkimSelector: {
    name: 'ROLLBOOK_MAIL_DKIM_SELECTOR',
    kind: dnsLabel,
    default: undefined,
    why: 'Set it with `ROLLBOOK_MAIL_DKIM_KEY`: the public key is published under this name below `_domainkey`.',
  },
} as const satisfies Settings
