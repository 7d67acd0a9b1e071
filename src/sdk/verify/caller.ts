/** The caller of a request, from the claims of a token or of an introspection. */

/** The claims in a token, or an introspection response. */
export type Claims = Readonly<Record<string, unknown>>
export type OurClaims = Claims & {
  readonly sub: string
  readonly client_id: string
  readonly permissions: readonly string[]
}

/** The end of a permission that is about the organization of its holder only. */
const limited = '@organization'
const clientOfSessions = 'rollbook'
/** Who acts as the user (RFC 8693 §4.1): the `user_id` and username of an administrator. */
export type Act = { readonly sub: string; readonly username: string }

/** Created for each request, so that a handler's changes do not affect other requests. */
export class Caller {
  /** `user`: a person, in a session or with a personal key. `api_key`: a program with an API key. */
  readonly kind: 'user' | 'api_key'
  /** The `user_id` of a person, the `key_id` of a key. */
  readonly id: string
  readonly user_id: string | undefined
  /** The key of a program, or the personal key of a person. */
  readonly key_id: string | undefined
  readonly username: string | undefined
  /** Only for sessions and keys; tokens do not contain it. */
  readonly email: string | undefined
  /** Only for keys and sessions; tokens do not contain it. */
  readonly name: string | undefined
  readonly role: string | undefined
  readonly permissions: readonly string[]
  /** The organization of the user or key. Undefined: none. */
  readonly org_id: string | undefined
  readonly org_name: string | undefined
  /** Present while an administrator acts as the user. */
  readonly act: Act | undefined
  readonly #claims: OurClaims

  constructor(claims: OurClaims) {
    this.kind = isUser(claims) ? 'user' : 'api_key'
    this.id = claims.sub
    this.user_id = this.kind === 'user' ? this.id : undefined
    this.key_id = claims.client_id === clientOfSessions ? undefined : claims.client_id
    this.username = textOf(claims.username)
    this.email = textOf(claims.email)
    this.name = textOf(claims.name)
    this.role = textOf(claims.role)
    this.permissions = claims.permissions
    this.org_id = textOf(claims.org_id)
    this.org_name = textOf(claims.org_name)
    this.act = isAct(claims.act) ? { ...claims.act } : undefined
    this.#claims = claims
  }

  /** Returns a copy of all claims. */
  get claims(): Claims {
    return structuredClone(this.#claims)
  }

  /**
   * Whether the caller has a permission; `*` includes every permission, `*@organization` every limited one, and `users:read` includes
   * `users:read@organization`. With such a limited one, the caller may do it in their organization only: compare `org_id`.
   */
  has(permission: string): boolean {
    const { permissions } = this.#claims
    const wider = permission.endsWith(limited) ? [permission.slice(0, -limited.length), `*${limited}`] : []
    return [permission, ...wider, '*'].some((one) => permissions.includes(one))
  }
}

/** Whether the claims have the form that Rollbook issues. Freezes the permissions, because many callers share them. */
export function isOurs(claims: Claims): claims is OurClaims {
  const { sub, sid, client_id, username, permissions } = claims
  if (typeof sub !== 'string' || typeof client_id !== 'string' || !Array.isArray(permissions)) return false
  // Without this, the administrator would look like the user.
  if (claims.act !== undefined && !isAct(claims.act)) return false
  Object.freeze(permissions)
  // The claims of a key name the key in both; those of a personal key name its owner, who has no session.
  const isKnownClient =
    client_id === clientOfSessions || client_id === sub || (sid === undefined && typeof username === 'string')
  return isKnownClient && permissions.every((item) => typeof item === 'string')
}

function isUser({ sub, client_id }: OurClaims): boolean {
  return sub !== client_id
}

function isAct(act: unknown): act is Act {
  if (typeof act !== 'object' || act === null) return false
  const { sub, username } = act as Claims
  return typeof sub === 'string' && typeof username === 'string'
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
