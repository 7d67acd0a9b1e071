/** Asks name servers whether a domain has the record that proves it, and says in words what is wrong. */
import { randomBytes } from 'node:crypto'
import { AppError } from '../../core/errors.ts'
import { readTxtRecords, type TxtFailure } from '../../http/outgoing/txt-records.ts'
import { recordName, recordValue } from './domain-form.ts'

export function newProof(): string {
  return randomBytes(16).toString('base64url')
}

type Claim = { domain: string; proof: string }
type Options = Parameters<typeof readTxtRecords>[1]

/** @throws AppError `domain_not_proved`, `name_server_unavailable` */
export async function requireProof({ domain, proof }: Claim, options: Options): Promise<void> {
  const name = recordName(domain)
  const value = recordValue(proof)
  const outcome = await readTxtRecords(name, options)
  if ('failure' in outcome) throw failureOf(outcome, name, value)
  const texts = outcome.texts.map((text) => text.trim())
  if (texts.includes(value)) return
  const detail = otherValue(texts, name, value)
  throw new AppError('domain_not_proved', detail, { members: { reason: 'other_value' } })
}

/** Only values of our own form are repeated: the others may be nobody's business. */
function otherValue(texts: readonly string[], name: string, value: string): string {
  const wanted = `Its value must be exactly ${value}.`
  if (texts.some((text) => text.replaceAll(/["'\s]/g, '') === value)) {
    return `The TXT record of ${name} has quotation marks or spaces as part of its value. ${wanted}`
  }
  const ours = texts.filter((text) => /^rollbook-verification=[\w-]{1,64}$/.test(text)).slice(0, 3)
  const found = ours.length === 0 ? 'another value' : `another value: ${ours.join(', ')}`
  const reason =
    ours.length === 0
      ? ''
      : ' It belongs to another organization, to another domain, or to a domain that was removed and added again.'
  return `The TXT record of ${name} has ${found}.${reason} ${wanted} Servers may still have an earlier value: a change takes as long as its TTL says.`
}

function failureOf({ failure, code }: { failure: TxtFailure; code: string }, name: string, value: string): AppError {
  const detail = { ...details(name), no_record: missing(name, value) }[failure]
  const members = { reason: failure }
  if (failure === 'no_record') return new AppError('domain_not_proved', detail, { members })
  return new AppError('name_server_unavailable', detail, { members, retryAfterSeconds: 30, cause: new Error(code) })
}

function missing(name: string, value: string): string {
  return `There is no TXT record for ${name}. Publish one with the value ${value}. If you just did, wait: servers remember for some minutes up to an hour that there was none. Check that the name does not have the domain twice, because some providers add it.`
}

function details(name: string): Record<Exclude<TxtFailure, 'no_record'>, string> {
  return {
    server_silent: `No name server answered the question for ${name} in time. Try again. If this happens for every domain, the operator of Rollbook should check the network and ROLLBOOK_DNS_SERVERS.`,
    server_failed: `The name server cannot resolve ${name} (SERVFAIL). Often the name servers of the domain do not answer, or its DNSSEC signatures are wrong: check the domain with its provider.`,
    server_refused: `The name server refuses to resolve ${name} (REFUSED). The operator of Rollbook must name servers in ROLLBOOK_DNS_SERVERS that resolve names for this machine.`,
    server_unreachable: `No name server is reachable, over UDP and TCP. The operator of Rollbook should check the network and ROLLBOOK_DNS_SERVERS.`,
    answer_unusable: `The answer of the name server for ${name} cannot be read. Try again. If it stays so, check the domain with its provider.`,
  }
}

/** In a minute, for one organization. People who wait for a record ask a few times. */
const perMinute = 10
const [windowMs, organizationLimit] = [60_000, 10_000]

/**
 * Limits how often records are asked for, on this node and in memory: each question goes to servers of others. The oldest
 * organizations are forgotten if there are very many.
 */
export function proofLimiter() {
  const questions = new Map<string, number[]>()
  return {
    /** @throws AppError `too_many_attempts` */
    count(organizationId: string, now: number): void {
      const recent = (questions.get(organizationId) ?? []).filter((at) => at > now - windowMs && at <= now)
      const [first = now] = recent
      if (recent.length >= perMinute) {
        const detail = `DNS records of this organization were asked for ${perMinute} times in a minute. Wait before the next one.`
        const retryAfterSeconds = Math.ceil((first + windowMs - now) / 1000)
        throw new AppError('too_many_attempts', detail, { retryAfterSeconds, limit: 'attempts' })
      }
      questions.delete(organizationId)
      questions.set(organizationId, [...recent, now])
      const [oldest] = questions.keys()
      if (questions.size > organizationLimit && oldest !== undefined) questions.delete(oldest)
    },
  }
}
