import { change, type Patch, unlessGone } from './change.ts'
import type { Calls } from './operations.ts'
import type { CallOptions, ChangeOptions, CreateOptions, WriteOptions } from './options.ts'
import type {
  ChangeOwnPassword,
  CompleteSetup,
  ConfirmationOfDeletion,
  ConfirmationOfPassword,
  ConfirmationOfSignOut,
  ConfirmationOfSignOuts,
  ConfirmationOfTrustRemoval,
  CreateSession,
  Me,
  OwnData,
  PasskeyRequest,
  Reauthenticate,
  Reauthenticated,
  RequestedEmailCode,
  SentVerification,
  Session,
  SetupState,
  TrustedBrowser,
  UpdateMe,
} from './types.ts'

export class Sessions {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** Signs a user in. The response sets the session cookie, which browsers store and send. */
  create(body: CreateSession, options: CallOptions = {}): Promise<Session> {
    return this.#calls.call('POST /sessions', { ...options, body })
  }

  /** Returns options for `navigator.credentials.get`, for a sign-in without a username. */
  beginPasskey(options: CallOptions = {}): Promise<PasskeyRequest> {
    return this.#calls.call('POST /sessions/passkey-options', options)
  }

  /** Sends the user with this name or address a code, if there is one. `create` takes it, with the cookie of the response. */
  requestEmailCode(username: string, options: CallOptions = {}): Promise<RequestedEmailCode> {
    return this.#calls.call('POST /sessions/email-code', { ...options, body: { username } })
  }

  /** Returns options for `navigator.credentials.get`, for `reauthenticate`. */
  beginPasskeyConfirmation(options: CreateOptions = {}): Promise<PasskeyRequest> {
    return this.#calls.call('POST /sessions/current/reauthentication/passkey-options', options)
  }

  /** Returns the sessions of the signed-in user. */
  list(options: CallOptions = {}): Promise<Session[]> {
    return this.#calls.call('GET /sessions', options)
  }

  /** Ends a session of the signed-in user. */
  end(session_id: string, options: WriteOptions = {}): Promise<ConfirmationOfSignOut> {
    return unlessGone(
      this.#calls.call('DELETE /sessions/{session_id}', { ...options, path: { session_id } }),
      options,
      () => ({ session_id, revoked: true }),
    )
  }

  /** Confirms that the user of this session is still there, for operations that need a recent authentication. */
  reauthenticate(body: Reauthenticate, options: CreateOptions = {}): Promise<Reauthenticated> {
    return this.#calls.call('POST /sessions/current/reauthentication', { ...options, body })
  }

  /** Ends the session that sends the request. */
  endCurrent(options: WriteOptions = {}): Promise<ConfirmationOfSignOut> {
    return this.#calls.call('DELETE /sessions/current', options)
  }

  /** Ends all other sessions of the signed-in user. */
  endOthers(options: WriteOptions = {}): Promise<ConfirmationOfSignOuts> {
    return this.#calls.call('DELETE /sessions', options)
  }

  /** Returns the sessions of a user. */
  listOf(user_id: string, options: CallOptions = {}): Promise<Session[]> {
    return this.#calls.call('GET /users/{user_id}/sessions', { ...options, path: { user_id } })
  }

  /** Ends one session of a user. */
  endOf(user_id: string, session_id: string, options: WriteOptions = {}): Promise<ConfirmationOfSignOut> {
    const path = { user_id, session_id }
    const call = this.#calls.call('DELETE /users/{user_id}/sessions/{session_id}', { ...options, path })
    return unlessGone(call, options, () => ({ session_id, revoked: true }))
  }

  /** Returns the browsers in which the signed-in user is not asked for the second factor. */
  listTrustedBrowsers(options: CallOptions = {}): Promise<TrustedBrowser[]> {
    return this.#calls.call('GET /me/trusted-browsers', options)
  }

  removeTrustedBrowser(browser_id: string, options: WriteOptions = {}): Promise<ConfirmationOfTrustRemoval> {
    return this.#calls.call('DELETE /me/trusted-browsers/{browser_id}', { ...options, path: { browser_id } })
  }

  /** Returns the browsers in which a user is not asked for the second factor. */
  listTrustedBrowsersOf(user_id: string, options: CallOptions = {}): Promise<TrustedBrowser[]> {
    return this.#calls.call('GET /users/{user_id}/trusted-browsers', { ...options, path: { user_id } })
  }

  removeTrustedBrowserOf(
    user_id: string,
    browser_id: string,
    options: WriteOptions = {},
  ): Promise<ConfirmationOfTrustRemoval> {
    const path = { user_id, browser_id }
    return this.#calls.call('DELETE /users/{user_id}/trusted-browsers/{browser_id}', { ...options, path })
  }

  /** Ends every session of a user. */
  endAllOf(user_id: string, options: WriteOptions = {}): Promise<ConfirmationOfSignOuts> {
    return this.#calls.call('DELETE /users/{user_id}/sessions', { ...options, path: { user_id } })
  }
}

/** The signed-in user. */
export class Myself {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  get(options: CallOptions = {}): Promise<Me> {
    return this.#calls.call('GET /me', options)
  }

  update(patch: Patch<Me, UpdateMe>, options: ChangeOptions = {}): Promise<Me> {
    return change(patch, options, {
      read: (options) => this.get(options),
      write: ({ query: _, ...call }) => this.#calls.call('PATCH /me', call),
    })
  }

  changePassword(body: ChangeOwnPassword, options: CreateOptions = {}): Promise<ConfirmationOfPassword> {
    return this.#calls.call('POST /me/password', { ...options, body })
  }

  /** Returns everything that is stored about the user, without secrets. */
  data(options: CallOptions = {}): Promise<OwnData> {
    return this.#calls.call('GET /me/data', options)
  }

  /** Deletes the user's own account, where that is allowed (`ROLLBOOK_ACCOUNT_DELETION`). */
  delete(options: ChangeOptions = {}): Promise<ConfirmationOfDeletion> {
    return this.#calls.call('DELETE /me', options)
  }

  /** Sends a message with a link that confirms the user's address. */
  verifyEmail(options: CreateOptions = {}): Promise<SentVerification> {
    return this.#calls.call('POST /me/email-verification', options)
  }
}

/** Creates the first administrator, with the token of the link that the server prints. */
export class Setup {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** Returns whether the first administrator is still to be created. */
  state(options: CallOptions = {}): Promise<SetupState> {
    return this.#calls.call('GET /setup', options)
  }

  /** Creates the administrator and signs them in. Not retried, because the link works once. */
  complete(body: CompleteSetup, options: CallOptions = {}): Promise<Session> {
    return this.#calls.call('POST /setup', { retries: 0, ...options, body })
  }
}
