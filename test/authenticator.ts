/** A passkey made of node:crypto alone (WebAuthn Level 3 §6), whose every field a test can alter. */
import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

type Json = Record<string, unknown>
type Options = { challenge: string; rp?: { id: string }; rpId?: string; user?: { id: string } }

/** What a response says; a test alters members of it before it is signed. */
export type Said = {
  type: string
  challenge: string
  origin: string
  /** Removed from Level 3; browsers no longer send it. */
  tokenBinding?: unknown
  /** So many zero bytes after the authenticator data. */
  extra?: number
  crossOrigin?: unknown
  topOrigin?: string
  rpId: string
  /** The flags of the authenticator data: UP 1, UV 4, BE 8, BS 16, AT 64. */
  flags: number
  counter: number
}

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
const sha256 = (text: string | Uint8Array) => createHash('sha256').update(text).digest()

/** As much CBOR (RFC 8949) as an attestation needs: integers, booleans, bytes, texts and maps. */
function cbor(value: unknown): Buffer {
  if (typeof value === 'boolean') return Buffer.from([value ? 0xf5 : 0xf4])
  const head = (major: number, length: number) =>
    length < 24
      ? Buffer.from([(major << 5) | length])
      : length < 256
        ? Buffer.from([(major << 5) | 24, length])
        : Buffer.from([(major << 5) | 25, length >> 8, length & 255])
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  const entries = [...(value as Map<unknown, unknown>)]
  return Buffer.concat([head(5, entries.length), ...entries.flat().map(cbor)])
}

type Algorithm = 'ES256' | 'EdDSA' | 'RS256' | 'ES384'

function makeKey(algorithm: Algorithm): { key: KeyObject; cose: Buffer } {
  if (algorithm === 'RS256') {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const { n = '', e = '' } = privateKey.export({ format: 'jwk' })
    const members = [3, -257, -1, Buffer.from(n, 'base64url'), -2, Buffer.from(e, 'base64url')]
    return { key: privateKey, cose: map(1, 3, ...members) }
  }
  if (algorithm === 'EdDSA') {
    const { privateKey } = generateKeyPairSync('ed25519')
    const { x = '' } = privateKey.export({ format: 'jwk' })
    return { key: privateKey, cose: map(1, 1, 3, -8, -1, 6, -2, Buffer.from(x, 'base64url')) }
  }
  const [namedCurve, alg, crv] = algorithm === 'ES256' ? ['P-256', -7, 1] : ['P-384', -35, 2]
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: namedCurve as string })
  const { x = '', y = '' } = privateKey.export({ format: 'jwk' })
  return {
    key: privateKey,
    cose: map(1, 2, 3, alg, -1, crv, -2, Buffer.from(x, 'base64url'), -3, Buffer.from(y, 'base64url')),
  }
}

/** A map in CBOR, of keys and values in turn. */
export function map(...members: unknown[]): Buffer {
  return cbor(new Map(members.flatMap((key, n) => (n % 2 === 0 ? [[key, members[n + 1]] as const] : []))))
}

export class Authenticator {
  id = randomBytes(32)
  readonly origin: string
  counter = 0
  rpId = ''
  userHandle = ''
  readonly #key: KeyObject
  /** The public key as it is registered. A test may replace it. */
  cose: Buffer
  readonly #flags: number
  readonly #aaguid: Buffer
  readonly #algorithm: Algorithm

  constructor({
    origin,
    algorithm = 'ES256',
    isSynced = false,
    aaguid = '00000000-0000-0000-0000-000000000000',
  }: {
    origin: string
    algorithm?: Algorithm
    isSynced?: boolean
    aaguid?: string
  }) {
    const { key, cose } = makeKey(algorithm)
    this.origin = origin
    this.#key = createPrivateKey(key.export({ format: 'pem', type: 'pkcs8' }))
    this.cose = cose
    this.#algorithm = algorithm
    this.#flags = isSynced ? 1 | 4 | 8 | 16 : 1 | 4
    this.#aaguid = Buffer.from(aaguid.replaceAll('-', ''), 'hex')
  }

  /** What `navigator.credentials.create` returns, as JSON. */
  create({ challenge, rp, user }: Options, altered: Partial<Said> = {}): Json {
    this.rpId = rp?.id ?? ''
    this.userHandle = user?.id ?? ''
    const said = this.#said({ type: 'webauthn.create', challenge, flags: this.#flags | 64, ...altered })
    const credential = Buffer.concat([this.#aaguid, Buffer.from([0, this.id.length]), this.id, this.cose])
    const authData = Buffer.concat([authenticatorData(said), credential])
    const attestation = map('fmt', 'none', 'attStmt', new Map(), 'authData', authData)
    return this.#response({
      clientDataJSON: base64url(clientData(said)),
      attestationObject: base64url(attestation),
      transports: ['internal', 'hybrid'],
    })
  }

  /** What `navigator.credentials.get` returns, as JSON. */
  get({ challenge, rpId }: Options, altered: Partial<Said> = {}): Json {
    const said = this.#said({
      type: 'webauthn.get',
      challenge,
      rpId: rpId ?? this.rpId,
      flags: this.#flags,
      ...altered,
    })
    const client = clientData(said)
    const data = authenticatorData(said)
    const signed = Buffer.concat([data, sha256(client)])
    const digest = { EdDSA: null, ES384: 'sha384', ES256: 'sha256', RS256: 'sha256' }[this.#algorithm]
    return this.#response({
      clientDataJSON: base64url(client),
      authenticatorData: base64url(data),
      signature: base64url(sign(digest, signed, this.#key)),
      userHandle: this.userHandle,
    })
  }

  #said(input: Partial<Said> & Pick<Said, 'type' | 'challenge' | 'flags'>): Said {
    return { origin: this.origin, crossOrigin: false, rpId: this.rpId, counter: this.counter, ...input }
  }

  #response(response: Json): Json {
    const id = base64url(this.id)
    return {
      id,
      rawId: id,
      type: 'public-key',
      response,
      clientExtensionResults: {},
      authenticatorAttachment: 'platform',
    }
  }
}

function clientData({ type, challenge, origin, crossOrigin, topOrigin, tokenBinding }: Said): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin, topOrigin, tokenBinding }))
}

function authenticatorData({ rpId, flags, counter, extra = 0 }: Said): Buffer {
  const tail = Buffer.alloc(5)
  tail.writeUInt8(flags)
  tail.writeUInt32BE(counter, 1)
  return Buffer.concat([sha256(rpId), tail, Buffer.alloc(extra)])
}
