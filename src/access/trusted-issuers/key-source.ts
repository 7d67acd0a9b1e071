/** The public keys of a trusted issuer, fetched when they are wanted and kept, within limits that it cannot move. */
import { createLocalJWKSet, createRemoteJWKSet, customFetch, type FetchImplementation, type JSONWebKeySet } from 'jose'
import type { Logger } from 'pino'

/** The keys cannot be had: whether a token is good is not known. */
export class IssuerUnavailable extends Error {
  override name = 'IssuerUnavailable'
}

const timeoutMs = 3000
const largestBytes = 262_144
/** Asked anew after so long; and for a key that is not known, at most once in so long. */
const [freshMs, cooldownMs] = [10 * 60_000, 30_000]
/** An issuer that does not answer is left alone for so long: each token would wait for it otherwise. */
const retryMs = 5000
/** So long the keys of an issuer that is away count on. What it took back meanwhile would count too. */
const staleMs = 60 * 60_000

export function keySource(jwksUrl: string, log: Logger) {
  let last: { text: string; at: number } | undefined
  let failure: { error: unknown; at: number } | undefined

  const fetchKeys: FetchImplementation = async (url, options) => {
    if (failure === undefined || Date.now() >= failure.at + retryMs) {
      try {
        last = { text: await readKeys(url, options), at: Date.now() }
        failure = undefined
      } catch (error) {
        failure = { error, at: Date.now() }
        log.warn({ err: error, url }, 'cannot fetch the keys of a trusted issuer')
      }
    }
    if (last !== undefined && (failure === undefined || Date.now() <= last.at + staleMs)) return new Response(last.text)
    throw new IssuerUnavailable(`${url} did not return its keys.`, { cause: failure?.error })
  }

  return createRemoteJWKSet(new URL(jwksUrl), {
    timeoutDuration: timeoutMs,
    cooldownDuration: cooldownMs,
    cacheMaxAge: freshMs,
    [customFetch]: fetchKeys,
  })
}

/** Redirects are not followed: they could lead to where nobody was to ask, and from https to http. */
async function readKeys(url: string, options: Parameters<FetchImplementation>[1]): Promise<string> {
  const response = await fetch(url, options)
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel()
    throw new Error(`It responded with ${response.status}.`)
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body) {
    size += chunk.length
    // What was compressed is counted as it is after that. Leaving the loop ends the connection.
    if (size > largestBytes) throw new Error(`It responded with more than ${largestBytes} bytes.`)
    chunks.push(chunk)
  }
  const text = Buffer.concat(chunks).toString()
  createLocalJWKSet(JSON.parse(text) as JSONWebKeySet)
  return text
}
