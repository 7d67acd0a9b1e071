/** Who calls, as Rollbook's token or its answer says. */

/** What Rollbook says in a token, or about a key or a session. */
export type Claims = Readonly<Record<string, unknown>>
export type OurClaims = Claims & {
  readonly sub: string
  readonly client_id: string
  readonly permissions: readonly string[]
}

/** Made for each request: what a handler does to it, the next one does not see. */
export class Caller {
  /** A person, or a program with an API key. */
  readonly kind: 'user' | 'api_key'
  /** Of a person the `user_id`, of a key the `key_id`. */
  readonly id: string
  readonly user_id: string | undefined
  readonly username: string | undefined
  /** Known of sessions; not part of a token. */
  readonly email: string | undefined
  /** Known of keys and sessions; not part of a token. */
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

  /** A copy of everything the token, or Rollbook's answer about the credential, says. */
  get claims(): Claims {
    return structuredClone(this.#claims)
  }

  /** Whether the caller may do this; `*` holds every permission. */
  has(permission: string): boolean {
    const { permissions } = this.#claims
    return permissions.includes(permission) || permissions.includes('*')
  }
}

/** Whether claims are such as Rollbook makes. Their permissions are shared by many callers from then on. */
export function isOurs(claims: Claims): claims is OurClaims {
  const { sub, client_id, permissions } = claims
  if (typeof sub !== 'string' || typeof client_id !== 'string' || !Array.isArray(permissions)) return false
  Object.freeze(permissions)
  // Of a key, both name the key.
  return permissions.every((item) => typeof item === 'string') && (isUser(claims) || client_id === sub)
}

function isUser({ client_id }: Claims): boolean {
  return client_id === 'rollbook'
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
