/** Sends one request to a receiver and says what came of it. Leaves what follows from that to dispatch-settle.ts. */
import { setMaxListeners } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Config } from '../../core/config.ts'
import { version } from '../../core/version.ts'
import { callGuard, refuseUrl } from './guard.ts'
import { readRetryAfter } from './schedule.ts'
import { guardedAgents, SendFailure } from './send-agent.ts'
import { type Resolve, resolver } from './send-lookup.ts'

/** What came of it: a status, or a word for why there is none. */
export type Answer = {
  status: number | null
  error: string | null
  /** The beginning of what was answered. */
  body: string | null
  retryAfterMs: number | undefined
}

export type Sending = { url: string; headers: Record<string, string>; body: string; now: number }

export type Sender = {
  /** Undefined: `close` came before the answer. */
  send(sending: Sending): Promise<Answer | undefined>
  /** Abandons what is on its way. */
  close(): void
}

type SenderConfig = Pick<Config, 'webhookAllowedNetworks' | 'webhookAllowHttp' | 'webhookTimeoutSeconds'>

/** Of an answer so much is shown to people who look why something failed, and so much is read at most. */
const [keptBytes, readBytes] = [1024, 65_536]
/** So many answers of 1xx may come before the one that counts. */
const interimLimit = 10

export function createSender(config: SenderConfig, ownResolve?: Resolve): Sender {
  const timeoutMs = config.webhookTimeoutSeconds * 1000
  const stop = new AbortController()
  setMaxListeners(0, stop.signal)
  const resolve = ownResolve ?? resolver({ stopped: stop.signal })
  const parts = { mayCall: callGuard(config.webhookAllowedNetworks), resolve, timeoutMs, stopped: stop.signal }
  const [kept, fresh] = [guardedAgents(parts, { keepAlive: true }), guardedAgents(parts, { keepAlive: false })]
  const open = new Set<() => void>()

  function attempt({ url, headers, body, now }: Sending, agents: typeof kept): Promise<Answer | undefined> {
    const { promise, resolve: finish } = Promise.withResolvers<Answer | undefined>()
    const target = new URL(url)
    const isSecure = target.protocol === 'https:'
    const request = (isSecure ? httpsRequest : httpRequest)(target, {
      method: 'POST',
      agent: isSecure ? agents.https : agents.http,
      maxHeaderSize: 16_384,
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        // What is kept of the answer is to be read.
        'accept-encoding': 'identity',
        'user-agent': `Rollbook/${version}`,
      },
    })
    let isAnswered = false
    let interim = 0
    // RFC 9110 §15.2: any number may come before the answer, and each costs the thread that serves everybody.
    request.on('information', () => {
      if (++interim > interimLimit) request.destroy(new SendFailure('answer_invalid'))
    })
    request.once('response', async (response) => {
      isAnswered = true
      const text = await readSome(response)
      const retryAfterMs = readRetryAfter(response.headers['retry-after'], now)
      const { statusCode = 0 } = response
      // RFC 9110 §15: what is outside of 100 to 599 is no status.
      if (statusCode < 100 || statusCode > 599) finish({ ...noAnswer, error: 'answer_invalid', body: text })
      else finish({ status: statusCode, error: null, body: text, retryAfterMs })
    })
    request.once('upgrade', ({ statusCode = 101 }, socket) => {
      socket.destroy()
      finish({ ...noAnswer, status: statusCode })
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (isAnswered) return // The status has come; of what followed, readSome keeps what there is.
      // A kept connection that the other side has just closed says nothing of the receiver.
      const isStale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
      finish(
        isStale && agents === kept
          ? attempt({ url, headers, body, now }, fresh)
          : { ...noAnswer, error: wordFor(error) },
      )
    })
    const timer = setTimeout(() => {
      // Without a connection yet, no event would tell of it.
      if (!isAnswered) finish({ ...noAnswer, error: 'timeout' })
      request.destroy()
    }, timeoutMs)
    const abandon = () => {
      finish(undefined)
      request.destroy()
    }
    open.add(abandon)
    request.end(body)
    return promise.finally(() => {
      clearTimeout(timer)
      open.delete(abandon)
    })
  }

  return {
    async send(sending) {
      if (stop.signal.aborted) return undefined
      // The configuration may be another one than when the endpoint was made; and for an address nothing is looked up.
      const fault = refuseUrl(sending.url, config)
      if (fault) return { ...noAnswer, error: fault.code === 'url_address' ? 'address_refused' : 'url_refused' }
      return attempt(sending, kept)
    },
    close() {
      stop.abort()
      for (const abandon of open) abandon()
      for (const agent of [kept.http, kept.https, fresh.http, fresh.https]) agent.destroy()
    },
  }
}

const noAnswer: Answer = { status: null, error: null, body: null, retryAfterMs: undefined }

/** The beginning of a body, as text that a database takes. One that is longer than anybody looks at is cut off. */
async function readSome(response: IncomingMessage): Promise<string> {
  const { promise, resolve: end } = Promise.withResolvers<void>()
  const beginning: Buffer[] = []
  let length = 0
  response.on('data', (chunk: Buffer) => {
    if (length < keptBytes) beginning.push(chunk.subarray(0, keptBytes - length))
    length += chunk.length
    if (length > readBytes) response.destroy()
  })
  // With an error, the status still counts.
  response.once('error', () => end()).once('close', end)
  await promise
  return Buffer.concat(beginning)
    .toString()
    .replaceAll(/(?![\n\r\t])\p{Cc}/gu, '\ufffd')
}

function wordFor(error: NodeJS.ErrnoException): string {
  if (error instanceof SendFailure) return error.word
  if (error.code === 'ECONNREFUSED') return 'connection_refused'
  if (error.code === 'ETIMEDOUT') return 'timeout'
  return error.code?.startsWith('HPE_') ? 'answer_invalid' : 'connection_failed'
}
