/** Checks whether messages can be sent, without sending one: the mail server, and what the sender's domain publishes. */
import type { Config } from '../../core/config.ts'
import { isLoopback, type SmtpAddress } from '../../lib/smtp-url.ts'
import { loadTemplates } from '../../record/mails/service.ts'
import { type Finding, messageOf, reportOf } from './finding.ts'
import { checkSenderDomain } from './mail-domain.ts'
import { type Reply, SmtpDialogue } from './smtp-dialogue.ts'

const { ok, warning, failed, skipped } = reportOf('mail')

type MailConfig = Pick<
  Config,
  'emailCode' | 'smtpUrl' | 'mailFrom' | 'mailDkimKey' | 'mailDkimSelector' | 'mailTemplates' | 'mailLocale'
>
type Options = { timeoutMs: number; nameServers?: readonly string[] | undefined }

const soonMs = 14 * 86_400_000

export async function checkMail(config: MailConfig, options: Options): Promise<Finding[]> {
  const { smtpUrl, mailFrom } = config
  if (smtpUrl === undefined || mailFrom === undefined) {
    const advice = 'To send messages, set ROLLBOOK_SMTP_URL and ROLLBOOK_MAIL_FROM (docs/email.md).'
    return [skipped('mail server', 'not set up: administrators hand links over', advice)]
  }
  const [ofServer, ofDomain] = await Promise.all([
    checkServer(smtpUrl, mailFrom.address, options.timeoutMs),
    checkSenderDomain({ ...config, mailFrom }, options.nameServers),
  ])
  return [...ofServer, ...ofCodes(config, ofServer), ...ofDomain, ofTemplates(config)]
}

/** For users who have nothing else to sign in with, an outage of the mail server is one of the sign-in. */
function ofCodes({ emailCode }: MailConfig, ofServer: readonly Finding[]): Finding[] {
  if (emailCode !== 'on' || ofServer.every(({ status }) => status !== 'failed')) return []
  const advice = 'Repair the mail server: until then users can sign in with their password or passkey only.'
  return [failed('codes by email', 'ROLLBOOK_EMAIL_CODE is on, and no code can be sent', advice)]
}

function ofTemplates({ mailTemplates, mailLocale }: MailConfig): Finding {
  try {
    const locales = loadTemplates(mailTemplates, mailLocale).locales()
    return ok(
      'templates',
      `${mailTemplates === undefined ? 'the built-in ones' : mailTemplates}: ${locales.join(', ')}`,
    )
  } catch (error) {
    return failed('templates', messageOf(error), 'Correct the template, or the service does not start.')
  }
}

/** Where the dialogue ended, as a finding of its own. */
class Ended extends Error {
  readonly finding: Finding
  constructor(finding: Finding) {
    super(finding.found)
    this.finding = finding
  }
}

async function checkServer(address: SmtpAddress, sender: string, timeoutMs: number): Promise<Finding[]> {
  const findings: Finding[] = []
  let dialogue: SmtpDialogue | undefined
  try {
    dialogue = await opened(address, timeoutMs)
    const greeting = await dialogue.say()
    if (greeting.code !== 220) throw new Ended(failed('mail server', said(greeting), refusesAdvice(address)))
    findings.push(ok('mail server', `${address.host}:${address.port} responds`))
    const offers = await secured(dialogue, address, findings)
    findings.push(await signedIn(dialogue, address, offers))
    findings.push(await acceptedSender(dialogue, sender))
    await dialogue.say('QUIT').catch(() => undefined)
  } catch (error) {
    const advice = 'Check the address, the firewall and the log of the mail server.'
    findings.push(error instanceof Ended ? error.finding : failed('mail server', messageOf(error), advice))
  } finally {
    dialogue?.close()
  }
  return findings
}

function refusesAdvice({ host, port }: SmtpAddress): string {
  return `The mail server at ${host}:${port} takes no connections from here. Its log says why.`
}

async function opened(address: SmtpAddress, timeoutMs: number): Promise<SmtpDialogue> {
  const { host, port, isSecure } = address
  try {
    return await SmtpDialogue.open(address, timeoutMs)
  } catch (error) {
    const { code = '' } = error as { code?: string }
    const found = `${host}:${port}: ${messageOf(error)}`
    if (isTlsFault(code)) throw new Ended(failed('TLS', found, tlsAdvice(isSecure)))
    const advice =
      code === 'ENOTFOUND' || code === 'EAI_AGAIN'
        ? 'The name does not resolve. Correct ROLLBOOK_SMTP_URL, or the name service of this machine.'
        : 'Nothing responds there. Check host and port in ROLLBOOK_SMTP_URL; many networks block port 25, use 587 or 465.'
    throw new Ended(failed('mail server', found, advice))
  }
}

