import { change, type Patch, resourceOf, unlessGone } from './change.ts'
import type { Calls, QueryOf } from './operations.ts'
import type { CallOptions, CreateOptions, ManagedChangeOptions } from './options.ts'
import type {
  ConfirmationOfWebhookDeletion,
  CreateWebhookEndpoint,
  NewWebhookEndpoint,
  RotateWebhookSecret,
  UpdateWebhookEndpoint,
  WebhookDelivery,
  WebhookDeliveryWithAttempts,
  WebhookEndpoint,
} from './types.ts'

type DeliveryQuery = QueryOf<'GET /webhooks/{endpoint_id}/deliveries'>

/** Webhook endpoints and their deliveries. */
export class Webhooks {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  list(options: CallOptions = {}): Promise<WebhookEndpoint[]> {
    return this.#calls.call('GET /webhooks', options)
  }

  /** Creates an endpoint. Only this response contains the secret that signs the deliveries. */
  create(body: CreateWebhookEndpoint, options: CreateOptions = {}): Promise<NewWebhookEndpoint> {
    return this.#calls.call('POST /webhooks', { ...options, body })
  }

  get(endpoint_id: string, options: CallOptions = {}): Promise<WebhookEndpoint> {
    return this.#calls.call('GET /webhooks/{endpoint_id}', { ...options, path: { endpoint_id } })
  }

  /** Changes an endpoint. Takes an id or an endpoint, and a patch or a function, like `users.update`. */
  update(
    endpoint: string | WebhookEndpoint,
    patch: Patch<WebhookEndpoint, UpdateWebhookEndpoint>,
    options: ManagedChangeOptions = {},
  ): Promise<WebhookEndpoint> {
    const [endpoint_id, seen] = resourceOf(endpoint, 'endpoint_id')
    return change(patch, options, {
      seen,
      read: (options) => this.get(endpoint_id, options),
      write: (call) => this.#calls.call('PATCH /webhooks/{endpoint_id}', { ...call, path: { endpoint_id } }),
    })
  }

  delete(
    endpoint_id: string,
    { override, ...options }: ManagedChangeOptions = {},
  ): Promise<ConfirmationOfWebhookDeletion> {
    return unlessGone(
      this.#calls.call('DELETE /webhooks/{endpoint_id}', { ...options, path: { endpoint_id }, query: { override } }),
      options,
      () => ({ endpoint_id, deleted: true }),
    )
  }

  rotateSecret(
    endpoint_id: string,
    body: RotateWebhookSecret = {},
    options: CreateOptions = {},
  ): Promise<NewWebhookEndpoint> {
    const path = { endpoint_id }
    return this.#calls.call('POST /webhooks/{endpoint_id}/rotate-secret', { ...options, path, body })
  }

  /** Sends a test event, which receivers can ignore. */
  test(endpoint_id: string, options: CreateOptions = {}): Promise<WebhookDelivery> {
    return this.#calls.call('POST /webhooks/{endpoint_id}/test', { ...options, path: { endpoint_id } })
  }

  /** Yields all deliveries that are still stored, the newest first. */
  deliveries(
    endpoint_id: string,
    query: Omit<DeliveryQuery, 'cursor'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<WebhookDelivery, void, undefined> {
    return this.#calls.pages('GET /webhooks/{endpoint_id}/deliveries', { ...options, path: { endpoint_id }, query })
  }

  async deliveryPage(
    endpoint_id: string,
    query: DeliveryQuery = {},
    options: CallOptions = {},
  ): Promise<{ deliveries: WebhookDelivery[]; next: string | undefined }> {
    const path = { endpoint_id }
    const { rows, next } = await this.#calls.page('GET /webhooks/{endpoint_id}/deliveries', { ...options, path, query })
    return { deliveries: rows, next }
  }

  /** Returns a delivery with its latest attempts. */
  delivery(endpoint_id: string, delivery_id: string, options: CallOptions = {}): Promise<WebhookDeliveryWithAttempts> {
    const path = { endpoint_id, delivery_id }
    return this.#calls.call('GET /webhooks/{endpoint_id}/deliveries/{delivery_id}', { ...options, path })
  }

  redeliver(endpoint_id: string, delivery_id: string, options: CreateOptions = {}): Promise<WebhookDelivery> {
    const path = { endpoint_id, delivery_id }
    return this.#calls.call('POST /webhooks/{endpoint_id}/deliveries/{delivery_id}/redeliver', { ...options, path })
  }
}
