import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { formatPhc, type Phc, parsePhc } from './phc.ts'

/** OWASP's parameters for argon2id, in the terms of RFC 9106. */
export const argon2Parameters = {
  algorithm: 'argon2id',
  version: 19,
  memoryKib: 19_456,
  passes: 2,
  parallelism: 1,
} as const satisfies Partial<Phc>

export type Argon2Parameters = Pick<Phc, 'algorithm' | 'version' | 'memoryKib' | 'passes' | 'parallelism'>

export const saltBytes = 16
export const tagBytes = 32

/** Both implementations run on libuv's threads, write PHC strings and read each other's. */
export type Argon2 = {
  hash(password: string, parameters?: Argon2Parameters): Promise<string>
  verify(phc: string, password: string): Promise<boolean>
}

/**
 * The native implementation is twice as fast as Node's own, which is the fallback if no binary fits the machine. Loaded on
 * first use: a service that only reads does not need it.
 */
export async function loadArgon2(importNative = () => import('@node-rs/argon2')): Promise<Argon2> {
  try {
    return fromNative(await importNative())
  } catch {
    return nodeArgon2
  }
}

function fromNative(native: typeof import('@node-rs/argon2')): Argon2 {
  return {
    // The package's defaults are argon2id and version 19; its enums exist only for the compiler.
    hash: (password, { memoryKib, passes, parallelism } = argon2Parameters) =>
      native.hash(password, { memoryCost: memoryKib, timeCost: passes, parallelism, outputLen: tagBytes }),
    verify: (phc, password) => native.verify(phc, password),
  }
}

const derive = promisify(argon2)

export const nodeArgon2: Argon2 = {
  async hash(password, parameters = argon2Parameters) {
    const salt = randomBytes(saltBytes)
    const tag = await tagOf(password, { ...parameters, salt, tag: Buffer.alloc(tagBytes) })
    return formatPhc({ ...parameters, salt, tag })
  },

  async verify(text, password) {
    const phc = parsePhc(text)
    if (phc?.version !== argon2Parameters.version) throw new Error('Node verifies argon2 hashes of version 19 only.')
    return timingSafeEqual(await tagOf(password, phc), phc.tag)
  },
}

function tagOf(password: string, { algorithm, memoryKib, passes, parallelism, salt, tag }: Phc): Promise<Buffer> {
  const parameters = { message: password, nonce: salt, memory: memoryKib, passes, parallelism, tagLength: tag.length }
  return derive(algorithm, parameters)
}
