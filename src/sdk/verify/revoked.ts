/** What the revocation feed has named lately, and what that means for a credential. */

export type Revocation = { kind: string; id: string; credentials_version?: number | null }

/** What a credential is known by; all of it stands in a token, and in Rollbook's answer about a key or a session. */
export type Named = { sub?: unknown; client_id?: unknown; sid?: unknown; jti?: unknown; credentials_version?: unknown }

export type Revoked = {
  add(revocation: Revocation): void
  /** Whether this token was revoked. */
  endsToken(claims: Named, kid: string): boolean
  /** Whether an answer with these claims, asked for at `askedAt`, may overlook something that was heard of. */
  mayOverlook(askedAt: number, claims: Named): boolean
  /** Everything that was found out until now is to be found out anew. */
  distrust(): void
}

/** As long as the feed itself keeps them, three lives of a token. */
const keptMs = 15 * 60_000

/**
 * Behind Rollbook's address there may be several nodes, and the one that answers may not know yet what another has told:
 * what was heard counts as unknown to every answer that was asked for less than a second later.
 */
const nodeLagMs = 1000
/** Such an answer is used for so long all the same. A node is 750 ms behind at most, which makes the second. */
const briefMs = 250

type Heard = { at: number; version: number }

export function rememberRevocations(clock = () => performance.now()): Revoked {
  /** By kind and id, each in the order of time. */
  const heard = new Map<string, Map<unknown, Heard>>()
  let newestAt = Number.NEGATIVE_INFINITY
  let distrustedAt = Number.NEGATIVE_INFINITY

  const find = (kind: string, id: unknown) => heard.get(kind)?.get(id)

  return {
    add({ kind, id, credentials_version }) {
      const now = clock()
      newestAt = now
      const ofKind = heard.get(kind) ?? new Map<unknown, Heard>()
      heard.set(kind, ofKind)
      const version = Math.max(ofKind.get(id)?.version ?? 0, credentials_version ?? 0)
      // Taken out first, so that it goes to the end.
      ofKind.delete(id)
      ofKind.set(id, { at: now, version })
      for (const [oldest, { at }] of ofKind) {
        if (now - at < keptMs) break
        ofKind.delete(oldest)
      }
    },
    endsToken({ sub, client_id, sid, jti, credentials_version }, kid) {
      if (find('session', sid) || find('key', client_id) || find('token', jti) || find('signing_key', kid)) return true
      const user = find('user', sub)
      if (user === undefined) return false
      return !(typeof credentials_version === 'number' && credentials_version >= user.version)
    },
    mayOverlook(askedAt, { sub, client_id, sid }) {
      const isBrief = clock() - askedAt <= briefMs
      const since = isBrief ? askedAt : askedAt - nodeLagMs
      if (distrustedAt >= since) return true
      if (newestAt < since) return false
      const named = [find('user', sub), find('session', sid), find('key', client_id), find('key_changed', client_id)]
      return named.some((one) => one !== undefined && one.at >= since)
    },
    distrust() {
      distrustedAt = clock()
    },
  }
}
