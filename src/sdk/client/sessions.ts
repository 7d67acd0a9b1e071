import { change, type Patch } from './change.ts'
import type { Calls } from './operations.ts'
import type { CallOptions, ChangeOptions, CreateOptions, WriteOptions } from './options.ts'
import type {
  ChangeOwnPassword,
  CompleteSetup,
  ConfirmationOfPassword,
  ConfirmationOfSignOut,
  ConfirmationOfSignOuts,
  CreateSession,
  Me,
  Session,
  SetupState,
  UpdateMe,
} from './types.ts'
import { isGone } from './users.ts'

/** Who is signed in where. */
export class Sessions {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** Signs somebody in. The session is in the cookie of the answer, which a browser keeps and sends by itself. */
  create(body: CreateSession, options: CallOptions = {}): Promise<Session> {
    return this.#calls.call('POST /sessions', { ...options, body })
  }

  /** One's own. */
  list(options: CallOptions = {}): Promise<Session[]> {
    return this.#calls.call('GET /sessions', options)
  }

  /** Ends one of one's own. */
  async end(session_id: string, options: WriteOptions = {}): Promise<ConfirmationOfSignOut> {
    try {
      return await this.#calls.call('DELETE /sessions/{session_id}', { ...options, path: { session_id } })
    } catch (error) {
      if (!isGone(error, options)) throw error
      return { session_id, revoked: true }
    }
  }

  /** Signs out. */
  endCurrent(options: WriteOptions = {}): Promise<ConfirmationOfSignOut> {
    return this.#calls.call('DELETE /sessions/current', options)
  }

  /** Ends all of one's own but this one. */
  endOthers(options: WriteOptions = {}): Promise<ConfirmationOfSignOuts> {
    return this.#calls.call('DELETE /sessions', options)
  }

  /** Where a user is signed in. */
  listOf(user_id: string, options: CallOptions = {}): Promise<Session[]> {
    return this.#calls.call('GET /users/{user_id}/sessions', { ...options, path: { user_id } })
  }

  /** Ends one session of a user. */
  async endOf(user_id: string, session_id: string, options: WriteOptions = {}): Promise<ConfirmationOfSignOut> {
    try {
      const path = { user_id, session_id }
      return await this.#calls.call('DELETE /users/{user_id}/sessions/{session_id}', { ...options, path })
    } catch (error) {
      if (!isGone(error, options)) throw error
      return { session_id, revoked: true }
    }
  }

  /** Ends every session of a user. */
  endAllOf(user_id: string, options: WriteOptions = {}): Promise<ConfirmationOfSignOuts> {
    return this.#calls.call('DELETE /users/{user_id}/sessions', { ...options, path: { user_id } })
  }
}

/** Who is signed in, and what they may change of themselves. */
export class Myself {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  get(options: CallOptions = {}): Promise<Me> {
    return this.#calls.call('GET /me', options)
  }

  update(patch: Patch<Me, UpdateMe>, { ifMatch, dryRun, ...options }: ChangeOptions = {}): Promise<Me> {
    return change(patch, {
      seen: undefined,
      ifMatch,
      read: () => this.get(options),
      write: (body, expected) => this.#calls.call('PATCH /me', { ...options, dryRun, body, ifMatch: expected }),
    })
  }

  changePassword(body: ChangeOwnPassword, options: CreateOptions = {}): Promise<ConfirmationOfPassword> {
    return this.#calls.call('POST /me/password', { ...options, body })
  }
}

/** The first administrator, who is made with a link that the host shows. */
export class Setup {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** Whether no user is an active administrator yet. */
  state(options: CallOptions = {}): Promise<SetupState> {
    return this.#calls.call('GET /setup', options)
  }

  /** Makes the administrator and signs them in, as `sessions.create` does. Tried once: the link is used up. */
  complete(body: CompleteSetup, options: CallOptions = {}): Promise<Session> {
    return this.#calls.call('POST /setup', { retries: 0, ...options, body })
  }
}
