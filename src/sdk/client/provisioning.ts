import { change, type Patch, resourceOf, unlessGone } from './change.ts'
import type { Calls, QueryOf } from './operations.ts'
import type { CallOptions, CreateOptions, ManagedChangeOptions } from './options.ts'
import type {
  ConfirmationOfConnectionDeletion,
  CreateProvisioningConnection,
  NewProvisioningConnection,
  ProvisioningConnection,
  RejectedRequest,
  UpdateProvisioningConnection,
} from './types.ts'

/** Connections of identity providers, which administer users and groups through SCIM. */
export class Provisioning {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  list(options: CallOptions = {}): Promise<ProvisioningConnection[]> {
    return this.#calls.call('GET /provisioning', options)
  }

  /**
   * Connects an identity provider. Only this response contains the API key for it.
   *
   * ```ts
   * const { scim_url, key, connection_id } = await client.provisioning.create({ name: 'Okta', profile: 'okta' })
   * console.log(scim_url.endsWith('/scim/v2'), key?.startsWith('rb_')) // true true
   * await client.provisioning.delete(connection_id)
   * ```
   */
  create(body: CreateProvisioningConnection, options: CreateOptions = {}): Promise<NewProvisioningConnection> {
    return this.#calls.call('POST /provisioning', { ...options, body })
  }

  /** Returns the connection with this id. Throws `connection_not_found` if there is none. */
  get(connection_id: string, options: CallOptions = {}): Promise<ProvisioningConnection> {
    return this.#calls.call('GET /provisioning/{connection_id}', { ...options, path: { connection_id } })
  }

  /** Changes a connection. Takes an id or a connection, and a patch or a function, like `users.update`. */
  update(
    connection: string | ProvisioningConnection,
    patch: Patch<ProvisioningConnection, UpdateProvisioningConnection>,
    options: ManagedChangeOptions = {},
  ): Promise<ProvisioningConnection> {
    const [connection_id, seen] = resourceOf(connection, 'connection_id')
    return change(patch, options, {
      seen,
      read: (options) => this.get(connection_id, options),
      write: (call) => this.#calls.call('PATCH /provisioning/{connection_id}', { ...call, path: { connection_id } }),
    })
  }

  /** Deletes a connection with its keys. Its users stay, and are managed here again. */
  delete(
    connection_id: string,
    { override, ...options }: ManagedChangeOptions = {},
  ): Promise<ConfirmationOfConnectionDeletion> {
    return unlessGone(
      this.#calls.call('DELETE /provisioning/{connection_id}', {
        ...options,
        path: { connection_id },
        query: { override },
      }),
      options,
      () => ({ connection_id, deleted: true, released: 0 }),
    )
  }

  /** Returns the latest requests of the identity provider that were rejected, each with what to change. */
  rejectedRequests(
    connection_id: string,
    query: QueryOf<'GET /provisioning/{connection_id}/rejected-requests'> = {},
    options: CallOptions = {},
  ): Promise<RejectedRequest[]> {
    const call = { ...options, path: { connection_id }, query }
    return this.#calls.call('GET /provisioning/{connection_id}/rejected-requests', call)
  }
}
