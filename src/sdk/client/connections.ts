import { change, type Patch, resourceOf, unlessGone } from './change.ts'
import type { Calls } from './operations.ts'
import type { CallOptions, ChangeOptions, CreateOptions, ManagedChangeOptions } from './options.ts'
import type {
  ConfirmationOfIdentityRemoval,
  ConfirmationOfSignInConnectionDeletion,
  CreateSignInConnection,
  Identity,
  ImportJob,
  LinkStart,
  LinkUserIdentity,
  SignInConnection,
  SignInFailure,
  SignInTrial,
  UpdateSignInConnection,
} from './types.ts'

/** Companies and other identity providers through which users sign in. */
export class Connections {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  list(options: CallOptions = {}): Promise<SignInConnection[]> {
    return this.#calls.call('GET /connections', options)
  }

  /**
   * Lets users sign in through an identity provider. Register `redirect_uri` there.
   *
   * ```ts
   * const { redirect_uri, connection_id } = await client.connections.create({
   *   kind: 'oidc',
   *   name: 'Example Inc.',
   *   issuer: 'https://id.example.com',
   *   client_id: 'rollbook',
   *   client_secret: 'from the provider',
   * })
   * console.log(redirect_uri?.endsWith(`/connections/${connection_id}/callback`)) // true
   * await client.connections.delete(connection_id)
   * ```
   */
  create(body: CreateSignInConnection, options: CreateOptions = {}): Promise<SignInConnection> {
    return this.#calls.call('POST /connections', { ...options, body })
  }

  /** Returns the connection with this id. Throws `connection_not_found` if there is none. */
  get(connection_id: string, options: CallOptions = {}): Promise<SignInConnection> {
    return this.#calls.call('GET /connections/{connection_id}', { ...options, path: { connection_id } })
  }

  /** Changes a connection. Takes an id or a connection, and a patch or a function, like `users.update`. */
  update(
    connection: string | SignInConnection,
    patch: Patch<SignInConnection, UpdateSignInConnection>,
    options: ManagedChangeOptions = {},
  ): Promise<SignInConnection> {
    const [connection_id, seen] = resourceOf(connection, 'connection_id')
    return change(patch, options, {
      seen,
      read: (options) => this.get(connection_id, options),
      write: (call) => this.#calls.call('PATCH /connections/{connection_id}', { ...call, path: { connection_id } }),
    })
  }

  /** Deletes a connection with its identities, and ends the sessions through it. */
  delete(
    connection_id: string,
    { override, ...options }: ManagedChangeOptions = {},
  ): Promise<ConfirmationOfSignInConnectionDeletion> {
    return unlessGone(
      this.#calls.call('DELETE /connections/{connection_id}', {
        ...options,
        path: { connection_id },
        query: { override },
      }),
      options,
      () => ({ connection_id, deleted: true, unlinked: 0, sessions_ended: 0 }),
    )
  }

  /** Shows what a sign-in with these claims would do. Changes nothing. */
  test(connection_id: string, claims: Record<string, unknown>, options: CallOptions = {}): Promise<SignInTrial> {
    const call = { ...options, path: { connection_id }, body: { claims } }
    return this.#calls.call('POST /connections/{connection_id}/test', call)
  }

  /**
   * Reads the entry of a username in a directory (LDAP), without a password, and returns what its sign-in would do. Without
   * a username: whether the directory can be searched.
   */
  lookUp(connection_id: string, username?: string, options: CallOptions = {}): Promise<SignInTrial> {
    const body = username === undefined ? {} : { username }
    return this.#calls.call('POST /connections/{connection_id}/test', { ...options, path: { connection_id }, body })
  }

  /** Synchronizes users with a directory, in the background. `imports.get` shows the progress of the job that it returns. */
  sync(
    connection_id: string,
    { dryRun, maxDisabled, ...options }: CreateOptions & { dryRun?: boolean; maxDisabled?: number } = {},
  ): Promise<ImportJob> {
    return this.#calls.call('POST /connections/{connection_id}/sync', {
      ...options,
      dryRun,
      path: { connection_id },
      query: { max_disabled: maxDisabled },
    })
  }

  /** Returns the latest sign-ins that failed, each with what arrived. */
  failures(connection_id: string, options: CallOptions = {}): Promise<SignInFailure[]> {
    return this.#calls.call('GET /connections/{connection_id}/failures', { ...options, path: { connection_id } })
  }

  /** Returns the SAML metadata of the service for a connection of the kind `saml`, in XML, for the identity provider. */
  samlMetadata(connection_id: string, options: CallOptions = {}): Promise<string> {
    const headers = { accept: 'application/samlmetadata+xml', ...options.headers }
    return this.#calls.call('GET /connections/{connection_id}/metadata', {
      ...options,
      headers,
      path: { connection_id },
    })
  }

  /** Returns the accounts of identity providers with which a user signs in. */
  identitiesOf(user_id: string, options: CallOptions = {}): Promise<Identity[]> {
    return this.#calls.call('GET /users/{user_id}/identities', { ...options, path: { user_id } })
  }

  /** Links an account of an identity provider to a user, who can sign in with it from then on. */
  linkIdentityOf(user_id: string, account: LinkUserIdentity, options: CreateOptions = {}): Promise<Identity> {
    return this.#calls.call('POST /users/{user_id}/identities', { ...options, path: { user_id }, body: account })
  }

  /** Removes them, and ends the user's sessions. */
  removeIdentitiesOf(user_id: string, options: ChangeOptions = {}): Promise<ConfirmationOfIdentityRemoval> {
    return this.#calls.call('DELETE /users/{user_id}/identities', { ...options, path: { user_id } })
  }

  /** Removes one of them, and ends the user's sessions. */
  removeIdentityOf(
    user_id: string,
    identity_id: string,
    options: ChangeOptions = {},
  ): Promise<ConfirmationOfIdentityRemoval> {
    const path = { user_id, identity_id }
    return this.#calls.call('DELETE /users/{user_id}/identities/{identity_id}', { ...options, path })
  }

  /** Returns the accounts of identity providers with which the signed-in user signs in. */
  myIdentities(options: CallOptions = {}): Promise<Identity[]> {
    return this.#calls.call('GET /me/identities', options)
  }

  /** Starts linking another one. Send the browser to `authorization_url`. */
  linkMine(
    connection_id: string,
    { return_to, ...options }: CallOptions & { return_to?: string } = {},
  ): Promise<LinkStart> {
    const body = { connection_id, ...(return_to !== undefined && { return_to }) }
    return this.#calls.call('POST /me/identities', { ...options, body })
  }

  /** Removes them, and ends the user's other sessions. */
  removeMyIdentities(options: ChangeOptions = {}): Promise<ConfirmationOfIdentityRemoval> {
    return this.#calls.call('DELETE /me/identities', options)
  }

  /** Removes one of them, and ends the user's other sessions. */
  removeMyIdentity(identity_id: string, options: ChangeOptions = {}): Promise<ConfirmationOfIdentityRemoval> {
    return this.#calls.call('DELETE /me/identities/{identity_id}', { ...options, path: { identity_id } })
  }
}
