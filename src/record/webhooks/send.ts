/** Sends one request to a receiver and reports the outcome. Leaves the consequences to dispatch-outcomes.ts. */
import { setMaxListeners } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Config } from '../../core/config.ts'
import { version } from '../../core/version.ts'
import { guardedAgents, SendFailure } from '../../http/outgoing/agent.ts'
import { callGuard, refuseUrl } from '../../http/outgoing/guard.ts'
import { type Resolve, resolver } from '../../http/outgoing/lookup.ts'
import { ownFaults } from '../../lib/fault-owner.ts'
import { request as httpRequest } from '../../lib/node-http.ts'
import { readRetryAfter } from './schedule.ts'

/** The outcome: a status, or a word for why it is missing. */
export type Answer = {
  status: number | null
  error: string | null
  /** The beginning of the response body. */
  body: string | null
  retryAfterMs: number | undefined
}

export type Sending = { url: string; headers: Record<string, string>; body: string; now: number }

export type Sender = {
  /** Undefined if `close` came before the response. */
  send(sending: Sending): Promise<Answer | undefined>
  /** Abandons pending requests. */
  close(): void
}

type Outcome = PromiseWithResolvers<Answer | undefined>

type SenderConfig = Pick<Config, 'webhookAllowedNetworks' | 'webhookAllowHttp' | 'webhookTimeoutSeconds'>

/** How much of a response is read and shown to people who look into a failure. */
const [keptBytes, readBytes] = [1024, 65_536]
/** How many 1xx responses may precede the final one. */
const interimLimit = 10

export function createSender(config: SenderConfig, ownResolve?: Resolve): Sender {
  const timeoutMs = config.webhookTimeoutSeconds * 1000
  const stop = new AbortController()
  setMaxListeners(0, stop.signal)
  const resolve = ownResolve ?? resolver({ stopped: stop.signal })
  const parts = { mayCall: callGuard(config.webhookAllowedNetworks), resolve, timeoutMs, stopped: stop.signal }
  const [keptAlive, fresh] = [guardedAgents(parts, { keepAlive: true }), guardedAgents(parts, { keepAlive: false })]
  const open = new Set<() => void>()

  function attempt(sending: Sending, agents: Agents): Promise<Answer | undefined> {
    const outcome = Promise.withResolvers<Answer | undefined>()
    const owner = {
      what: 'a request to a webhook receiver',
      end(error: Error) {
        outcome.resolve({ ...noAnswer, error: 'answer_invalid' })
        request.destroy(error)
      },
    }
    const request = ownFaults(owner, () => sendRequest(sending, agents, outcome))
    return outcome.promise
  }

  function sendRequest({ url, headers, body, now }: Sending, agents: Agents, outcome: Outcome): ClientRequest {
    const { promise, resolve: finish } = outcome
    const request = openRequest({ url, headers, body }, agents)
    let isAnswered = false
    let interim = 0
    // RFC 9110 §15.2: any number may precede the final response, and each costs time of the main thread.
    request.on('information', () => {
      if (++interim > interimLimit) request.destroy(new SendFailure('answer_invalid'))
    })
    request.once('response', async (response) => {
      isAnswered = true
      const text = await readSome(response)
      const retryAfterMs = readRetryAfter(response.headers['retry-after'], now)
      const { statusCode = 0 } = response
      // RFC 9110 §15: numbers outside 100 to 599 are not statuses.
      if (statusCode < 100 || statusCode > 599) finish({ ...noAnswer, error: 'answer_invalid', body: text })
      else finish({ status: statusCode, error: null, body: text, retryAfterMs })
    })
    request.once('upgrade', ({ statusCode = 101 }, socket) => {
      socket.destroy()
      finish({ ...noAnswer, status: statusCode })
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (isAnswered) return // The status has arrived; readSome keeps what there is of the body.
      // A kept connection that the other side has just closed says nothing about the receiver.
      const isStale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
      finish(
        isStale && agents === keptAlive
          ? attempt({ url, headers, body, now }, fresh)
          : { ...noAnswer, error: wordFor(error) },
      )
    })
    const timer = setTimeout(() => {
      // Without a connection yet, there would be no event.
      if (!isAnswered) finish({ ...noAnswer, error: 'timeout' })
      request.destroy()
    }, timeoutMs)
    const abandon = () => {
      finish(undefined)
      request.destroy()
    }
    open.add(abandon)
    request.end(body)
    void promise.then(() => {
      clearTimeout(timer)
      open.delete(abandon)
    })
    return request
  }

  return {
    async send(sending) {
      if (stop.signal.aborted) return undefined
      // The configuration may have changed since the endpoint was created, and an address needs no lookup.
      const fault = refuseUrl(sending.url, config)
      if (fault) return { ...noAnswer, error: fault.code === 'url_address' ? 'address_refused' : 'url_refused' }
      return attempt(sending, keptAlive)
    },
    close() {
      stop.abort()
      for (const abandon of open) abandon()
      for (const agent of [keptAlive.http, keptAlive.https, fresh.http, fresh.https]) agent.destroy()
    },
  }
}

type Agents = ReturnType<typeof guardedAgents>

function openRequest({ url, headers, body }: Pick<Sending, 'url' | 'headers' | 'body'>, agents: Agents): ClientRequest {
  const target = new URL(url)
  const isSecure = target.protocol === 'https:'
  return (isSecure ? httpsRequest : httpRequest)(target, {
    method: 'POST',
    agent: isSecure ? agents.https : agents.http,
    maxHeaderSize: 16_384,
    headers: {
      ...headers,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      // The stored excerpt must be readable text.
      'accept-encoding': 'identity',
      'user-agent': `Rollbook/${version}`,
    },
  })
}

const noAnswer: Answer = { status: null, error: null, body: null, retryAfterMs: undefined }

/** Returns the beginning of a body, as text that a database accepts. A longer body is cut off. */
async function readSome(response: IncomingMessage): Promise<string> {
  const { promise, resolve: end } = Promise.withResolvers<void>()
  const beginning: Buffer[] = []
  let length = 0
  response.on('data', (chunk: Buffer) => {
    if (length < keptBytes) beginning.push(chunk.subarray(0, keptBytes - length))
    length += chunk.length
    if (length > readBytes) response.destroy()
  })
  // Despite an error, the status still counts.
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
