import type { Announcement } from '../../../store/context.ts'

/** Caches credentials by their hash until they are revoked. */
type CredentialCache<T> = {
  get(key: string): T | undefined
  /**
   * Looks something up in the store and caches the result, unless there was a revocation in the meantime: the result may be
   * older.
   */
  fill(key: string, read: () => Promise<{ found: T; about: readonly About[] } | undefined>): Promise<T | undefined>
  /** Removes what an announcement says has ended. */
  onAnnouncement(event: Announcement): void
  use(): CacheUse
}

/** The number of cached credentials, of lookups since the start, and of those that had to read the store. */
export type CacheUse = { entries: number; hits: number; misses: number }

/** The records whose revocation ends a credential. */
export type About = `${'user' | 'session' | 'key'} ${string}`

export function credentialCache<T>(limit: number): CredentialCache<T> {
  const known = new Map<string, T>()
  const keysAbout = new Map<About, Set<string>>()
  const aboutKey = new Map<string, readonly About[]>()
  let revocations = 0
  let [lookups, reads] = [0, 0]

  function forget(key: string): void {
    known.delete(key)
    for (const about of aboutKey.get(key) ?? []) {
      const keys = keysAbout.get(about)
      keys?.delete(key)
      if (keys?.size === 0) keysAbout.delete(about)
    }
    aboutKey.delete(key)
  }

  function remember(key: string, found: T, about: readonly About[]): void {
    forget(key)
    // Evict the oldest, so that a flood of different ones cannot fill the memory.
    if (known.size >= limit) forget(known.keys().next().value as string)
    known.set(key, found)
    aboutKey.set(key, about)
    for (const one of about) {
      const keys = keysAbout.get(one)
      if (keys === undefined) keysAbout.set(one, new Set([key]))
      else keys.add(key)
    }
  }

  return {
    use: () => ({ entries: known.size, hits: lookups - reads, misses: reads }),
    get(key) {
      lookups++
      return known.get(key)
    },
    async fill(key, readStore) {
      reads++
      const before = revocations
      const stored = await readStore()
      if (stored === undefined) {
        forget(key)
        return undefined
      }
      if (before === revocations) remember(key, stored.found, stored.about)
      return stored.found
    },
    onAnnouncement(event) {
      if (event.kind !== 'revoked' && event.kind !== 'forget' && event.kind !== 'rules_changed') return
      revocations++
      // Any credential may have other permissions by another definition of a role.
      if (event.kind !== 'revoked') {
        known.clear()
        keysAbout.clear()
        aboutKey.clear()
        return
      }
      const { kind, id } = event.subject
      // Tokens and signing keys are cached elsewhere; a change of an organization also changes the rules, which forgets everything.
      if (kind === 'token' || kind === 'signing_key') return
      if (kind === 'organization' || kind === 'organization_changed') return
      const about = kind === 'key_changed' ? 'key' : kind === 'session_changed' ? 'session' : kind
      for (const key of [...(keysAbout.get(`${about} ${id}`) ?? [])]) forget(key)
    },
  }
}
