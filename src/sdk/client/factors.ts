import type { Calls, QueryOf } from './operations.ts'
import type { CallOptions, CreateOptions, WriteOptions } from './options.ts'
import type {
  AddPasskey,
  ConfirmationOfFactorRemoval,
  Factor,
  Factors as FactorsOfUser,
  NewTotp,
  PasskeyCreation,
  RecoveryCodes,
  SecondFactorPolicyTest,
  TestSecondFactorPolicy,
  UserWithoutFactor,
} from './types.ts'

type SecondFactorPolicy = NonNullable<TestSecondFactorPolicy['policy']>
type MissingQuery = QueryOf<'GET /second-factor-policy/users'>

/** Second factors and passkeys: the caller's own, and those of other users for administrators. */
export class Factors {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** Returns the factors of the signed-in user. */
  listMine(options: CallOptions = {}): Promise<FactorsOfUser> {
    return this.#calls.call('GET /me/factors', options)
  }

  /** Starts adding one-time codes; `confirmTotp` activates them. */
  addTotp(body: { name?: string } = {}, options: CreateOptions = {}): Promise<NewTotp> {
    return this.#calls.call('POST /me/factors/totp', { ...options, body })
  }

  /** Activates one-time codes with the first code. */
  confirmTotp(factor_id: string, code: string, options: CreateOptions = {}): Promise<Factor> {
    const path = { factor_id }
    return this.#calls.call('POST /me/factors/totp/{factor_id}/confirm', { ...options, path, body: { code } })
  }

  /** Returns options for `navigator.credentials.create`; `addPasskey` takes what it makes. */
  beginPasskey(options: CreateOptions = {}): Promise<PasskeyCreation> {
    return this.#calls.call('POST /me/factors/passkeys/options', options)
  }

  addPasskey(body: AddPasskey, options: CreateOptions = {}): Promise<Factor> {
    return this.#calls.call('POST /me/factors/passkeys', { ...options, body })
  }

  rename(factor_id: string, name: string, options: WriteOptions = {}): Promise<Factor> {
    return this.#calls.call('PATCH /me/factors/{factor_id}', { ...options, path: { factor_id }, body: { name } })
  }

  /** Removes one factor of the signed-in user, and ends their other sessions. */
  removeMine(factor_id: string, options: WriteOptions = {}): Promise<ConfirmationOfFactorRemoval> {
    return this.#calls.call('DELETE /me/factors/{factor_id}', { ...options, path: { factor_id } })
  }

  /** Returns ten new recovery codes; the earlier ones are void. */
  replaceRecoveryCodes(options: CreateOptions = {}): Promise<RecoveryCodes> {
    return this.#calls.call('POST /me/recovery-codes', options)
  }

  /** Reports the effect of a policy on the current users; without one, of the policy in force. */
  testPolicy(policy?: SecondFactorPolicy, options: CallOptions = {}): Promise<SecondFactorPolicyTest> {
    const body = policy === undefined ? {} : { policy }
    return this.#calls.call('POST /second-factor-policy/test', { ...options, body })
  }

  /** Yields the users who need a factor under the policy in force, and have none. */
  missing(
    query: Omit<MissingQuery, 'cursor'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<UserWithoutFactor, void, undefined> {
    return this.#calls.pages('GET /second-factor-policy/users', { ...options, query })
  }

  async missingPage(
    query: MissingQuery = {},
    options: CallOptions = {},
  ): Promise<{ users: UserWithoutFactor[]; next: string | undefined }> {
    const { rows, next } = await this.#calls.page('GET /second-factor-policy/users', { ...options, query })
    return { users: rows, next }
  }

  /** Returns the factors of a user. */
  listOf(user_id: string, options: CallOptions = {}): Promise<FactorsOfUser> {
    return this.#calls.call('GET /users/{user_id}/factors', { ...options, path: { user_id } })
  }

  /** Removes one factor of a user. */
  removeOf(user_id: string, factor_id: string, options: WriteOptions = {}): Promise<ConfirmationOfFactorRemoval> {
    const path = { user_id, factor_id }
    return this.#calls.call('DELETE /users/{user_id}/factors/{factor_id}', { ...options, path })
  }

  /** Removes all factors and recovery codes of a user who has lost them. */
  resetOf(user_id: string, options: WriteOptions = {}): Promise<ConfirmationOfFactorRemoval> {
    return this.#calls.call('DELETE /users/{user_id}/factors', { ...options, path: { user_id } })
  }
}
