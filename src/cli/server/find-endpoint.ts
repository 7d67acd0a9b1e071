/** Finds a webhook endpoint by id or URL. */
import type { RollbookClient, WebhookEndpoint } from '../../sdk/client/index.ts'
import { notFound, UsageError } from '../terminal/failure.ts'
import { isUserId as isUuid } from './find-user.ts'

/** Several endpoints can have the same URL. Then the user must give an id. */
export async function getEndpoint(client: RollbookClient, text: string, signal: AbortSignal): Promise<WebhookEndpoint> {
  if (isUuid(text)) return client.webhooks.get(text.toLowerCase(), { signal })
  const found = (await client.webhooks.list({ signal })).filter(({ url }) => url === text)
  const [endpoint] = found
  if (endpoint === undefined) throw notFound('webhook endpoint', text, 'webhooks list')
  if (found.length > 1)
    throw new UsageError(`${found.length} endpoints have the URL ${text}. Give the id of one of them.`)
  return endpoint
}
