/** Checks what the domain of the sender publishes: SPF (RFC 7208), DKIM (RFC 6376) and DMARC (RFC 7489). */
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import type { Config } from '../../core/config.ts'
import { type Finding, messageOf, reportOf } from './finding.ts'

const { ok, warning, failed, skipped } = reportOf('mail')

type Sender = Pick<Config, 'mailDkimKey' | 'mailDkimSelector'> & { mailFrom: { address: string } }
/** Returns the texts of a name, each joined; none if there is no such name. */
type Texts = (name: string) => Promise<string[]>

const tries = { timeout: 2000, tries: 2 }

export async function checkSenderDomain(
  { mailFrom, mailDkimKey, mailDkimSelector }: Sender,
  nameServers?: readonly string[],
): Promise<Finding[]> {
  const domain = mailFrom.address.slice(mailFrom.address.lastIndexOf('@') + 1)
  const resolver = new Resolver(tries)
  if (nameServers) resolver.setServers(nameServers)
  const texts: Texts = async (name) => {
    try {
      return (await resolver.resolveTxt(name)).map((parts) => parts.join(''))
    } catch (error) {
      if (['ENOTFOUND', 'ENODATA'].includes((error as { code?: string }).code ?? '')) return []
      throw error
    }
  }
  const dkim =
    mailDkimKey === undefined || mailDkimSelector === undefined
      ? undefined
      : { key: mailDkimKey, selector: mailDkimSelector }
  return Promise.all([
    ifReachable('SPF', () => checkSpf(domain, texts)),
    ifReachable('DKIM', () => checkDkim(domain, dkim, texts)),
    ifReachable('DMARC', () => checkDmarc(domain, texts)),
  ])
}

async function ifReachable(check: string, look: () => Promise<Finding>): Promise<Finding> {
  try {
    return await look()
  } catch (error) {
    const advice = 'Run the doctor where a name server is reachable, or name one with --name-server.'
    return skipped(check, `no name server responds: ${messageOf(error)}`, advice)
  }
}

async function checkSpf(domain: string, texts: Texts): Promise<Finding> {
  const records = (await texts(domain)).filter((text) => /^v=spf1( |$)/i.test(text))
  const [record = ''] = records
  if (records.length > 1) {
    const advice = `Leave one TXT record that begins with v=spf1 for ${domain}: with several, receivers heed none.`
    return failed('SPF', `${domain} has ${records.length} SPF records`, advice)
  }
  if (record === '') {
    const advice = `Publish a TXT record for ${domain} that names your mail server, such as "v=spf1 include:<its domain> -all". Its provider says which.`
    return warning('SPF', `${domain} has no SPF record, so receivers may take messages for spam`, advice)
  }
  if (/(^| )\+?all( |$)/i.test(record)) {
    const advice = 'End the record with -all or ~all.'
    return warning('SPF', `${domain} allows every server to send: ${record}`, advice)
  }
  return ok('SPF', `${domain}: ${record}`)
}

type Dkim = { key: string; selector: string }

async function checkDkim(domain: string, dkim: Dkim | undefined, texts: Texts): Promise<Finding> {
  if (dkim === undefined) {
    const advice =
      'If your mail server does not sign messages, set ROLLBOOK_MAIL_DKIM_KEY_FILE and ROLLBOOK_MAIL_DKIM_SELECTOR.'
    return skipped('DKIM', 'Rollbook signs no messages; the mail server may do it', advice)
  }
  const name = `${dkim.selector}._domainkey.${domain}`
  const ours = publicKeyOf(dkim.key)
  const publish = `Publish this TXT record for ${name}: ${ours.record}`
  const records = await texts(name)
  if (records.length === 0)
    return failed('DKIM', `${name} has no record, so no receiver can check the signature`, publish)
  const published = records.map((text) => /(?:^|;)\s*p=([^;]*)/i.exec(text)?.[1]?.replaceAll(/\s/g, ''))
  if (published.includes(ours.p)) return ok('DKIM', `${name} has the public key`)
  const found = published.includes('') ? 'revokes the key' : 'has another key than ROLLBOOK_MAIL_DKIM_KEY'
  return failed('DKIM', `${name} ${found}, so signatures are wrong`, publish)
}

function publicKeyOf(pem: string): { p: string; record: string } {
  const key = createPublicKey(createPrivateKey(pem))
  const der = key.export({ format: 'der', type: 'spki' })
  // RFC 8463 §4: the key itself, without its envelope.
  const isEd25519 = key.asymmetricKeyType === 'ed25519'
  const p = (isEd25519 ? der.subarray(-32) : der).toString('base64')
  return { p, record: `v=DKIM1; k=${isEd25519 ? 'ed25519' : 'rsa'}; p=${p}` }
}

async function checkDmarc(domain: string, texts: Texts): Promise<Finding> {
  // RFC 7489 §6.6.3: a subdomain has the policy of its organization.
  const labels = domain.split('.')
  for (let n = 0; n <= Math.max(0, labels.length - 2); n++) {
    const name = `_dmarc.${labels.slice(n).join('.')}`
    const record = (await texts(name)).find((text) => /^v=DMARC1\s*(;|$)/i.test(text))
    if (record === undefined) continue
    const [, policy = ''] = /(?:^|;)\s*p=\s*(\w+)/i.exec(record) ?? []
    if (['none', 'quarantine', 'reject'].includes(policy.toLowerCase())) return ok('DMARC', `${name}: ${record}`)
    return failed(
      'DMARC',
      `${name} has no valid policy: ${record}`,
      'Add p=none, p=quarantine or p=reject to the record.',
    )
  }
  const advice = `Publish a TXT record for _dmarc.${domain}, first "v=DMARC1; p=none; rua=mailto:postmaster@${domain}". Large receivers expect one.`
  return warning('DMARC', `${domain} has no DMARC record`, advice)
}
