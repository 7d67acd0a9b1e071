import { parsePhc } from './phc.ts'

/** What is stored of a hash made elsewhere, or why it cannot be. */
export type Read = { phc: string } | { fault: string }

/** Reads a password hash as another system wrote it. Never throws, and never repeats any of the text. */
export function readForeignHash(text: string): Read {
  if (parsePhc(text) !== undefined) return { phc: text }
  return { fault: 'This is no hash that Rollbook can verify.' }
}
