/** Remembers recent revocations and decides which credentials they end. */

export type Revocation = { kind: string; id: string; credentials_version?: number | null; revoked_at?: string }

/** The claims by which a revocation names a credential. Tokens and introspection answers have them. */
export type Named = {
  sub?: unknown
  client_id?: unknown
  sid?: unknown
  jti?: unknown
  credentials_version?: unknown
  org_id?: unknown
  iat?: unknown
}

export type Revoked = {
  add(revocation: Revocation): void
  endsToken(claims: Named, kid: string): boolean
  /** Whether a response with these claims, requested at `askedAt`, may not yet reflect a known revocation. */
  mayOverlook(askedAt: number, claims: Named): boolean
  /** Makes all earlier responses untrusted. */
  distrust(): void
}

/** As long as the feed keeps them: three token lifetimes. */
const keptMs = 15 * 60_000

/**
 * Rollbook may have several nodes, and the one that responds may not know a revocation that another node announced. So a
 * response that was requested less than a second after a revocation may not reflect it.
 */
const nodeLagMs = 1000
/** Such a response is still used for this long. A node is at most 750 ms behind; together that is one second. */
const briefMs = 250

/** `revokedMs`: epoch milliseconds by Rollbook's clock. */
type Heard = { at: number; version: number; revokedMs: number }

export function rememberRevocations(clock = () => performance.now()): Revoked {
  /** By kind and id, the oldest first. */
  const heard = new Map<string, Map<unknown, Heard>>()
  let newestAt = Number.NEGATIVE_INFINITY
  let distrustedAt = Number.NEGATIVE_INFINITY

  const find = (kind: string, id: unknown) => heard.get(kind)?.get(id)

  return {
    add({ kind, id, credentials_version, revoked_at }) {
      const now = clock()
      newestAt = now
      const ofKind = heard.get(kind) ?? new Map<unknown, Heard>()
      heard.set(kind, ofKind)
      const version = Math.max(ofKind.get(id)?.version ?? 0, credentials_version ?? 0)
      // Without an instant nothing issued so far is spared.
      const revokedMs = revoked_at === undefined ? Number.POSITIVE_INFINITY : Date.parse(revoked_at)
      // Deleted first, so that it moves to the end.
      ofKind.delete(id)
      ofKind.set(id, { at: now, version, revokedMs })
      for (const [oldest, { at }] of ofKind) {
        if (now - at < keptMs) break
        ofKind.delete(oldest)
      }
    },
    endsToken({ sub, client_id, sid, jti, credentials_version, org_id, iat }, kid) {
      if (find('session', sid) || find('key', client_id) || find('token', jti) || find('signing_key', kid)) return true
      const organization = find('organization', org_id)
      if (organization !== undefined && !(typeof iat === 'number' && iat * 1000 > organization.revokedMs)) return true
      const user = find('user', sub)
      if (user === undefined) return false
      return !(typeof credentials_version === 'number' && credentials_version >= user.version)
    },
    mayOverlook(askedAt, { sub, client_id, sid, org_id }) {
      const isBrief = clock() - askedAt <= briefMs
      const since = isBrief ? askedAt : askedAt - nodeLagMs
      if (distrustedAt >= since) return true
      if (newestAt < since) return false
      const named = [
        ...[find('user', sub), find('session', sid), find('session_changed', sid)],
        ...[find('key', client_id), find('key_changed', client_id)],
        ...[find('organization', org_id), find('organization_changed', org_id)],
      ]
      return named.some((one) => one !== undefined && one.at >= since)
    },
    distrust() {
      distrustedAt = clock()
    },
  }
}