function isTlsFault(code: string): boolean {
  return /^ERR_(TLS|SSL)|CERT|SIGNATURE|ISSUER|EPROTO|UNABLE_TO/.test(code)
}

function tlsAdvice(isSecure: boolean): string {
  if (!isSecure)
    return 'Give the mail server a certificate that is trusted for this name, or NODE_EXTRA_CA_CERTS its authority.'
  return 'smtps:// needs TLS from the beginning, usually port 465, and a trusted certificate. For STARTTLS use smtp://.'
}

/** Returns what the server offers once the connection is as secure as the configuration wants it. */
async function secured(dialogue: SmtpDialogue, address: SmtpAddress, findings: Finding[]): Promise<string[]> {
  const { host, isSecure, starttls } = address
  let offers = await dialogue.greet()
  const has = offers.includes('STARTTLS')
  if (!isSecure && (starttls === 'never' || !has)) {
    if (starttls === 'required') {
      const advice = 'Use smtps:// if the server has TLS on another port, or enable STARTTLS there.'
      throw new Ended(failed('TLS', 'the server offers no STARTTLS, so nothing is sent', advice))
    }
    const advice = 'Use a mail server with TLS: without it, others in the network can read messages and links.'
    findings.push(isLoopback(host) ? ok('TLS', 'not needed on this machine') : warning('TLS', 'not used', advice))
    return offers
  }
  if (!isSecure) {
    const agreed = await dialogue.say('STARTTLS')
    if (agreed.code !== 220) throw new Ended(failed('TLS', said(agreed), 'Repair STARTTLS on the mail server.'))
    try {
      await dialogue.secure(host, { checksCertificate: starttls === 'required' })
    } catch (error) {
      throw new Ended(failed('TLS', messageOf(error), tlsAdvice(false)))
    }
    offers = await dialogue.greet()
  }
  const end = dialogue.certificateEnd
  const how = isSecure ? 'from the beginning' : 'with STARTTLS'
  if (end !== undefined && end.getTime() - Date.now() < soonMs) {
    const advice = 'Renew the certificate of the mail server. Nothing is sent once it has expired.'
    findings.push(warning('TLS', `${how}; the certificate expires on ${end.toISOString().slice(0, 10)}`, advice))
  } else {
    findings.push(ok('TLS', how))
  }
  return offers
}

async function signedIn(dialogue: SmtpDialogue, { user, password = '' }: SmtpAddress, offers: string[]) {
  const line = offers.find((offer) => offer.startsWith('AUTH ')) ?? ''
  if (user === undefined) {
    if (line === '') return ok('sign-in', 'not needed')
    const advice = 'If it refuses the sender or recipients, put user and password into ROLLBOOK_SMTP_URL.'
    return warning('sign-in', 'the server offers it, and ROLLBOOK_SMTP_URL has no user', advice)
  }
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  let reply: Reply
  if (line.includes('PLAIN')) {
    reply = await dialogue.say(`AUTH PLAIN ${base64(`\0${user}\0${password}`)}`)
  } else if (line.includes('LOGIN')) {
    reply = await dialogue.say('AUTH LOGIN')
    if (reply.code === 334) reply = await dialogue.say(base64(user))
    if (reply.code === 334) reply = await dialogue.say(base64(password))
  } else {
    const found = line === '' ? 'the server offers none here' : `the server offers only ${line.slice(5)}`
    const advice = 'Remove user and password from ROLLBOOK_SMTP_URL, or use the port for submission (587 or 465).'
    throw new Ended(line === '' ? failed('sign-in', found, advice) : skipped('sign-in', found))
  }
  if (reply.code === 235) return ok('sign-in', `accepted as ${user}`)
  const advice =
    'Correct user and password in ROLLBOOK_SMTP_URL, percent-encoded; some services need a password for apps.'
  throw new Ended(failed('sign-in', said(reply), advice))
}

async function acceptedSender(dialogue: SmtpDialogue, sender: string): Promise<Finding> {
  const reply = await dialogue.say(`MAIL FROM:<${sender}>`)
  if (reply.code !== 250) {
    return failed(
      'sender',
      `${sender}: ${said(reply)}`,
      'Allow this sender on the mail server, or change ROLLBOOK_MAIL_FROM.',
    )
  }
  await dialogue.say('RSET')
  return ok('sender', `${sender} is accepted`)
}

function said({ text }: Reply): string {
  return `the mail server says: ${text.slice(0, 200)}`
}
