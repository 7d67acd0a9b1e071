/** Reads TXT records, to prove that a domain belongs to a customer. What can go wrong is an outcome, not an error. */
import { Resolver } from 'node:dns/promises'

export type TxtFailure =
  /** There is no such name, or it has no TXT record. */
  | 'no_record'
  /** No answer within the time. */
  | 'server_silent'
  /** SERVFAIL: often the servers of the domain do not answer, or its signatures are wrong. */
  | 'server_failed'
  /** REFUSED: the server does not resolve names for this machine. */
  | 'server_refused'
  /** Nothing listens there. */
  | 'server_unreachable'
  /** The answer is not a correct message. */
  | 'answer_unusable'

/** `texts`: the strings of each record, joined (RFC 7208 §3.3 does so as well). `code`: the resolver's own, for the reader of a message. */
export type TxtOutcome = { texts: string[] } | { failure: TxtFailure; code: string }

type Options = {
  /** Name servers other than the system's. */
  servers?: readonly string[] | undefined
  /** For all servers and tries together. */
  timeLimitMs?: number
}

const failures: Readonly<Record<string, TxtFailure>> = {
  ENOTFOUND: 'no_record',
  ENODATA: 'no_record',
  ETIMEOUT: 'server_silent',
  ECANCELLED: 'server_silent',
  ESERVFAIL: 'server_failed',
  EREFUSED: 'server_refused',
  ECONNREFUSED: 'server_unreachable',
}

/** A datagram may be lost, so each server is asked twice. */
const [tries, timeout] = [2, 2000]

/**
 * Asks one server after the other, until one knows: Node's resolver does not ask the next one if a server fails or refuses. Follows
 * aliases (CNAME), as name servers do. Node keeps no answers, so each call learns what the servers have now.
 */
export async function readTxtRecords(
  name: string,
  { servers = new Resolver().getServers(), timeLimitMs = 10_000 }: Options = {},
): Promise<TxtOutcome> {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), timeLimitMs)
  let failure: TxtOutcome = { failure: 'server_unreachable', code: 'NOSERVER' }
  try {
    for (const server of Array.from({ length: tries }, () => servers).flat()) {
      const outcome = await askServer(name, server, limit.signal)
      if ('texts' in outcome || outcome.failure === 'no_record') return outcome
      // What a server says is more telling than silence.
      if (!('failure' in failure) || quiet.has(failure.failure)) failure = outcome
      if (limit.signal.aborted) break
    }
    return failure
  } finally {
    clearTimeout(timer)
  }
}

const quiet: ReadonlySet<TxtFailure> = new Set(['server_silent', 'server_unreachable'])

async function askServer(name: string, server: string, stopped: AbortSignal): Promise<TxtOutcome> {
  const resolver = new Resolver({ timeout, tries: 1 })
  resolver.setServers([server])
  const cancel = () => resolver.cancel()
  stopped.addEventListener('abort', cancel)
  try {
    const records = await resolver.resolveTxt(name)
    // An alias of a name without records is an answer without texts.
    if (records.length === 0) return { failure: 'no_record', code: 'ENODATA' }
    return { texts: records.map((strings) => strings.join('')) }
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (code === undefined || syscall !== 'queryTxt') throw error
    return { failure: failures[code] ?? 'answer_unusable', code }
  } finally {
    stopped.removeEventListener('abort', cancel)
  }
}
