import { fromBase64, toBase64 } from './base64.ts'

/** An argon2 hash as the PHC string format writes it: `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<tag>`. */
export type Phc = {
  algorithm: 'argon2d' | 'argon2i' | 'argon2id'
  version: number
  memoryKib: number
  passes: number
  parallelism: number
  salt: Buffer
  tag: Buffer
}

const pattern =
  /^\$(argon2(?:id|i|d))\$v=([0-9]{1,3})\$m=([0-9]{1,10}),t=([0-9]{1,10}),p=([0-9]{1,3})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{6,171})$/

export function parsePhc(text: string): Phc | undefined {
  const match = pattern.exec(text)
  if (!match) return undefined
  const [, algorithm, version, memoryKib, passes, parallelism, saltText = '', tagText = ''] = match
  const [salt, tag] = [fromBase64(saltText), fromBase64(tagText)]
  if (salt === undefined || tag === undefined) return undefined
  return {
    algorithm: algorithm as Phc['algorithm'],
    version: Number(version),
    memoryKib: Number(memoryKib),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt,
    tag,
  }
}

export function formatPhc(phc: Phc): string {
  const { algorithm, version, memoryKib, passes, parallelism } = phc
  const parameters = `m=${memoryKib},t=${passes},p=${parallelism}`
  return `$${algorithm}$v=${version}$${parameters}$${toBase64(phc.salt)}$${toBase64(phc.tag)}`
}
