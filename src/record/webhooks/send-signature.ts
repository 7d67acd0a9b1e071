/** Signatures in the form of Standard Webhooks (https://github.com/standard-webhooks/standard-webhooks). */
import { createHmac } from 'node:crypto'

export type Message = { id: string; body: string; secrets: readonly string[]; now: number }

/** Returns the three headers, with one signature per secret, so that a receiver may have either during a rotation. */
export function signedHeaders({ id, body, secrets, now }: Message): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
