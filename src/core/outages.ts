/**
 * Remembers which outside systems fail, so that an outage is two lines in the log: a `warn` at its first failure and an
 * `info` at the first success after it, however many requests fail in between. Per process, and in bounded memory.
 *
 * The first failure counts, because a provider may be called only once an hour: a second one could be long in coming.
 */
import type { Logger } from 'pino'

export type OutsideKind = 'identity_provider' | 'mail_server' | 'webhook_receiver' | 'product' | 'trusted_issuer'

export type OutsideSystem = {
  kind: OutsideKind
  /** Unique within the kind. */
  id: string
  /** What the log says of it. Neither secrets nor personal data: ids, hosts, words. */
  labels?: Readonly<Record<string, string>>
  /** What it is called for. Only a success in the part that failed last ends an outage: the others may work all the time. */
  part?: string
  /** Only an administrator who sets it up calls it: it is logged, and does not count. */
  isTrial?: boolean
}

export type Outages = {
  failed(system: OutsideSystem, error: unknown): void
  succeeded(system: OutsideSystem): void
  /** How many systems of each kind fail, and have failed within the last hour. */
  counts(): Record<OutsideKind, number>
  /** What fails from now on fails because this node stops. */
  close(): void
}

export type OutageReports = Pick<Outages, 'failed' | 'succeeded'>

const texts: Record<OutsideKind, { fails: string; works: string }> = {
  identity_provider: {
    fails:
      'an identity provider fails, so users cannot sign in through it. Check its address, its certificate and the credentials of the connection; GET /connections/{connection_id}/failures has the details',
    works: 'the identity provider works again',
  },
  mail_server: {
    fails:
      'the mail server fails, so messages wait. Check ROLLBOOK_SMTP_URL and the mail server; rollbook mails server and rollbook doctor have the details',
    works: 'the mail server works again, and the waiting messages are sent',
  },
  webhook_receiver: {
    fails:
      'a webhook receiver fails, so its events wait. Check the receiver; GET /webhooks/{endpoint_id}/deliveries has its responses',
    works: 'the webhook receiver works again, and the waiting events are sent',
  },
  product: {
    fails: 'the product behind the gateway fails. Check whether it runs, and ROLLBOOK_UPSTREAM',
    works: 'the product behind the gateway works again',
  },
  trusted_issuer: {
    fails:
      'the keys of a trusted issuer cannot be fetched. Its tokens are refused an hour after the last success; check jwks_url in ROLLBOOK_TRUSTED_ISSUERS',
    works: 'the keys of the trusted issuer can be fetched again',
  },
}

const trialText =
  'an identity provider that an administrator tries fails. The response to the administrator has the details'

/** Open: it fails. Closed ones are remembered because of those that come again and again. */
type Outage = {
  system: OutsideSystem
  isOpen: boolean
  since: number
  failures: number
  lastFailure: number
  lastEnd: number
  /** How many outages followed each other without a quiet time. */
  repeats: number
}

const systemsLimit = 10_000
const reportedMs = 3_600_000
/** A system that fails now and then has this many outages; then its outage lasts until nothing has failed for the quiet time. */
const [repeatsLimit, quietMs] = [3, 600_000]

export function createOutages({ log, clock }: { log: Logger; clock(): number }): Outages {
  const outages = new Map<string, Outage>()
  let isClosed = false
  const keyOf = ({ kind, id }: OutsideSystem) => `${kind} ${id}`
  const fieldsOf = ({ kind, labels, part }: OutsideSystem) => ({ system: kind, ...labels, ...(part && { part }) })

  function open(system: OutsideSystem, before: Outage | undefined): Outage {
    const now = clock()
    const isRepeated = before !== undefined && now - before.lastEnd < quietMs
    const repeats = isRepeated ? before.repeats + 1 : 0
    const outage = { system, isOpen: true, since: now, failures: 0, lastFailure: now, lastEnd: 0, repeats }
    const key = keyOf(system)
    // The oldest go first.
    outages.delete(key)
    outages.set(key, outage)
    const [oldest] = outages.keys()
    if (outages.size > systemsLimit && oldest !== undefined) outages.delete(oldest)
    return outage
  }

  return {
    failed(system, error) {
      if (isClosed) return
      const known = outages.get(keyOf(system))
      const outage = known?.isOpen ? known : open(system, known)
      outage.system = system
      outage.failures++
      outage.lastFailure = clock()
      if (outage === known) return
      const text = system.isTrial ? trialText : texts[system.kind].fails
      log.warn({ ...fieldsOf(system), cause: causeOf(error) }, text)
    },

    succeeded(system) {
      const outage = outages.get(keyOf(system))
      if (isClosed || !outage?.isOpen || outage.system.part !== system.part) return
      const now = clock()
      if (outage.repeats >= repeatsLimit && now - outage.lastFailure < quietMs) return
      Object.assign(outage, { isOpen: false, lastEnd: now })
      const seconds = Math.max(0, Math.round((now - outage.since) / 1000))
      log.info({ ...fieldsOf(system), seconds, failures: outage.failures }, texts[system.kind].works)
    },

    counts() {
      const counts = { identity_provider: 0, mail_server: 0, webhook_receiver: 0, product: 0, trusted_issuer: 0 }
      for (const { system, isOpen, lastFailure } of outages.values()) {
        if (isOpen && !system.isTrial && clock() - lastFailure < reportedMs) counts[system.kind]++
      }
      return counts
    },

    close() {
      isClosed = true
    },
  }
}

const causesLimit = 5

/**
 * Returns why a call failed, in words such as `provider_unreachable: timeout` or `ECONNREFUSED`. Codes and statuses only:
 * messages may quote what the other side sent.
 *
 * @param error an error with its causes, a response, or a word
 */
export function causeOf(error: unknown): string {
  const words: string[] = []
  let one = error
  for (let i = 0; i < causesLimit && one !== undefined && one !== null; i++) {
    words.push(...wordsOf(one).filter((word) => /^\w[\w.-]{0,63}$/.test(word) && !words.includes(word)))
    one = (one as { cause?: unknown }).cause
  }
  if (words.length > 0) return words.join(': ')
  return error instanceof Error && /^\w{1,64}$/.test(error.name) ? error.name : 'unknown'
}

/** The members with which our errors, the platform's and those of the libraries name their reason. */
type Named = Partial<Record<'word' | 'reason' | 'code' | 'status' | 'name', unknown>>

function wordsOf(one: unknown): string[] {
  if (typeof one === 'string') return [one]
  const { word, reason, code, status, name } = one as Named
  if (name === 'TimeoutError') return ['timeout']
  const first = [word, code, reason].find((text) => typeof text === 'string')
  return [
    ...(typeof first === 'string' ? [first] : []),
    // LDAP (RFC 4511 §A.1). A DOMException has numbers, too.
    ...(typeof code === 'number' && !(one instanceof DOMException) ? [`result_${code}`] : []),
    ...(typeof status === 'number' ? [`status_${status}`] : []),
  ]
}
