import { randomBytes } from 'node:crypto'
import { type Argon2, argon2Parameters, loadArgon2, saltBytes, tagBytes } from './argon2.ts'
import { formatPhc, parsePhc } from './phc.ts'
import { normalizePassword } from './policy.ts'
import { createQueue, type QueueLoad } from './queue.ts'

/** Hashes and verifies passwords, a few at a time. Each method but needsRehash may refuse with `overloaded`. */
export type Hasher = {
  /** The password's argon2id hash as a PHC string. What may be a password is policy.ts's concern. */
  hash(password: string): Promise<string>
  verify(phc: string, password: string): Promise<boolean>
  /** For a user who is not there or has no password: as slow as verify, and false. */
  verifyAbsent(password: string): Promise<false>
  /** Whether the hash is weaker than the ones made now, and should be replaced when the password is next at hand. */
  needsRehash(phc: string): boolean
  /** How many wait for their turn. */
  readonly queued: number
  load(): QueueLoad
}

type HasherOptions = { concurrency: number; queueLimit: number; load?: () => Promise<Argon2> }

export function createHasher({ concurrency, queueLimit, load = loadArgon2 }: HasherOptions): Hasher {
  const queue = createQueue({ concurrency, limit: queueLimit })
  let loading: Promise<Argon2> | undefined
  const argon2 = (): Promise<Argon2> => {
    loading ??= load()
    return loading
  }
  // No password is known for it, so that it costs what another costs and matches nothing.
  const absent = formatPhc({ ...argon2Parameters, salt: randomBytes(saltBytes), tag: randomBytes(tagBytes) })

  async function verify(phc: string, password: string): Promise<boolean> {
    if (!isAffordable(phc)) throw new Error('A stored password hash is not one this service can verify.')
    return queue.run(async () => (await argon2()).verify(phc, normalizePassword(password)))
  }

  return {
    get queued() {
      return queue.queued
    },
    load: queue.load,
    hash: (password) => queue.run(async () => (await argon2()).hash(normalizePassword(password))),
    verify,
    async verifyAbsent(password) {
      await verify(absent, password)
      return false
    },
    needsRehash,
  }
}

// The parameters stand in the hash, and a hash may come from elsewhere: one that asks for gigabytes is an attack.
function isAffordable(text: string): boolean {
  const phc = parsePhc(text)
  return phc !== undefined && phc.memoryKib <= 256 * 1024 && phc.passes <= 16 && phc.parallelism <= 16
}

function needsRehash(text: string): boolean {
  const phc = parsePhc(text)
  return (
    phc === undefined ||
    phc.algorithm !== argon2Parameters.algorithm ||
    phc.version !== argon2Parameters.version ||
    phc.memoryKib < argon2Parameters.memoryKib ||
    phc.passes < argon2Parameters.passes ||
    phc.salt.length < saltBytes ||
    phc.tag.length < tagBytes
  )
}
