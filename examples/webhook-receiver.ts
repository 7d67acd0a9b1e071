/**
 * Receives webhooks: verifies the sender, skips duplicates, and prints the events.
 *
 *   WEBHOOK_SECRET=whsec_… node examples/webhook-receiver.ts
 */
import { createServer, type IncomingMessage } from 'node:http'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'

const { WEBHOOK_SECRET = '', PORT = '3001' } = process.env

const webhook = new Webhook(WEBHOOK_SECRET)
/** In your own service: a column with a unique index, written in the transaction that handles the event. */
const handled = new Set<string>()

type Event = { type: string; subject: string; data: unknown }

const server = createServer(async (request, response) => {
  try {
    // The signature covers the raw bytes: JSON that was parsed and serialized again differs.
    const body = await bodyOf(request)
    const event = webhook.verify(body, request.headers as Record<string, string>) as Event
    const id = String(request.headers['webhook-id'])
    if (!handled.has(id)) handle(event)
    handled.add(id)
    response.writeHead(204).end()
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) console.error(error)
    response.writeHead(error instanceof WebhookVerificationError ? 401 : 500).end()
  }
})

function handle({ type, subject, data }: Event): void {
  console.log(type, subject, JSON.stringify(data))
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > 1_000_000) throw new WebhookVerificationError('Too long to be read for nothing.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

server.listen(Number(PORT), '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object') console.log(`listening on http://127.0.0.1:${address?.port}`)
})
