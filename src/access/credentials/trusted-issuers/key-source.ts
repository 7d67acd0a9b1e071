/** The public keys of a trusted issuer, fetched on demand and cached, within limits that the issuer cannot change. */
import { createLocalJWKSet, createRemoteJWKSet, customFetch, type FetchImplementation, type JSONWebKeySet } from 'jose'
import type { OutageReports } from '../../../core/outages.ts'
import type { TrustedIssuer } from '../../../core/trusted-issuers.ts'

/** The keys are unavailable, so whether a token is valid is unknown. */
export class IssuerUnavailable extends Error {
  override name = 'IssuerUnavailable'
}

const timeoutMs = 3000
const largestBytes = 262_144
/** The age at which keys are fetched again; also the shortest interval between fetches for unknown keys. */
const [freshMs, cooldownMs] = [10 * 60_000, 30_000]
/** How long an unresponsive issuer is left alone; otherwise each token would wait for it. */
const retryMs = 5000
/** How long the keys of an unreachable issuer stay valid, including any that it withdrew in the meantime. */
const staleMs = 60 * 60_000

export function keySource({ issuer, jwks_url }: Pick<TrustedIssuer, 'issuer' | 'jwks_url'>, outages: OutageReports) {
  const system = { kind: 'trusted_issuer', id: issuer, labels: { issuer } } as const
  let last: { text: string; at: number } | undefined
  let failure: { error: unknown; at: number } | undefined

  const fetchKeys: FetchImplementation = async (url, options) => {
    if (failure === undefined || Date.now() >= failure.at + retryMs) {
      try {
        last = { text: await readKeys(url, options), at: Date.now() }
        failure = undefined
        outages.succeeded(system)
      } catch (error) {
        failure = { error, at: Date.now() }
        outages.failed(system, error)
      }
    }
    if (last !== undefined && (failure === undefined || Date.now() <= last.at + staleMs)) return new Response(last.text)
    throw new IssuerUnavailable(`${url} did not return its keys.`, { cause: failure?.error })
  }

  return createRemoteJWKSet(new URL(jwks_url), {
    timeoutDuration: timeoutMs,
    cooldownDuration: cooldownMs,
    cacheMaxAge: freshMs,
    [customFetch]: fetchKeys,
  })
}

/** Redirects are not followed: they could lead to another host, and from https to http. */
async function readKeys(url: string, options: Parameters<FetchImplementation>[1]): Promise<string> {
  const response = await fetch(url, options)
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel()
    throw new Error(`It responded with ${response.status}.`, { cause: response })
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body) {
    size += chunk.length
    // Compressed data counts with its decompressed size. Leaving the loop closes the connection.
    if (size > largestBytes) throw new Error(`It responded with more than ${largestBytes} bytes.`)
    chunks.push(chunk)
  }
  const text = Buffer.concat(chunks).toString()
  createLocalJWKSet(JSON.parse(text) as JSONWebKeySet)
  return text
}
