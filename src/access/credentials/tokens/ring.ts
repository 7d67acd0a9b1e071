/**
 * The signing keys that a node holds in memory, and the tokens revoked one by one. Revocations arrive as announcements; when
 * some may have been missed, it reads the store before it responds.
 */
import type { Logger } from 'pino'
import type { Announcement } from '../../../store/context.ts'
import type { Storage } from '../../../store/storage/storage.ts'
import { type Algorithm, importKey, openPrivateKey } from './key-pair.ts'
import { signingKeyOf } from './signing-keys.ts'
import { listRevokedTokens, listSigningKeys, type SigningKeyRow } from './store.ts'

export type PublicKey = { kty: string; crv: string; x: string; y?: string; kid: string; alg: Algorithm; use: string }

export type VerifyingKey = { key: CryptoKey; alg: Algorithm }

type RingKey = {
  kid: string
  signs_from: string
  expires_at: string | null
  publicJwk: PublicKey
  publicKey: CryptoKey
  /** Missing if it is sealed with a secret that this node does not have. */
  privateKey: CryptoKey | undefined
}

export type Ring = {
  /** The key that signs now. */
  signing(now: number): Promise<VerifyingKey & { kid: string }>
  /** The public key with this name, unless it was revoked. */
  find(kid: string): Promise<VerifyingKey | undefined>
  /** Whether a token that was accepted earlier is still valid; asks the store if this node may have missed revocations. */
  holds(kid: string, jti: string): Promise<boolean>
  published(): readonly RingKey[]
  load(): Promise<void>
  onAnnouncement(event: Announcement): void
}

/** The interval at which a flood of tokens with unknown keys can make a node read its few keys. */
const unknownKidMs = 1000

type Parts = { storage: Storage; secrets: readonly string[]; log: Logger }

export function createRing({ storage, secrets, log }: Parts): Ring {
  let keys = new Map<string, RingKey>()
  let revokedTokens = new Set<string>()
  /** Revocations during a read of the store, whose result may be older. */
  let meanwhile = new Set<string>()
  let loading: Promise<void> | undefined
  let lookedForUnknownAt = Number.NEGATIVE_INFINITY
  /** Counts unspecified revocations; `trusted` is the count at the last read. */
  let [doubts, trusted] = [0, -1]

  async function toKey(row: SigningKeyRow): Promise<RingKey> {
    const { kid, signs_from, expires_at } = row
    const known = keys.get(kid)
    const publicJwk = JSON.parse(row.public_key) as PublicKey
    const publicKey = known?.publicKey ?? (await importKey(row.public_key, publicJwk.alg))
    const privateKey = known?.privateKey ?? (await open(row, publicJwk.alg))
    return { kid, signs_from, expires_at, publicJwk, publicKey, privateKey }
  }

  async function open(row: SigningKeyRow, algorithm: Algorithm): Promise<CryptoKey | undefined> {
    try {
      return await importKey(openPrivateKey(row, secrets), algorithm)
    } catch (err) {
      log.error(
        { err, kid: row.kid },
        'cannot decrypt a signing key: the nodes have different values of ROLLBOOK_KEY_ENCRYPTION_SECRET',
      )
      return undefined
    }
  }

  async function read(): Promise<void> {
    const doubtsBefore = doubts
    meanwhile = new Set()
    const [rows, tokens] = await Promise.all([listSigningKeys(storage.db), listRevokedTokens(storage.db)])
    const found = await Promise.all(rows.map(toKey))
    keys = new Map(found.filter(({ kid }) => !meanwhile.has(kid)).map((key) => [key.kid, key]))
    revokedTokens = new Set([...tokens.map(({ id }) => id), ...meanwhile])
    trusted = doubtsBefore
  }

  function load(): Promise<void> {
    loading ??= read().finally(() => {
      loading = undefined
    })
    return loading
  }

  /** A read in progress may have started before the doubt: then another one follows. */
  async function becomeCurrent(): Promise<void> {
    if (!storage.isCurrent()) {
      await loading
      await load()
    }
    while (trusted !== doubts) await load()
  }

  return {
    load,
    async signing(now) {
      await becomeCurrent()
      // While the nodes' secret is changed one by one, some may be unable to open the newest key.
      const found = signingKeyOf(
        [...keys.values()].filter(({ privateKey }) => privateKey !== undefined),
        now,
      )
      if (found?.privateKey === undefined) throw new Error('This node cannot decrypt any signing key.')
      return { kid: found.kid, key: found.privateKey, alg: found.publicJwk.alg }
    },
    async find(kid) {
      await becomeCurrent()
      const sinceLast = performance.now() - lookedForUnknownAt
      if (!keys.has(kid) && sinceLast > unknownKidMs) {
        lookedForUnknownAt = performance.now()
        await load()
      }
      const found = keys.get(kid)
      return found && { key: found.publicKey, alg: found.publicJwk.alg }
    },
    async holds(kid, jti) {
      await becomeCurrent()
      return keys.has(kid) && !revokedTokens.has(jti)
    },
    published: () => [...keys.values()],
    onAnnouncement(event) {
      if (event.kind === 'forget') doubts++
      if (event.kind !== 'revoked') return
      const { kind, id } = event.subject
      if (kind !== 'signing_key' && kind !== 'token') return
      meanwhile.add(id)
      if (kind === 'token') revokedTokens.add(id)
      // The same commit contains the key that signs instead.
      if (kind === 'signing_key' && keys.delete(id)) {
        doubts++
        becomeCurrent().catch((err) => log.warn({ err }, 'cannot read the signing keys; retrying with the next token'))
      }
    },
  }
}
