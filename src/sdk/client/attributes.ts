import { change, type Patch, resourceOf, unlessGone } from './change.ts'
import type { Calls } from './operations.ts'
import type { CallOptions, CreateOptions, ManagedChangeOptions } from './options.ts'
import type { Attribute, ConfirmationOfAttributeDeletion, CreateAttribute, UpdateAttribute } from './types.ts'

/** The definitions of custom attributes of users. The values are in `attributes` of each user. */
export class Attributes {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** Returns every definition, by name. */
  list(options: CallOptions = {}): Promise<Attribute[]> {
    return this.#calls.call('GET /attributes', options)
  }

  /**
   * Defines an attribute.
   *
   * ```ts
   * await client.attributes.create({ name: 'department', type: 'string', searchable: true })
   * await client.users.create({ username: 'anita.borg', attributes: { department: 'Compilers' } })
   * for await (const user of client.users.list({ 'attributes.department': 'Compilers' })) {
   *   console.log(user.username) // anita.borg
   * }
   * ```
   */
  create(body: CreateAttribute, options: CreateOptions = {}): Promise<Attribute> {
    return this.#calls.call('POST /attributes', { ...options, body })
  }

  /** Returns the definition with this name. Throws `attribute_not_found` if there is none. */
  get(name: string, options: CallOptions = {}): Promise<Attribute> {
    return this.#calls.call('GET /attributes/{name}', { ...options, path: { name } })
  }

  /** Changes a definition. Takes a name or a definition, and a patch or a function, like `users.update`. */
  update(
    attribute: string | Attribute,
    patch: Patch<Attribute, UpdateAttribute>,
    options: ManagedChangeOptions = {},
  ): Promise<Attribute> {
    const [name, seen] = resourceOf(attribute, 'name')
    return change(patch, options, {
      seen,
      read: (options) => this.get(name, options),
      write: (call) => this.#calls.call('PATCH /attributes/{name}', { ...call, path: { name } }),
    })
  }

  /** Deletes a definition and the values that users have. Use `dryRun` to see how many that are. */
  delete(name: string, { override, ...options }: ManagedChangeOptions = {}): Promise<ConfirmationOfAttributeDeletion> {
    return unlessGone(
      this.#calls.call('DELETE /attributes/{name}', { ...options, path: { name }, query: { override } }),
      options,
      () => ({
        name,
        deleted: true,
        values_removed: 0,
      }),
    )
  }
}
