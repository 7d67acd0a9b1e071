/** Signatures as Standard Webhooks has them (https://github.com/standard-webhooks/standard-webhooks). */
import { createHmac } from 'node:crypto'

export type Message = { id: string; body: string; secrets: readonly string[]; now: number }

/** The three headers; with a signature for each secret, so that a receiver may have either of them during a rotation. */
export function signedHeaders({ id, body, secrets, now }: Message): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
