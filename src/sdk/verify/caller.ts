/** The caller of a request, from the claims of a token or of an introspection. */

/** The claims in a token, or an introspection response. */
export type Claims = Readonly<Record<string, unknown>>
export type OurClaims = Claims & {
  readonly sub: string
  readonly client_id: string
  readonly permissions: readonly string[]
}

/** Created for each request, so that a handler's changes do not affect other requests. */
export class Caller {
  /** `user`: a person. `api_key`: a program with an API key. */
  readonly kind: 'user' | 'api_key'
  /** The `user_id` of a person, the `key_id` of a key. */
  readonly id: string
  readonly user_id: string | undefined
  readonly username: string | undefined
  /** Only for sessions; tokens do not contain it. */
  readonly email: string | undefined
  /** Only for keys and sessions; tokens do not contain it. */
  readonly name: string | undefined
  readonly role: string | undefined
  readonly permissions: readonly string[]
  readonly #claims: OurClaims

  constructor(claims: OurClaims) {
    this.kind = isUser(claims) ? 'user' : 'api_key'
    this.id = claims.sub
    this.user_id = this.kind === 'user' ? this.id : undefined
    this.username = textOf(claims.username)
    this.email = textOf(claims.email)
    this.name = textOf(claims.name)
    this.role = textOf(claims.role)
    this.permissions = claims.permissions
    this.#claims = claims
  }

  /** Returns a copy of all claims. */
  get claims(): Claims {
    return structuredClone(this.#claims)
  }

  /** Whether the caller has a permission; `*` includes every permission. */
  has(permission: string): boolean {
    const { permissions } = this.#claims
    return permissions.includes(permission) || permissions.includes('*')
  }
}

/** Whether the claims have the form that Rollbook issues. Freezes the permissions, because many callers share them. */
export function isOurs(claims: Claims): claims is OurClaims {
  const { sub, client_id, permissions } = claims
  if (typeof sub !== 'string' || typeof client_id !== 'string' || !Array.isArray(permissions)) return false
  Object.freeze(permissions)
  // The claims of a key name the key in both.
  return permissions.every((item) => typeof item === 'string') && (isUser(claims) || client_id === sub)
}

function isUser({ client_id }: Claims): boolean {
  return client_id === 'rollbook'
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
