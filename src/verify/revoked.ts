/** What the revocation feed has named lately, and what that means for a credential. */

export type Revocation = { kind: string; id: string; credentials_version?: number | null }

/** What a credential is known by; all of it stands in a token, and in Rollbook's answer about a key or a session. */
export type Named = { sub?: unknown; client_id?: unknown; sid?: unknown; jti?: unknown; credentials_version?: unknown }

export type Revoked = {
  add(revocation: Revocation): void
  /** How many were heard of so far: what is found out now knows of these. */
  count(): number
  /** Whether this token was revoked. */
  endsToken(claims: Named, kid: string): boolean
  /** Whether something was revoked after `count` that an answer from then may have overlooked. */
  changedSince(count: number, claims: Named): boolean
  /** Everything that was found out until now is to be found out anew. */
  distrust(): void
}

/** As long as the feed itself keeps them, three lives of a token. */
const keptMs = 15 * 60_000

type Heard = { order: number; at: number; version: number }

export function rememberRevocations(): Revoked {
  /** By kind and id, each in the order of time. */
  const heard = new Map<string, Map<unknown, Heard>>()
  let count = 0
  let distrustedUntil = 0

  const find = (kind: string, id: unknown) => heard.get(kind)?.get(id)
  const orderOf = (kind: string, id: unknown) => find(kind, id)?.order ?? 0

  return {
    add({ kind, id, credentials_version }) {
      count += 1
      const now = performance.now()
      const ofKind = heard.get(kind) ?? new Map<unknown, Heard>()
      heard.set(kind, ofKind)
      const version = Math.max(ofKind.get(id)?.version ?? 0, credentials_version ?? 0)
      // Taken out first, so that it goes to the end.
      ofKind.delete(id)
      ofKind.set(id, { order: count, at: now, version })
      for (const [oldest, { at }] of ofKind) {
        if (now - at < keptMs) break
        ofKind.delete(oldest)
      }
    },
    count: () => count,
    endsToken({ sub, client_id, sid, jti, credentials_version }, kid) {
      if (find('session', sid) || find('key', client_id) || find('token', jti) || find('signing_key', kid)) return true
      const user = find('user', sub)
      if (user === undefined) return false
      return !(typeof credentials_version === 'number' && credentials_version >= user.version)
    },
    changedSince(since, { sub, client_id, sid }) {
      if (since < distrustedUntil) return true
      if (since === count) return false
      const orders = [
        orderOf('user', sub),
        orderOf('session', sid),
        orderOf('key', client_id),
        orderOf('key_changed', client_id),
      ]
      return Math.max(...orders) > since
    },
    distrust() {
      count += 1
      distrustedUntil = count
    },
  }
}
